// Driver files as read: what the public parse_driver does, with the shared part (common.toml) handed in.
#pragma once
#include <nightjar/config/driver.hpp>

#include <string_view>
#include <vector>

namespace nightjar::config {

// The stem of the file that is no driver, but holds what all of them share.
inline constexpr std::string_view common_name = "common";

struct Common {
  std::vector<dialogue::LoginStep> login;
  std::vector<dialogue::ErrorText> login_errors;
  std::vector<dialogue::ErrorText> command_errors;
  std::vector<dialogue::Pager> pagers;
  std::vector<Pattern> residue;
};

Result<Common> parse_common(std::string_view toml, std::string_view origin);

// `common` is added behind the driver's own entries, unless the driver says common = false.
Result<Driver> parse_driver(std::string_view toml, std::string_view name, std::string_view origin,
                            const Common& common);

}  // namespace nightjar::config
