#include <nightjar/schedule/times.hpp>

namespace nightjar::schedule {
namespace {

using std::chrono::floor;
using std::chrono::minutes;

// A minute fires when clocks first show it or a later one (Zone::first_shown). That instant never goes back
// when the minute goes forward, so what has fired up to `t` is exactly what clocks have shown up to `t`: the
// gap's minutes are shown with its end, and the repeated hour has been shown already.
LocalMinute latest_fired(const Zone& zone, UtcTime t) {
  return floor<minutes>(zone.latest_shown(t));
}

LocalMinute first_unfired(const Zone& zone, UtcTime t) {
  return latest_fired(zone, t) + minutes{1};
}

}  // namespace

std::optional<UtcTime> next_time(const Cron& cron, const Zone& zone, UtcTime after) {
  const auto minute = cron.next(first_unfired(zone, after));
  if (!minute) return std::nullopt;
  return zone.first_shown(*minute);
}

std::vector<UtcTime> next_times(const Cron& cron, const Zone& zone, UtcTime after, std::size_t count) {
  std::vector<UtcTime> times;
  for (auto time = next_time(cron, zone, after); time && times.size() < count;
       time = next_time(cron, zone, *time))
    times.push_back(*time);
  return times;
}

std::optional<UtcTime> last_time(const Cron& cron, const Zone& zone, UtcTime until) {
  const auto minute = cron.last(latest_fired(zone, until));
  if (!minute) return std::nullopt;
  const UtcTime time = zone.first_shown(*minute);
  if (time > until) return std::nullopt;  // before the year 1
  return time;
}

std::size_t count_times(const Cron& cron, const Zone& zone, UtcTime after, UtcTime until) {
  if (after >= until) return 0;
  std::size_t count = cron.count(first_unfired(zone, after), first_unfired(zone, until));
  // The minutes that one change of the clocks shows at once fire together.
  for (auto change = zone.next_change(after); change && *change <= until;
       change = zone.next_change(*change)) {
    const auto together =
        cron.count(first_unfired(zone, *change - Milliseconds{1}), first_unfired(zone, *change));
    if (together > 1) count -= together - 1;
  }
  return count;
}

}  // namespace nightjar::schedule
