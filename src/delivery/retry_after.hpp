// The Retry-After of an HTTP answer (RFC 9110, 10.2.3): seconds, or a date.
#pragma once
#include <nightjar/base/time.hpp>

#include <optional>
#include <string_view>

namespace nightjar::delivery {

// From now on, 0 for a date that is past, at most a day; empty when it is neither form.
std::optional<Seconds> retry_after(std::string_view value, UtcTime now);

}  // namespace nightjar::delivery
