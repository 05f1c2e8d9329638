#include "report/causes.hpp"

#include <nightjar/report/model.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace nightjar::report {
namespace {

using std::chrono::days;
using std::chrono::hours;

bool by_name(const Place& a, const Place& b) {
  return std::tie(a.customer_name, a.name, a.device) < std::tie(b.customer_name, b.name, b.device);
}

// The night that `t` belongs to, counted from the newest one, 0; before the oldest the days tell.
int nights_ago(const std::vector<Night>& nights, UtcTime t) {
  int ago = 0;
  for (auto night = nights.rbegin(); night != nights.rend(); ++night, ++ago)
    if (t > night->begin) return ago;
  return ago + static_cast<int>((nights.front().begin - t) / days{1});
}

void describe(SharedCause& cause, const CauseKey& key, const Causes& causes) {
  const FailedDevice& first = cause.devices.front();
  cause.kind = key.credential ? SharedCause::Kind::credential : SharedCause::Kind::breaker;
  const bool one_customer = std::ranges::all_of(cause.devices, [&](const FailedDevice& device) {
    return device.place.customer == first.place.customer;
  });
  if (one_customer) cause.customer_name = first.place.customer_name;
  if (key.credential) {
    cause.credential = first.credential_name;
    cause.rejected = static_cast<std::size_t>(std::ranges::count_if(
        cause.devices, [](const auto& device) { return device.failing.evidence == Evidence::rejected; }));
    return;
  }
  const Breaker* breaker = causes.breaker(key.customer);
  if (!breaker) return;
  const UtcTime last = std::ranges::max(cause.devices, {}, [](const auto& device) {
                         return device.failing.ended_at;
                       }).failing.ended_at;
  if (breaker->opened_at && last >= *breaker->opened_at) {
    cause.open_since = breaker->opened_at;
  } else if (breaker->was_open && last >= *breaker->was_open) {
    cause.open_since = breaker->was_open;
    cause.open_until = breaker->closed_at;
  }
}

void sort_failed(std::vector<FailedDevice>& failed) {
  std::ranges::sort(failed, [](const FailedDevice& a, const FailedDevice& b) {
    if (a.nights != b.nights) return a.nights > b.nights;
    return by_name(a.place, b.place);
  });
}

void divide(Report& report, std::vector<FailedDevice> failed, const std::vector<Breaker>& breakers) {
  Causes causes{breakers};
  for (const FailedDevice& device : failed) causes.look_at(device.failing);
  std::map<CauseKey, SharedCause> shared;
  for (FailedDevice& device : failed) {
    const CauseKey key = causes.of(device.failing);
    (key.is_shared() ? shared[key].devices : report.own).push_back(std::move(device));
  }
  for (auto& [key, cause] : shared) {
    describe(cause, key, causes);
    sort_failed(cause.devices);
    report.shared.push_back(std::move(cause));
  }
  std::ranges::stable_sort(report.shared, std::greater{},
                           [](const SharedCause& cause) { return cause.devices.size(); });
  sort_failed(report.own);
}

// Devices that failed in each night, each once, by their newest series of it.
std::vector<TrendNight> trend_of(const std::vector<Night>& nights, const std::vector<Failing>& past,
                                 const std::vector<Breaker>& breakers) {
  std::vector<std::map<DeviceId, Failing>> newest(nights.size());
  for (const Failing& failing : past) {
    const auto night =
        std::ranges::find_if(nights, [&](const Night& n) { return n.holds(failing.scheduled_for); });
    if (night == nights.end()) continue;
    auto& known = newest[static_cast<std::size_t>(night - nights.begin())];
    const auto [at, added] = known.emplace(failing.device, failing);
    if (!added && failing.scheduled_for >= at->second.scheduled_for) at->second = failing;
  }
  std::vector<TrendNight> trend;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    Causes causes{breakers};
    for (const auto& [device, failing] : newest[i]) causes.look_at(failing);
    TrendNight& night = trend.emplace_back(TrendNight{.date = nights[i].date});
    for (const auto& [device, failing] : newest[i])
      ++(causes.of(failing).is_shared() ? night.shared : night.own);
  }
  return trend;
}

std::vector<Hour> without_gaps(std::vector<Hour> sparse) {
  std::ranges::sort(sparse, {}, &Hour::begin);
  std::vector<Hour> all;
  for (const Hour& hour : sparse) {
    while (!all.empty() && all.back().begin + hours{1} < hour.begin)
      all.push_back({.begin = all.back().begin + hours{1}});
    all.push_back(hour);
  }
  return all;
}

}  // namespace

Report build(Input in) {
  Report report;
  report.customer_name = std::move(in.customer_name);
  report.zone = in.zone;
  report.night = in.night;
  report.so_far = in.now < in.night.end;
  report.as_of = std::min(in.now, in.night.end);
  report.counts = in.counts;
  if (in.nights.empty()) in.nights.push_back(in.night);

  std::set<DeviceId> failed;
  for (FailedDevice& device : in.failed) {
    failed.insert(device.place.device);
    device.nights = 1 + nights_ago(in.nights, device.since);
  }
  report.trend = trend_of(in.nights, in.past, in.breakers);
  divide(report, std::move(in.failed), in.breakers);

  report.retrying = std::move(in.retrying);
  std::ranges::stable_sort(report.retrying, {}, &Retrying::next_at);
  report.missed = std::move(in.missed);
  report.caught_up = std::move(in.caught_up);
  const auto by_time = [](const auto& a, const auto& b) {
    return std::tie(a.scheduled_for, a.customer_name) < std::tie(b.scheduled_for, b.customer_name);
  };
  std::ranges::sort(report.missed, by_time);
  std::ranges::sort(report.caught_up, by_time);
  report.never = std::move(in.never);
  std::ranges::sort(report.never, by_name, &NeverBackedUp::place);
  for (NeverBackedUp& device : report.never) device.failed = failed.contains(device.place.device);
  report.stale = std::move(in.stale);
  std::ranges::sort(report.stale, by_name, &StaleCopy::place);
  std::ranges::stable_sort(report.stale, {}, &StaleCopy::last_good);
  for (StaleCopy& copy : report.stale) copy.failed = failed.contains(copy.place.device);
  report.disabled = std::move(in.disabled);
  std::ranges::sort(report.disabled, by_name, &DisabledDevice::place);
  report.cancelled = std::move(in.cancelled);
  std::ranges::stable_sort(report.cancelled, {}, &CancelledSeries::at);
  std::ranges::copy_if(in.breakers, std::back_inserter(report.open_breakers),
                       [](const Breaker& breaker) { return breaker.opened_at.has_value(); });
  std::ranges::sort(report.open_breakers, {}, &Breaker::customer_name);
  report.hours = without_gaps(std::move(in.hours));
  return report;
}

std::size_t due(const Counts& counts) {
  return counts.backed_up + counts.failed + counts.retrying + counts.pending + counts.running +
         counts.missed + counts.cancelled;
}

std::size_t devices_by_shared_causes(const Report& report) {
  std::size_t devices = 0;
  for (const SharedCause& cause : report.shared) devices += cause.devices.size();
  return devices;
}

Verdict verdict(const Report& report) {
  if (report.counts.failed > 0 || report.counts.missed > 0 || !report.missed.empty()) return Verdict::failed;
  return due(report.counts) == 0 ? Verdict::nothing_due : Verdict::well;
}

bool is_quiet(const Report& report) {
  const Counts& counts = report.counts;
  return counts.failed + counts.retrying + counts.pending + counts.running + counts.missed +
                 counts.cancelled ==
             0 &&
         report.missed.empty() && report.caught_up.empty() && report.never.empty() && report.stale.empty() &&
         report.open_breakers.empty();
}

}  // namespace nightjar::report
