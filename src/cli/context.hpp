// What a command works on: the data folder, opened piece by piece when a command first asks for it, so that
// `driver list` needs no database and `customer list` no key.
#pragma once
#include "cli/output.hpp"
#include "cli/settings.hpp"

#include <nightjar/base/result.hpp>
#include <nightjar/config/driver.hpp>
#include <nightjar/runtime/clock.hpp>
#include <nightjar/store/database.hpp>
#include <nightjar/vault/vault.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace nightjar::cli {

// Names inside a data folder.
inline constexpr const char* database_name = "nightjar.db";
inline constexpr const char* key_name = "nightjar.key";
inline constexpr const char* drivers_name = "drivers";

struct GlobalFlags {
  std::string data;    // "": the default place
  std::string config;  // "": the default place, which may be absent
  std::string output;
  bool json = false, quiet = false, verbose = false, no_progress = false;
};

class Context {
 public:
  Context(GlobalFlags flags, Output::Manner manner);

  const Output& out() const { return out_; }
  const runtime::Clock& clock() const { return clock_; }
  UtcTime now() const { return clock_.now(); }

  Result<std::filesystem::path> data_folder();  // where it is or would be; it may not exist yet
  Result<const Settings*> settings();
  // Pointers are valid as long as the context is (the database until it is taken).
  Result<store::Database*> database();
  // The same after dead owners were recovered: for whatever reads or drives series.
  Result<store::Database*> database_with_series();
  Result<store::Database> take_database();  // for the worker; what was opened before is handed over
  Result<const vault::Vault*> vault();
  Result<const config::Drivers*> drivers();

  // As the files are now; what was read before stands.
  Result<Settings> read_settings_again();
  Result<config::Drivers> read_drivers_again(const Settings& settings);

 private:
  GlobalFlags flags_;
  Output out_;
  runtime::SystemClock clock_;
  std::optional<std::filesystem::path> data_folder_;
  std::optional<Settings> settings_;
  std::optional<store::Database> database_;
  std::optional<vault::Vault> vault_;
  std::optional<config::Drivers> drivers_;
};

}  // namespace nightjar::cli
