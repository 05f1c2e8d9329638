// The configuration file of the program (TOML). Absent keys keep their defaults; an unknown key, a wrong type
// or a value out of bounds is class setup naming file, line and key.
//   drivers = "/etc/nightjar/drivers"     # a folder of driver files laid over the built-in ones
//   [limits]
//   sessions = 200
//   sessions_per_customer = 50            # where neither the platform nor the customer says otherwise
//   connections_per_second = 50
//   retry_percent = 20                    # retries may be so many per cent of a minute's first attempts,
//   retries_per_second = 10               # beside so many in each second
//   [serve]
//   listen = "127.0.0.1:8484"             # or "none"
//   grace_seconds = 30
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/orchestrator/runner.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace nightjar::cli {

struct Settings {
  std::string drivers;  // "": DATA/drivers, where it exists
  orchestrator::Limits limits;
  std::string listen = "127.0.0.1:8484";
  int grace_seconds = 30;
};

inline constexpr int most_sessions =
    20'000;  // a process has so many descriptors at best; more is a typing error

Result<Settings> parse_settings(std::string_view toml, std::string_view name);
Result<Settings> read_settings(const std::filesystem::path& file);

}  // namespace nightjar::cli
