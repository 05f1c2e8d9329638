// `init`: makes the data folder. It completes one that was interrupted half-way and touches nothing that is
// complete.
#include "cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>

namespace nightjar::cli {
namespace {

namespace fs = std::filesystem;

// Parents as the umask has them, the folder itself for us alone.
Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path parent = fs::absolute(folder, error).parent_path();
  fs::create_directories(parent, error);
  if (error) return usage(fmt::format("cannot make {}: {}", parent.string(), error.message()));
  if (mkdir(folder.c_str(), 0700) == 0) return {};
  return usage(fmt::format("cannot make {}: {}", folder.string(), std::strerror(errno)));
}

// An existing folder is taken when it is empty or begun by an earlier `init`; its mode is only changed when
// it is ours in full.
Result<void> take_folder(const fs::path& folder) {
  constexpr std::array ours{key_name, database_name, drivers_name, "owners"};
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator{};
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool known =
        std::ranges::find(ours, name) != ours.end() || name.starts_with(std::string{database_name} + "-");
    if (!known)
      return usage(
          fmt::format("{} holds other files ({}): name an empty folder with --data", folder.string(), name));
  }
  if (error) return usage(fmt::format("cannot use {}: {}", folder.string(), error.message()));
  if (chmod(folder.c_str(), 0700) != 0)
    return usage(fmt::format("cannot use {}: {}", folder.string(), std::strerror(errno)));
  return {};
}

Exit init(Context& context, const NoOptions&) {
  const auto folder = context.data_folder();
  if (!folder) return folder.error();
  const fs::path key = *folder / key_name;
  const fs::path database = *folder / database_name;
  std::error_code error;
  const bool has_key = fs::exists(key, error);
  const bool has_database = fs::exists(database, error);
  const Json where{{"data", folder->string()}, {"key", key.string()}, {"database", database.string()}};
  if (has_key && has_database) {
    context.out().done(fmt::format("{} is set up already; nothing changed", folder->string()), where);
    return ExitCode::nothing_to_do;
  }
  if (has_database)
    return usage(fmt::format(
        "{} has a database but no {}: put the key file back, its credentials cannot be read without it",
        folder->string(), key_name));
  const auto made = fs::exists(*folder, error) ? take_folder(*folder) : make_folder(*folder);
  if (!made) return made.error();
  if (!has_key)
    if (const auto written = vault::Vault::create_key_file(key); !written) return written.error();
  const auto opened = store::Database::open(database, store::Database::Access::create);
  if (!opened) return opened.error();
  context.out().done(
      fmt::format(
          "data folder {} is ready; keep a copy of {} in a safe place: credentials cannot be read without it",
          folder->string(), key.string()),
      where);
  return ExitCode::done;
}

}  // namespace

void declare_init(Commands& commands) {
  commands.verb<NoOptions>("init", "Make the data folder: key file, database", declare_nothing, init)
      .footer(
          "Makes the folder (mode 0700), a random key file that seals credentials (0600) and the database.\n"
          "On a folder that is set up already it changes nothing and exits with 2.");
}

}  // namespace nightjar::cli
