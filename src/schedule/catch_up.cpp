#include <nightjar/schedule/catch_up.hpp>

#include <algorithm>

namespace nightjar::schedule {

Due due_times(const Cron& cron, const Zone& zone, UtcTime handled, UtcTime now, Seconds catch_up,
              std::size_t most_missed) {
  const auto due_until = [&](UtcTime until) {
    const auto time = last_time(cron, zone, until);
    return time && *time > handled ? time : std::nullopt;
  };
  const auto before = [](UtcTime time) { return time - Milliseconds{1}; };

  Due due;
  auto time = due_until(now);
  if (!time) return due;
  if (now - *time <= std::max(catch_up, on_time)) {
    due.run = time;
    due.late = now - *time > on_time;
    time = due_until(before(*time));
  }
  while (time && due.missed.size() < most_missed) {
    due.missed.push_back(*time);
    time = due_until(before(*time));
  }
  if (time) due.uncounted = count_times(cron, zone, handled, *time);
  std::ranges::reverse(due.missed);
  return due;
}

}  // namespace nightjar::schedule
