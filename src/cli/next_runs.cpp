#include "cli/next_runs.hpp"

#include <nightjar/schedule/times.hpp>

#include <optional>

namespace nightjar::cli {
namespace {

// Firings need not be evenly spread (`*/15 8-18 * * *`, `0 2,3 * * 0`); so many show a usual schedule's
// shortest gap.
constexpr std::size_t looked_at = 100;

}  // namespace

std::vector<UtcTime> next_runs(const schedule::Schedule& schedule, UtcTime now, std::size_t count) {
  if (!schedule.enabled) return {};
  return schedule::next_times(schedule.cron, schedule.timezone, now, count);
}

Json next_runs_json(const schedule::Schedule& schedule, const std::vector<UtcTime>& times) {
  Json all = Json::array();
  for (const UtcTime time : times)
    all.push_back({{"at", to_rfc3339(time)}, {"local", schedule.timezone.local_text(time)}});
  return all;
}

Listing next_runs_listing(const schedule::Schedule& schedule, const std::vector<UtcTime>& times) {
  Listing listing({{"local", "NEXT RUNS"}, {"at", "UTC"}});
  for (const UtcTime time : times) listing.add({schedule.timezone.local_text(time), time});
  return listing;
}

std::vector<std::string> window_warnings(const rules::Timetable& timetable,
                                         const schedule::Schedule& schedule, UtcTime now) {
  const auto times = next_runs(schedule, now, looked_at);
  for (std::size_t i = 1; i < times.size(); ++i)
    if (auto warnings = rules::window_warnings(timetable, times[i - 1], times[i], std::nullopt);
        !warnings.empty())
      return warnings;
  return {};
}

}  // namespace nightjar::cli
