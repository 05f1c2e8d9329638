// When a message that could not be delivered is tried again. A plan, not a queue: who keeps the message and
// wakes up is not here. It reads no clock.
#pragma once
#include <nightjar/base/time.hpp>

#include <optional>

namespace nightjar::delivery {

// No try is planned later than this after the first one.
inline constexpr std::chrono::hours given_up_after{24};

// After the first try 5 s, then 30 s, 2 min, 10 min, 1 h, then hourly; empty: it is dead. A server that asks
// for a longer wait gets it, once past the end of the plan too: asking for a day's rest kills no message.
// `tries_made` counts from 1.
std::optional<UtcTime> next_try(int tries_made, UtcTime first_try, UtcTime now,
                                std::optional<Seconds> retry_after);

}  // namespace nightjar::delivery
