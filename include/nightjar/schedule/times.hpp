// When a cron expression fires in a time zone. The rule for daylight saving: a wall time that is skipped
// fires once, right after the gap; one that occurs twice fires once, the first time. So all that a gap
// swallows, and what is due at its very end, is one firing; and a repeated hour is silent the second time.
//
// Empty where there is no time in the years 1 to 9999. No call reads a clock or depends on how far apart two
// firings are: one is a few microseconds at most.
#pragma once
#include <nightjar/schedule/cron.hpp>
#include <nightjar/schedule/zone.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace nightjar::schedule {

// The first time strictly after `after`.
std::optional<UtcTime> next_time(const Cron&, const Zone&, UtcTime after);

// The first `count` of them, or as many as there are, in order.
std::vector<UtcTime> next_times(const Cron&, const Zone&, UtcTime after, std::size_t count);

// The last time at or before `until`.
std::optional<UtcTime> last_time(const Cron&, const Zone&, UtcTime until);

// How many times there are in (after, until]. The work grows with the months in between, about a microsecond
// a year, and not with the count.
std::size_t count_times(const Cron&, const Zone&, UtcTime after, UtcTime until);

}  // namespace nightjar::schedule
