// One SQLite connection and its statements, prepared once and kept. Private to `store`. A statement in use is
// reset when its Statement dies, also after an error, and cannot outlive the connection. Faults of the
// database travel as DatabaseFault inside this module only: transaction() turns them into a Failure at the
// edge of each public operation.
#pragma once
#include <nightjar/base/id.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>

#include <sqlite3.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace nightjar::store {

class DatabaseFault : public std::exception {
 public:
  DatabaseFault(int code, Failure failure) : code_(code), failure_(std::move(failure)) {}
  const Failure& failure() const { return failure_; }
  bool is_taken() const { return code_ == SQLITE_CONSTRAINT_UNIQUE; }
  bool is_dangling() const { return code_ == SQLITE_CONSTRAINT_FOREIGNKEY; }
  bool is_busy() const { return (code_ & 0xff) == SQLITE_BUSY; }
  const char* what() const noexcept override { return failure_.reason.c_str(); }

 private:
  int code_;  // SQLite's extended result code
  Failure failure_;
};

// Failures of class setup are what the caller got wrong, of class local what the disk or the file did.
Failure setup_failure(std::string reason);
Failure local_failure(std::string reason);

struct Blob {
  std::string_view bytes;
};

class Database::Connection {
 public:
  // Write: waits for the write lock at once (a read lock cannot become one safely). Read: a snapshot.
  enum class Mode : std::uint8_t { read, write };

  // Opens an existing file; applies what every connection needs (WAL, foreign keys, busy handling).
  static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& file);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  const std::filesystem::path& file() const { return file_; }
  sqlite3* handle() const { return handle_; }
  bool in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(handle_); }

  // A script that is run once; throws DatabaseFault.
  void execute(const char* script);
  // Runs a statement to its end and returns how many rows it changed.
  template <class... Values>
  int run(std::string_view sql, const Values&... values);
  // BEGIN IMMEDIATE, waiting for other processes; throws DatabaseFault when they never let go.
  void begin_immediate();

  // Between begin_batch and end_batch operations nest in one disk transaction. If SQLite rolls it back under
  // them (disk full), they refuse to go on instead of committing halves on their own.
  void begin_batch();
  void commit_batch();
  void end_batch() noexcept;  // rolls back what is left of it
  bool batch_is_lost() const { return batch_ && !in_transaction(); }

  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  struct Prepared {
    sqlite3_stmt* statement = nullptr;
    bool in_use = false;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  Connection(std::filesystem::path file, sqlite3* handle) : file_(std::move(file)), handle_(handle) {}
  void configure();
  Prepared& prepare(std::string_view sql);

  std::filesystem::path file_;
  sqlite3* handle_;
  bool batch_ = false;
  bool small_jobs_ = false;  // a batch has begun once
  std::unordered_map<std::string, Prepared, TextHash, std::equal_to<>> prepared_;
};

// One use of a prepared statement. Values are bound in order as ?1, ?2, ...; throws DatabaseFault.
class Statement {
 public:
  template <class... Values>
  Statement(Database::Connection& connection, std::string_view sql, const Values&... values)
      : Statement(connection, connection.prepare(sql)) {
    int index = 0;
    (bind(++index, values), ...);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  // True: a row is there. After false the statement is over.
  bool step();
  sqlite3_stmt* handle() const { return prepared_.statement; }
  Database::Connection& connection() const { return connection_; }

 private:
  Statement(Database::Connection& connection, Database::Connection::Prepared& prepared);

  void bind(int index, std::nullopt_t);
  void bind(int index, std::int64_t value);
  void bind(int index, int value) { bind(index, std::int64_t{value}); }
  void bind(int index, std::uint16_t value) { bind(index, std::int64_t{value}); }
  void bind(int index, std::size_t value) { bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, bool value) { bind(index, std::int64_t{value}); }
  void bind(int index, std::string_view text);
  void bind(int index, const std::string& text) { bind(index, std::string_view{text}); }
  void bind(int index, const char* text) { bind(index, std::string_view{text}); }
  void bind(int index, Blob blob);
  void bind(int index, UtcTime time) { bind(index, std::int64_t{time.time_since_epoch().count()}); }
  void bind(int index, Milliseconds span) { bind(index, std::int64_t{span.count()}); }
  template <class Tag>
  void bind(int index, Id<Tag> id) {
    bind(index, id.value);
  }
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    if (value)
      bind(index, *value);
    else
      bind(index, std::nullopt);
  }
  void check(int code) const;

  Database::Connection& connection_;
  Database::Connection::Prepared& prepared_;
};

template <class... Values>
int Database::Connection::run(std::string_view sql, const Values&... values) {
  Statement statement(*this, sql, values...);
  while (statement.step()) {
  }
  return sqlite3_changes(handle_);
}

// Reads the columns of the current row from left to right: next<std::string>(),
// next<std::optional<UtcTime>>(), ...
class Columns {
 public:
  explicit Columns(const Statement& row) : row_(row.handle()), connection_(row.connection()) {}

  template <class T>
  T next() {
    return read(column_++, static_cast<T*>(nullptr));
  }
  // An enumeration by its text; text that is none means a damaged file.
  template <class Parse>
  auto next_named(Parse parse) {
    return *named(next<std::string>(), parse);
  }
  template <class Parse>
  auto next_named_or_null(Parse parse) {
    const auto text = next<std::optional<std::string>>();
    return text ? named(*text, parse) : decltype(parse(std::string_view{})){};
  }

 private:
  std::int64_t read(int column, std::int64_t*) const { return sqlite3_column_int64(row_, column); }
  int read(int column, int*) const { return sqlite3_column_int(row_, column); }
  bool read(int column, bool*) const { return sqlite3_column_int(row_, column) != 0; }
  std::uint16_t read(int column, std::uint16_t*) const {
    return static_cast<std::uint16_t>(sqlite3_column_int(row_, column));
  }
  std::size_t read(int column, std::size_t*) const {
    return static_cast<std::size_t>(sqlite3_column_int64(row_, column));
  }
  std::string read(int column, std::string*) const;  // text or blob; NULL reads as ""
  UtcTime read(int column, UtcTime*) const {
    return UtcTime{Milliseconds{sqlite3_column_int64(row_, column)}};
  }
  Milliseconds read(int column, Milliseconds*) const {
    return Milliseconds{sqlite3_column_int64(row_, column)};
  }
  template <class Tag>
  Id<Tag> read(int column, Id<Tag>*) const {
    return {sqlite3_column_int64(row_, column)};
  }
  template <class T>
  std::optional<T> read(int column, std::optional<T>*) const {
    if (sqlite3_column_type(row_, column) == SQLITE_NULL) return std::nullopt;
    return read(column, static_cast<T*>(nullptr));
  }
  template <class Parse>
  auto named(const std::string& text, Parse parse) const {
    auto value = parse(std::string_view{text});
    if (!value) connection_.fail(SQLITE_CORRUPT);
    return value;
  }

  sqlite3_stmt* row_;
  const Database::Connection& connection_;
  int column_ = 0;
};

// BEGIN when none is open, else a savepoint; undone unless committed.
class Transaction {
 public:
  Transaction(Database::Connection& connection, Database::Connection::Mode mode);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database::Connection& connection_;
  bool nested_;
  bool open_ = true;
};

// One public operation: the body's Result decides between commit and rollback, a fault of the database
// becomes a Failure.
template <class Body>
auto transaction(Database& db, Database::Connection::Mode mode, Body&& body)
    -> decltype(body(db.connection())) {
  try {
    Transaction open(db.connection(), mode);
    auto result = body(db.connection());
    if (result) open.commit();
    return result;
  } catch (const DatabaseFault& fault) {
    return fault.failure();
  }
}
template <class Body>
auto reading(Database& db, Body&& body) {
  return transaction(db, Database::Connection::Mode::read, std::forward<Body>(body));
}
template <class Body>
auto writing(Database& db, Body&& body) {
  return transaction(db, Database::Connection::Mode::write, std::forward<Body>(body));
}

}  // namespace nightjar::store
