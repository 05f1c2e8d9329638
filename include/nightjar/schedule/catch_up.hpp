// Which of a schedule's times are due, when nobody looked for a while. It says what to run and what to record
// as missed; it starts nothing.
#pragma once
#include <nightjar/schedule/times.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace nightjar::schedule {

// A run that starts this much after its time is still on time: it runs whatever catch_up says, and is not
// late.
inline constexpr Seconds on_time{60};

struct Due {
  std::optional<UtcTime> run;   // the newest time, when it is on time or not older than catch_up
  bool late = false;            // `run` is past on_time: it is caught up
  std::vector<UtcTime> missed;  // the newest of the times that are not run, oldest first
  std::size_t uncounted = 0;    // how many more there are, older than those
  bool operator==(const Due&) const = default;
};

// Of all times in (handled, now] at most the newest runs; the others are missed. `missed` lists at most
// `most_missed`. A clock that went backwards (now < handled) makes nothing due.
// The work is that of `most_missed` times, and about a microsecond for each year since `handled`.
Due due_times(const Cron&, const Zone&, UtcTime handled, UtcTime now, Seconds catch_up,
              std::size_t most_missed);

}  // namespace nightjar::schedule
