#include "cli/timezone.hpp"

#include "cli/exit_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace nightjar::cli {
namespace {

constexpr const char* zoneinfo = "/usr/share/zoneinfo";

bool has_form(std::string_view name) {
  if (name.empty() || name.size() > 64 || std::isalpha(static_cast<unsigned char>(name.front())) == 0)
    return false;
  return std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '_' || c == '-' || c == '+';
  });
}

}  // namespace

Result<void> check_timezone(std::string_view name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool installed = fs::is_directory(zoneinfo, ignored);
  const bool known =
      has_form(name) && (!installed || fs::is_regular_file(fs::path(zoneinfo) / name, ignored));
  if (known || name == "UTC") return {};
  return usage(fmt::format("unknown time zone \"{}\": an IANA name such as Europe/Paris is wanted", name));
}

}  // namespace nightjar::cli
