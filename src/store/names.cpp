#include "store/names.hpp"

#include "store/connection.hpp"

#include <nightjar/base/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace nightjar::store {
namespace {

constexpr std::size_t longest_name = 100;

bool is_control(unsigned char c) {
  return c < 0x20 || c == 0x7f;
}

// Length of the well-formed UTF-8 sequence at the front (RFC 3629: no overlong forms, no surrogates); 0 when
// there is none.
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xbf) {
    return byte(i) >= least && byte(i) <= most;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef)
    return follows(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (lead >= 0xf0 && lead <= 0xf4)
    return follows(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4
                                                                                                          : 0;
  return 0;
}

// The offender as a message may show it: control characters and broken bytes as \xNN.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, longest_name)) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_control(byte) || byte >= 0x80)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

}  // namespace

Result<void> check_name(std::string_view what, std::string_view name) {
  if (name.empty()) return setup_failure(fmt::format("{} name is empty", what));
  if (name.size() > longest_name)
    return setup_failure(fmt::format("{} name \"{}...\" has {} bytes, {} are allowed", what,
                                     shown(name.substr(0, 20)), name.size(), longest_name));
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t size = sequence(rest);
    if (size == 0) return setup_failure(fmt::format("{} name \"{}\" is not UTF-8", what, shown(name)));
    const auto lead = static_cast<unsigned char>(rest[0]);
    const bool c1 = size == 2 && lead == 0xc2 && static_cast<unsigned char>(rest[1]) < 0xa0;
    if (is_control(lead) || c1)
      return setup_failure(fmt::format("{} name \"{}\" holds a control character", what, shown(name)));
    if (lead == '/') return setup_failure(fmt::format("{} name \"{}\" holds a '/'", what, name));
    rest.remove_prefix(size);
  }
  return {};
}

Result<void> check_address(std::string_view address) {
  if (address.empty()) return setup_failure("address is empty");
  for (const char c : address)
    if (c == ' ' || is_control(static_cast<unsigned char>(c)))
      return setup_failure(
          fmt::format("address \"{}\" holds a blank or a control character", shown(address)));
  return {};
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& names) {
  const auto meant = nearest(typed, names);
  return meant.empty() ? std::string{} : fmt::format(": did you mean \"{}\"?", meant);
}

}  // namespace nightjar::store
