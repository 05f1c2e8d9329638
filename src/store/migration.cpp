#include "store/migration.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace nightjar::store {
namespace {

constexpr std::int64_t application_id = 0x4e6a6172;  // "Njar"; what the first migration writes

std::int64_t single_integer(Database::Connection& connection, std::string_view sql) {
  Statement row(connection, sql);
  return row.step() ? Columns(row).next<std::int64_t>() : 0;
}

bool is_foreign(Database::Connection& connection, int version) {
  if (version == 0) return single_integer(connection, "SELECT count(*) FROM sqlite_schema") > 0;
  return single_integer(connection, "PRAGMA application_id") != application_id;
}

// The copy of an earlier try of the same step is replaced whole: the database may have been used since.
Result<void> copy_before(const std::filesystem::path& file, int step) {
  const std::filesystem::path copy{fmt::format("{}.before-{}", file.string(), step)};
  const std::filesystem::path unfinished{copy.string() + ".new"};
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  if (auto copied = copy_database(file, unfinished); !copied) return copied;
  std::error_code error;
  std::filesystem::rename(unfinished, copy, error);
  if (error)
    return local_failure(
        fmt::format("cannot rename {} to {}: {}", unfinished.string(), copy.string(), error.message()));
  return {};
}

// Another process may have taken the step between our look and our lock.
void apply(Database::Connection& connection, const Migration& step) {
  Transaction transaction(connection, Database::Connection::Mode::write);
  if (version_of(connection) >= step.version) return;
  connection.execute(step.script);
  connection.execute(fmt::format("PRAGMA user_version = {}", step.version).c_str());
  {
    Statement broken(connection, "PRAGMA foreign_key_check");
    if (broken.step()) connection.fail(SQLITE_CONSTRAINT_FOREIGNKEY);
  }
  transaction.commit();
}

// foreign_keys cannot change inside a transaction, and a step that rebuilds a table needs them off.
class WithoutForeignKeys {
 public:
  explicit WithoutForeignKeys(Database::Connection& connection) : connection_(connection) {
    connection_.execute("PRAGMA foreign_keys = OFF");
  }
  WithoutForeignKeys(const WithoutForeignKeys&) = delete;
  WithoutForeignKeys& operator=(const WithoutForeignKeys&) = delete;
  ~WithoutForeignKeys() {
    sqlite3_exec(connection_.handle(), "PRAGMA foreign_keys = ON", nullptr, nullptr, nullptr);
  }

 private:
  Database::Connection& connection_;
};

}  // namespace

int version_of(Database::Connection& connection) {
  return static_cast<int>(single_integer(connection, "PRAGMA user_version"));
}

Result<void> migrate(Database::Connection& connection, std::span<const Migration> steps) {
  const int newest = steps.empty() ? 0 : steps.back().version;
  try {
    const int version = version_of(connection);
    if (is_foreign(connection, version))
      return setup_failure(fmt::format("{} is not a Nightjar database", connection.file().string()));
    if (version > newest)
      return setup_failure(
          fmt::format("database {} has version {}, this program knows versions up to {}: it was written by a "
                      "newer Nightjar",
                      connection.file().string(), version, newest));
    bool copied = version == 0;
    const WithoutForeignKeys off(connection);
    for (const Migration& step : steps) {
      if (step.version <= version) continue;
      if (!copied)
        if (auto copy = copy_before(connection.file(), step.version); !copy) return copy;
      copied = true;
      try {
        apply(connection, step);
      } catch (const DatabaseFault& fault) {
        Failure failed = fault.failure();
        failed.reason =
            fmt::format("migration to version {} failed and was undone: {}", step.version, failed.reason);
        return failed;
      }
    }
  } catch (const DatabaseFault& fault) {
    return fault.failure();
  }
  return {};
}

Result<void> copy_database(const std::filesystem::path& from, const std::filesystem::path& to) {
  const int descriptor = ::open(to.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    const int error = errno;
    if (error == EEXIST) return setup_failure(fmt::format("{} exists already", to.string()));
    return local_failure(
        fmt::format("cannot create {}: {}", to.string(), std::generic_category().message(error)));
  }
  ::fchmod(descriptor, 0600);
  ::close(descriptor);

  // A connection of its own reads the source: SQLite does not copy from one that has a transaction open.
  auto copied = [&]() -> Result<void> {
    auto source = Database::Connection::open(from);
    if (!source) return source.error();
    sqlite3* target = nullptr;
    int code = sqlite3_open_v2(to.c_str(), &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    if (code == SQLITE_OK) {
      if (sqlite3_backup* const backup = sqlite3_backup_init(target, "main", (*source)->handle(), "main")) {
        sqlite3_backup_step(backup, -1);
        code = sqlite3_backup_finish(backup);
      } else {
        code = sqlite3_errcode(target);
      }
    }
    const std::string cause = code == SQLITE_OK ? std::string{} : sqlite3_errmsg(target);
    sqlite3_close(target);
    if (code != SQLITE_OK)
      return local_failure(
          fmt::format("cannot copy database {} to {}: {}", from.string(), to.string(), cause));
    return {};
  }();
  if (!copied) ::unlink(to.c_str());
  return copied;
}

}  // namespace nightjar::store
