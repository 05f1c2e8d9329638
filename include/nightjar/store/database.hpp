// The embedded database: one SQLite file (WAL), owned by one thread at a time. Opening applies the numbered
// migrations; a database newer than this program is refused. Every public operation of the classes over it
// (Inventory, SeriesBook, Revisions) is one transaction. Failures: class local for disk and database faults,
// class setup for what the caller got wrong.
#pragma once
#include <nightjar/base/result.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace nightjar::store {

class Database {
 public:
  enum class Access : std::uint8_t {
    read_write,
    create
  };  // create: also makes the file (0600) when it is missing
  static Result<Database> open(const std::filesystem::path& file, Access access);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // Migrations are applied one by one, each with its version in one transaction, after a copy FILE.before-N
  // was made.
  int version() const;
  static int newest_version();

  Result<void> check();  // integrity_check and foreign_key_check: the first complaint
  Result<void> copy_to(const std::filesystem::path& file);  // online copy, refused when the file exists

  // All that `body` writes, or, when it returns a failure or throws, nothing of it. Operations inside nest.
  Result<void> atomically(const std::function<Result<void>()>& body);

  // Another number than before when another connection, of this process or another, has written since.
  Result<std::int64_t> data_version();

  class Connection;  // the statements, private to store
  Connection& connection() { return *connection_; }

 private:
  explicit Database(std::unique_ptr<Connection>);
  std::unique_ptr<Connection> connection_;
};

}  // namespace nightjar::store
