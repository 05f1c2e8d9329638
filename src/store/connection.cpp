#include "store/connection.hpp"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <system_error>

namespace nightjar::store {
namespace {

// One wait for the lock of another process, by SQLite; and how many of them before giving up. A healthy
// writer holds the lock for milliseconds: 30 s of refusals mean a process that is stuck.
constexpr std::chrono::milliseconds busy_wait{5000};
constexpr int busy_waits = 6;

// Page cache of a connection, in KiB: what a night of 100,000 devices works on stays in memory. It fills as
// pages are used.
constexpr const char* cache = "PRAGMA cache_size = -49152";

// Pages in the WAL before they are copied into the file. A burst changes the same pages again and again: at
// SQLite's 1,000 each of them is copied, and waited for, many times a second.
constexpr const char* checkpoint = "PRAGMA wal_autocheckpoint = 8000";

std::string system_cause(sqlite3* handle) {
  const int error = sqlite3_system_errno(handle);
  return error == 0 ? std::string{} : fmt::format(" ({})", std::generic_category().message(error));
}

FailureClass class_of(int code) {
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT:  // the ones a caller can cause are found before or translated where they are
                             // raised
    case SQLITE_ERROR:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_MISMATCH:
    case SQLITE_INTERNAL:
    case SQLITE_SCHEMA:
      return FailureClass::internal;
    default:
      return FailureClass::local;
  }
}

std::string cause(int code, sqlite3* handle) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "the disk is full";
    case SQLITE_IOERR:
      return fmt::format("reading or writing failed{}", system_cause(handle));
    case SQLITE_READONLY:
      return "it is read-only";
    case SQLITE_CANTOPEN:
      return fmt::format("it cannot be opened{}", system_cause(handle));
    case SQLITE_CORRUPT:
      return "its content is damaged";
    case SQLITE_NOTADB:
      return "the file is not a database";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process keeps it locked";
    case SQLITE_NOMEM:
      return "out of memory";
    default:
      return handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  }
}

Failure fault(const std::filesystem::path& file, int code, sqlite3* handle) {
  return failure(class_of(code), Stage::store,
                 fmt::format("database {}: {}", file.string(), cause(code, handle)));
}

}  // namespace

Failure setup_failure(std::string reason) {
  return failure(FailureClass::setup, Stage::store, std::move(reason));
}
Failure local_failure(std::string reason) {
  return failure(FailureClass::local, Stage::store, std::move(reason));
}

Result<std::unique_ptr<Database::Connection>> Database::Connection::open(const std::filesystem::path& file) {
  // Counting every allocation takes a lock for each, and nobody reads the count.
  [[maybe_unused]] static const int uncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(
      file.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  std::unique_ptr<Connection> connection{
      new Connection(file, handle)};  // also a failed open leaves a handle to close
  if (code != SQLITE_OK) return fault(file, code, handle);
  // SQLite falls back to reading alone without a word.
  if (sqlite3_db_readonly(handle, "main") == 1) return fault(file, SQLITE_READONLY, handle);
  try {
    connection->configure();
  } catch (const DatabaseFault& f) {
    return f.failure();
  }
  return connection;
}

void Database::Connection::configure() {
  sqlite3_busy_timeout(handle_, static_cast<int>(busy_wait.count()));
  execute("PRAGMA trusted_schema = OFF");
  execute(cache);
  // Two processes that open a new file at once: the loser of the change to WAL is told BUSY without any wait.
  for (int wait = 1;; ++wait) {
    try {
      execute("PRAGMA journal_mode = WAL");
      break;
    } catch (const DatabaseFault& f) {
      if (!f.is_busy() || wait == busy_waits) throw;
      sqlite3_sleep(50);
    }
  }
  execute(checkpoint);
  execute("PRAGMA synchronous = NORMAL");
  execute("PRAGMA foreign_keys = ON");
  execute("PRAGMA journal_size_limit = 67108864");  // a night's burst does not keep its disk space for ever
}

Database::Connection::~Connection() {
  for (auto& [sql, prepared] : prepared_) sqlite3_finalize(prepared.statement);
  sqlite3_close(handle_);
}

void Database::Connection::fail(int code) const {
  throw DatabaseFault(code, fault(file_, code, handle_));
}

void Database::Connection::execute(const char* script) {
  const int code = sqlite3_exec(handle_, script, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

Database::Connection::Prepared& Database::Connection::prepare(std::string_view sql) {
  auto found = prepared_.find(sql);
  if (found == prepared_.end()) {
    Prepared prepared;
    const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &prepared.statement, nullptr);
    if (code != SQLITE_OK) fail(code);
    found = prepared_.emplace(std::string{sql}, prepared).first;
  }
  if (found->second.in_use) throw std::logic_error("statement used while in use: " + std::string{sql});
  return found->second;
}

void Database::Connection::begin_immediate() {
  for (int wait = 1;; ++wait) {
    try {
      run("BEGIN IMMEDIATE");
      return;
    } catch (const DatabaseFault& f) {
      if (!f.is_busy() || wait == busy_waits) throw;
    }
  }
}

// What the savepoints of its jobs would have to undo stays in memory: beyond 64 KiB, which is less than one
// round of the queue changes, SQLite would write it to a file of its own. Other connections keep that limit:
// the removal of a customer may touch a gigabyte.
void Database::Connection::begin_batch() {
  if (!std::exchange(small_jobs_, true)) execute("PRAGMA temp_store = MEMORY");
  begin_immediate();
  batch_ = true;
}

void Database::Connection::commit_batch() {
  if (batch_is_lost()) fail(SQLITE_FULL);
  run("COMMIT");
}

void Database::Connection::end_batch() noexcept {
  if (in_transaction()) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  batch_ = false;
}

Statement::Statement(Database::Connection& connection, Database::Connection::Prepared& prepared)
    : connection_(connection), prepared_(prepared) {
  prepared_.in_use = true;
}

// The destructor runs also when binding throws: the private constructor this one delegates to has completed
// by then.
Statement::~Statement() {
  sqlite3_reset(prepared_.statement);
  sqlite3_clear_bindings(prepared_.statement);
  prepared_.in_use = false;
}

bool Statement::step() {
  const int code = sqlite3_step(prepared_.statement);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  connection_.fail(code);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) connection_.fail(code);
}

void Statement::bind(int index, std::nullopt_t) {
  check(sqlite3_bind_null(prepared_.statement, index));
}

void Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(prepared_.statement, index, value));
}

void Statement::bind(int index, std::string_view text) {
  check(sqlite3_bind_text64(prepared_.statement, index, text.data() ? text.data() : "", text.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int index, Blob blob) {
  check(sqlite3_bind_blob64(prepared_.statement, index, blob.bytes.data() ? blob.bytes.data() : "",
                            blob.bytes.size(), SQLITE_TRANSIENT));
}

std::string Columns::read(int column, std::string*) const {
  const auto* const data = static_cast<const char*>(sqlite3_column_blob(row_, column));
  return data ? std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(row_, column)))
              : std::string{};
}

Transaction::Transaction(Database::Connection& connection, Database::Connection::Mode mode)
    : connection_(connection), nested_(connection.in_transaction()) {
  if (connection.batch_is_lost()) connection.fail(SQLITE_FULL);
  if (nested_)
    connection.run("SAVEPOINT operation");
  else if (mode == Database::Connection::Mode::write)
    connection.begin_immediate();
  else
    connection.run("BEGIN");
}

void Transaction::commit() {
  connection_.run(nested_ ? "RELEASE operation" : "COMMIT");
  open_ = false;
}

// A full disk may have rolled everything back already; then there is nothing left to undo.
Transaction::~Transaction() {
  if (!open_ || !connection_.in_transaction()) return;
  sqlite3_exec(connection_.handle(), nested_ ? "ROLLBACK TO operation; RELEASE operation" : "ROLLBACK",
               nullptr, nullptr, nullptr);
}

}  // namespace nightjar::store
