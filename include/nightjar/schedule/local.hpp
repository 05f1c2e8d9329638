// Wall time: what a clock on the wall of some place shows. It names no place and no instant; a Zone turns one
// into the other.
#pragma once
#include <nightjar/base/time.hpp>

#include <chrono>

namespace nightjar::schedule {

using LocalTime = std::chrono::local_time<Milliseconds>;
using LocalMinute = std::chrono::local_time<std::chrono::minutes>;

// The years that cron expressions and zones reckon with; they have no time outside of these.
inline constexpr std::chrono::year first_year{1};
inline constexpr std::chrono::year last_year{9999};

}  // namespace nightjar::schedule
