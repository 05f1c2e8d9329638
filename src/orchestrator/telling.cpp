#include <nightjar/alerting/decide.hpp>
#include <nightjar/orchestrator/telling.hpp>
#include <nightjar/schedule/settings.hpp>
#include <nightjar/store/breakers.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/settings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace nightjar::orchestrator {
namespace {

using alerting::AlertFields;
using alerting::Event;
using schedule::ScheduleFields;

struct Manner {
  alerting::Policy policy;
  schedule::Zone zone;
};

Result<Manner> manner_of(store::Database& db, DeviceId device) {
  store::Settings settings{db};
  auto policy = settings.in_force<AlertFields>({rules::Level::device, {}, device});
  if (!policy) return std::move(policy).error();
  auto schedule = settings.in_force<ScheduleFields>({rules::Level::device, {}, device});
  if (!schedule) return std::move(schedule).error();
  return Manner{rules::values(policy->rule), schedule->rule.timezone.value};
}

Result<std::vector<DestinationId>> wanting(store::Database& db, CustomerId customer, Event event) {
  auto all = store::Destinations{db}.hearing_of(customer);
  if (!all) return std::move(all).error();
  std::vector<DestinationId> ids;
  for (const auto& destination : *all)
    if (destination.events.contains(event)) ids.push_back(destination.id);
  return ids;
}

struct Cause {
  std::string text;
  std::optional<CredentialId> credential;
};

// What the failure has in common with others: an open breaker, a credential that is rejected everywhere.
Result<Cause> cause_of(store::Database& db, const store::SeriesRow& series, const store::Device& device,
                       const schedule::Zone& zone) {
  Cause cause;
  if (!series.last_failure) return cause;
  store::BreakerBook breakers{db};
  if (series.last_failure->failure_class == FailureClass::unreachable) {
    auto row = breakers.of(series.customer);
    if (!row) return std::move(row).error();
    if (row->breaker.opened_at)
      cause.text = fmt::format("breaker open since {}: no device is reached",
                               zone.local_text(*row->breaker.opened_at));
  } else if (series.last_failure->failure_class == FailureClass::auth && device.credential) {
    auto row = breakers.of(*device.credential);
    if (!row) return std::move(row).error();
    if (row->tripped_at) {
      cause.text = fmt::format("credential {} is rejected by {} devices and not tried on others",
                               device.credential_name, row->in_a_row.size());
      cause.credential = device.credential;
    }
  }
  return cause;
}

Result<void> gather(store::Database& db, Event event, const store::SeriesRow& series, const Manner& manner,
                    const std::vector<DestinationId>& told, const Cause& cause, UtcTime now) {
  store::Outbox outbox{db};
  for (const DestinationId destination : told) {
    const store::Notification notification{.destination = destination,
                                           .device = series.device,
                                           .series = series.id,
                                           .attempts = series.machine.attempts,
                                           .day = alerting::day_of(series.machine.scheduled_for, manner.zone),
                                           .cause = cause.text};
    auto into = outbox.gather(event, series.customer, notification, now);
    if (!into) return std::move(into).error();
    const auto closes = alerting::closes_at(into->opened_at, now, manner.policy.group, into->shared);
    if (auto set = outbox.set_closes_at(into->message, closes); !set) return set;
  }
  if (cause.credential) return outbox.name_cause(series.customer, *cause.credential, cause.text);
  return {};
}

Result<void> tell_failure(store::Database& db, const store::SeriesRow& series, UtcTime now) {
  auto listeners = wanting(db, series.customer, Event::series_failed);
  if (!listeners) return std::move(listeners).error();
  if (listeners->empty()) return {};
  auto device = store::Inventory{db}.device(series.device);
  if (!device) return std::move(device).error();
  auto manner = manner_of(db, series.device);
  if (!manner) return std::move(manner).error();
  auto standing = store::Outbox{db}.standing(series.device);
  if (!standing) return std::move(standing).error();
  const auto told = alerting::told_of_failure(
      {.scheduled_for = series.machine.scheduled_for, .device_enabled = device->enabled}, manner->policy,
      manner->zone, *listeners, *standing);
  if (told.empty()) return {};
  auto cause = cause_of(db, series, *device, manner->zone);
  if (!cause) return std::move(cause).error();
  return gather(db, Event::series_failed, series, *manner, told, *cause, now);
}

Result<void> tell_recovery(store::Database& db, const store::SeriesRow& series, UtcTime now) {
  store::Outbox outbox{db};
  auto standing = outbox.standing(series.device);
  if (!standing) return std::move(standing).error();
  if (standing->empty()) return {};
  auto manner = manner_of(db, series.device);
  if (!manner) return std::move(manner).error();
  const auto told = alerting::told_of_recovery(manner->policy, *standing);
  if (auto gathered = gather(db, Event::series_recovered, series, *manner, told, {}, now); !gathered)
    return gathered;
  return outbox.settle(series.device);
}

}  // namespace

Result<void> tell_end(store::Database& db, const store::SeriesRow& ended, UtcTime now) {
  if (ended.machine.state == series::State::failed) return tell_failure(db, ended, now);
  if (ended.machine.state == series::State::succeeded) return tell_recovery(db, ended, now);
  return {};
}

Result<void> tell_fault(store::Database& db, const Failure& fault, UtcTime now) {
  store::Destinations destinations{db};
  auto all = destinations.list(std::nullopt);
  if (!all) return std::move(all).error();
  const auto hour = to_rfc3339(std::chrono::floor<std::chrono::hours>(now));
  for (const auto& destination : *all) {
    if (destination.disabled_at || !destination.events.contains(Event::platform_fault)) continue;
    const auto headline = fmt::format("Nightjar itself failed: {}", fault.reason);
    const auto text = fmt::format(
        "{}.\n\nThis is no fault of a device: look at the machine that Nightjar runs on. Attempts go on by "
        "their rule;\nyou are "
        "told of this once an hour at most.\n",
        headline);
    const store::Content content{
        .subject = headline,
        .text = text,
        .html = {},
        .body = plain_body(destination, "fault-" + hour, alerting::to_text(Event::platform_fault), headline,
                           text, now),
        .in_reply_to = {}};
    auto added =
        store::Outbox{db}.add(Event::platform_fault, destination.id, std::nullopt, hour, content, now);
    if (!added) return std::move(added).error();
  }
  return {};
}

}  // namespace nightjar::orchestrator
