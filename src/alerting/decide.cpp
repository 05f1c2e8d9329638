#include <nightjar/alerting/decide.hpp>

#include <algorithm>

namespace nightjar::alerting {
namespace {

constexpr int longest_shared_wait = 5;  // times the policy's group

bool is_told(const Policy& policy, Day today, const Standing* before) {
  if (!before) return true;
  switch (policy.repeat) {
    case Repeat::every:
      return true;
    case Repeat::daily:
      return before->day != today;
    case Repeat::never:
      return false;
  }
  return true;
}

}  // namespace

Day day_of(UtcTime scheduled_for, const schedule::Zone& zone) {
  return std::chrono::floor<std::chrono::days>(zone.latest_shown(scheduled_for));
}

std::vector<DestinationId> told_of_failure(const FailedSeries& series, const Policy& policy,
                                           const schedule::Zone& zone, std::span<const DestinationId> wanting,
                                           std::span<const Standing> standing) {
  std::vector<DestinationId> told;
  if (!series.device_enabled || policy.maintenance.open_at(series.scheduled_for, zone)) return told;
  const Day today = day_of(series.scheduled_for, zone);
  for (const DestinationId destination : wanting) {
    const auto before = std::ranges::find(standing, destination, &Standing::destination);
    if (is_told(policy, today, before == standing.end() ? nullptr : &*before)) told.push_back(destination);
  }
  return told;
}

std::vector<DestinationId> told_of_recovery(const Policy& policy, std::span<const Standing> standing) {
  std::vector<DestinationId> told;
  if (policy.recovered)
    for (const Standing& failure : standing) told.push_back(failure.destination);
  return told;
}

UtcTime closes_at(UtcTime opened, UtcTime grown, Seconds group, bool shared_cause) {
  if (!shared_cause) return opened + group;
  return std::min(grown + group, opened + longest_shared_wait * group);
}

}  // namespace nightjar::alerting
