#include "cli/address.hpp"

#include <nightjar/delivery/address.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace nightjar::cli {

Result<std::string> mail_addresses(std::string_view typed) {
  std::vector<std::string> addresses;
  std::size_t from = 0;
  do {
    const std::size_t end = std::min(typed.find(',', from), typed.size());
    auto address = delivery::mail_address(typed.substr(from, end - from));
    if (!address) return std::move(address).error();
    if (std::find(addresses.begin(), addresses.end(), *address) == addresses.end())
      addresses.push_back(std::move(*address));
    from = end + 1;
  } while (from <= typed.size());
  return fmt::format("{}", fmt::join(addresses, ","));
}

std::string shown_address(std::string_view address) {
  constexpr std::string_view separator = "://";
  const std::size_t scheme = address.find(separator);
  if (scheme == std::string_view::npos) return std::string{address};
  const std::size_t end = address.find_first_of("/?#", scheme + separator.size());
  if (end == std::string_view::npos || address.substr(end) == "/") return std::string{address};
  return fmt::format("{}/...", address.substr(0, end));
}

}  // namespace nightjar::cli
