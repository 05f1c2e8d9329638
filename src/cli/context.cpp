#include "cli/context.hpp"

#include "cli/exit_code.hpp"

#include <nightjar/orchestrator/recovery.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace nightjar::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* system_folder = "/var/lib/nightjar";
constexpr const char* system_config = "/etc/nightjar/nightjar.toml";

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The system's folder when it is ours to write, or ours to make.
bool system_folder_is_ours() {
  std::error_code ignored;
  const fs::path folder = system_folder;
  const fs::path asked = fs::exists(folder, ignored) ? folder : folder.parent_path();
  return access(asked.c_str(), W_OK) == 0;
}

}  // namespace

Context::Context(GlobalFlags flags, Output::Manner manner) : flags_(std::move(flags)), out_(manner) {}

Result<fs::path> Context::data_folder() {
  if (data_folder_) return *data_folder_;
  if (!flags_.data.empty()) {
    data_folder_ = fs::path(flags_.data);
  } else if (system_folder_is_ours()) {
    data_folder_ = fs::path(system_folder);
  } else if (const auto xdg = environment("XDG_DATA_HOME"); xdg.starts_with('/')) {
    data_folder_ = fs::path(xdg) / "nightjar";
  } else if (const auto home = environment("HOME"); !home.empty()) {
    data_folder_ = fs::path(home) / ".local/share/nightjar";
  } else {
    return usage("no place for data: HOME is not set; name a folder with --data");
  }
  return *data_folder_;
}

Result<const Settings*> Context::settings() {
  if (!settings_) {
    auto read = read_settings_again();
    if (!read) return read.error();
    settings_ = std::move(*read);
  }
  return &*settings_;
}

Result<Settings> Context::read_settings_again() {
  std::error_code ignored;
  const bool asked_for = !flags_.config.empty();
  if (!asked_for && !fs::exists(system_config, ignored)) return Settings{};
  return read_settings(asked_for ? fs::path(flags_.config) : fs::path(system_config));
}

Result<store::Database*> Context::database() {
  if (database_) return &*database_;
  const auto folder = data_folder();
  if (!folder) return folder.error();
  const fs::path file = *folder / database_name;
  std::error_code error;
  if (!fs::exists(file, error)) {
    if (error && error != std::errc::no_such_file_or_directory)
      return usage(fmt::format("cannot look into {}: {}", folder->string(), error.message()));
    return usage(fmt::format("no Nightjar data in {}: run `nightjar --data {} init` first", folder->string(),
                             folder->string()));
  }
  auto opened = store::Database::open(file, store::Database::Access::read_write);
  if (!opened) return opened.error();
  database_.emplace(std::move(*opened));
  return &*database_;
}

Result<store::Database*> Context::database_with_series() {
  const auto db = database();
  if (!db) return db.error();
  const auto recovered =
      orchestrator::recover_dead_owners(**db, *data_folder_, now(), runtime::system_dice());
  if (!recovered) return recovered.error();
  if (*recovered > 0 && out_.verbose())
    out_.warn(
        fmt::format("{} running attempts of a process that died are recorded as interrupted", *recovered));
  return *db;
}

Result<store::Database> Context::take_database() {
  const auto db = database();
  if (!db) return db.error();
  store::Database taken = std::move(**db);
  database_.reset();
  return taken;
}

Result<const vault::Vault*> Context::vault() {
  if (vault_) return &*vault_;
  const auto folder = data_folder();
  if (!folder) return folder.error();
  auto opened = vault::Vault::open(*folder / key_name);
  if (!opened) return opened.error();
  vault_.emplace(std::move(*opened));
  return &*vault_;
}

Result<const config::Drivers*> Context::drivers() {
  if (drivers_) return &*drivers_;
  const auto read = settings();
  if (!read) return read.error();
  auto loaded = read_drivers_again(**read);
  if (!loaded) return loaded.error();
  drivers_.emplace(std::move(*loaded));
  return &*drivers_;
}

Result<config::Drivers> Context::read_drivers_again(const Settings& settings) {
  std::string folder = settings.drivers;
  if (folder.empty()) {
    const auto data = data_folder();
    std::error_code ignored;
    if (data && fs::is_directory(*data / drivers_name, ignored)) folder = (*data / drivers_name).string();
  }
  return config::Drivers::load(folder);
}

}  // namespace nightjar::cli
