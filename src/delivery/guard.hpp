// Addresses that a customer's webhook does not reach unless it is allowed to: looked at when the socket is
// made, after the name was resolved, so a name that points there does not help.
#pragma once
#include <optional>
#include <string_view>
#include <sys/socket.h>

namespace nightjar::delivery {

// What kind of address it is, as in "a link-local address"; empty: anybody's.
std::optional<std::string_view> forbidden_kind(const sockaddr& address);

}  // namespace nightjar::delivery
