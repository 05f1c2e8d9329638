#include "store/connection.hpp"
#include "store/migration.hpp"

#include <nightjar/store/database.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace nightjar::store {
namespace {

// SQLite gives -wal and -shm the mode of the file itself, so the mode is settled before it opens anything. An
// existing file is not opened here: closing it would drop the locks of this process's other connections to
// it.
Result<void> create_file(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    const int error = errno;
    if (error == EEXIST) return {};
    return local_failure(
        fmt::format("cannot create database {}: {}", file.string(), std::generic_category().message(error)));
  }
  ::fchmod(descriptor, 0600);
  ::close(descriptor);
  return {};
}

}  // namespace

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const std::filesystem::path& file, Access access) {
  if (access == Access::create) {
    if (auto created = create_file(file); !created) return created.error();
  } else {
    std::error_code error;
    if (!std::filesystem::exists(file, error) && !error)
      return setup_failure(fmt::format("database {} does not exist", file.string()));
  }
  auto connection = Connection::open(file);
  if (!connection) return connection.error();
  if (auto migrated = migrate(**connection, migrations()); !migrated) return migrated.error();
  return Database{std::move(*connection)};
}

int Database::version() const {
  return version_of(*connection_);
}

Result<void> Database::atomically(const std::function<Result<void>()>& body) {
  return writing(*this, [&](Connection&) { return body(); });
}

Result<std::int64_t> Database::data_version() {
  return reading(*this, [](Connection& c) -> Result<std::int64_t> {
    Statement row(c, "PRAGMA data_version");
    return row.step() ? Columns(row).next<std::int64_t>() : 0;
  });
}

int Database::newest_version() {
  return migrations().back().version;
}

Result<void> Database::check() {
  return reading(*this, [&](Connection& c) -> Result<void> {
    {
      Statement row(c, "PRAGMA integrity_check(1)");
      const std::string verdict = row.step() ? Columns(row).next<std::string>() : "no verdict";
      if (verdict != "ok")
        return local_failure(fmt::format("database {} is damaged: {}", c.file().string(), verdict));
    }
    Statement broken(c, "PRAGMA foreign_key_check");
    if (!broken.step()) return {};
    Columns columns(broken);
    const auto table = columns.next<std::string>();
    const auto row = columns.next<std::int64_t>();
    const auto parent = columns.next<std::string>();
    return local_failure(
        fmt::format("database {} is damaged: row {} of {} points at a {} that does not exist",
                    c.file().string(), row, table, parent));
  });
}

Result<void> Database::copy_to(const std::filesystem::path& file) {
  return copy_database(connection_->file(), file);
}

}  // namespace nightjar::store
