// What a night's report says beside its series: devices without a good copy, runs that did not start in time,
// breakers.
#include "store/night_rows.hpp"

#include <nightjar/schedule/catch_up.hpp>
#include <nightjar/schedule/times.hpp>
#include <nightjar/store/runs.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;
using std::chrono::days;

constexpr std::size_t most_unstarted = 24;  // of one schedule

// The next firing of each schedule in use, looked up once.
class NextRuns {
 public:
  explicit NextRuns(UtcTime now) : now_(now) {}
  std::optional<UtcTime> of(const schedule::Cron& cron, const schedule::Zone& zone) {
    const std::pair key{cron.text(), std::string{zone.name()}};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_[key] = schedule::next_time(cron, zone, now_);
  }

 private:
  UtcTime now_;
  std::map<std::pair<std::string, std::string>, std::optional<UtcTime>> known_;
};

// The fewest days that make a copy stale anywhere.
int strictest(const AllLayers<report::ReportFields>& layers) {
  int least = layers.platform.stale_after_days.value_or(
      rules::Describe<report::ReportFields>::built_in().stale_after_days);
  for (const auto& [id, layer] : layers.customers)
    least = std::min(least, layer.stale_after_days.value_or(least));
  for (const auto& [id, layer] : layers.devices)
    least = std::min(least, layer.stale_after_days.value_or(least));
  return least;
}

std::string customer_name(Connection& c, CustomerId id) {
  Statement row(c, "SELECT name FROM customer WHERE id = ?1", id);
  return row.step() ? Columns(row).next<std::string>() : std::string{};
}

std::size_t enabled_devices(Connection& c, CustomerId id, UtcTime at) {
  Statement row(c, "SELECT count(*) FROM device WHERE customer_id = ?1 AND enabled = 1 AND created_ms <= ?2",
                id, at);
  return row.step() ? Columns(row).next<std::size_t>() : 0;
}

// Devices that a run was for and that were not too late for it.
std::size_t tried_devices(Connection& c, RunId id) {
  Statement row(c, "SELECT count(*) FROM series WHERE run_id = ?1 AND state <> 'missed'", id);
  return row.step() ? Columns(row).next<std::size_t>() : 0;
}

std::optional<UtcTime> next_of_run(Connection& c, RunId id, NextRuns& next_runs) {
  std::optional<UtcTime> next;
  Statement row(c, "SELECT cron, timezone FROM run_schedule WHERE run_id = ?1", id);
  while (row.step()) {
    Columns columns(row);
    const auto cron = schedule::Cron::parse(columns.next<std::string>());
    const auto zone = schedule::Zone::find(columns.next<std::string>());
    if (!cron || !zone) continue;  // a zone that the system has no more
    const auto time = next_runs.of(*cron, *zone);
    if (time && (!next || *time < *next)) next = time;
  }
  return next;
}

struct RunRow {
  RunId id;
  CustomerId customer;
  UtcTime scheduled_for{}, created_at{};
  bool late = false;
};

constexpr std::string_view run_columns =
    "SELECT r.id, r.customer_id, r.scheduled_for_ms, r.created_ms, r.kind = 'late' FROM run r ";

RunRow read_run(const Statement& row) {
  Columns columns(row);
  RunRow run;
  run.id = columns.next<RunId>();
  run.customer = columns.next<CustomerId>();
  run.scheduled_for = columns.next<UtcTime>();
  run.created_at = columns.next<UtcTime>();
  run.late = columns.next<bool>();
  return run;
}

std::vector<RunRow> missed_runs(Connection& c, const std::map<RunId, std::size_t>& missed) {
  static const std::string sql = fmt::format("{}WHERE r.id = ?1", run_columns);
  std::vector<RunRow> runs;
  for (const auto& [id, devices] : missed) {
    Statement row(c, sql, id);
    if (row.step()) runs.push_back(read_run(row));
  }
  return runs;
}

std::vector<RunRow> late_runs(Connection& c, const Asked& asked) {
  std::vector<RunRow> runs;
  Statement row(
      c,
      fmt::format("{}WHERE r.kind = 'late' AND {} AND r.scheduled_for_ms > ?1 AND r.scheduled_for_ms <= ?2",
                  run_columns, scope_of(asked, "r")),
      asked.night.begin, asked.night.end, asked.customer);
  while (row.step()) runs.push_back(read_run(row));
  return runs;
}

// A daemon that starts writes down what it missed. Until then nothing has, and the schedules tell; where
// there never was a daemon, nothing waits for one.
void read_unstarted(Connection& c, const Asked& asked, report::Input& into) {
  {
    Statement daemon(c, "SELECT 1 FROM daemon WHERE id = 1");
    if (!daemon.step()) return;
  }
  const UtcTime until = std::min(asked.night.end, asked.now - schedule::on_time);
  struct Waiting {
    CustomerId customer;
    std::string cron, timezone;
    UtcTime handled{};
  };
  std::vector<Waiting> waiting;
  {
    Statement row(c,
                  "SELECT h.customer_id, h.cron, h.timezone, h.handled_ms FROM schedule_handled h "
                  "WHERE " +
                      scope_of(asked, "h") + " AND h.handled_ms < ?2 AND ?1 < ?2",
                  asked.night.begin, until, asked.customer);
    while (row.step()) {
      Columns columns(row);
      Waiting& one = waiting.emplace_back();
      one.customer = columns.next<CustomerId>();
      one.cron = columns.next<std::string>();
      one.timezone = columns.next<std::string>();
      one.handled = columns.next<UtcTime>();
    }
  }
  for (const Waiting& one : waiting) {
    const auto cron = schedule::Cron::parse(one.cron);
    const auto zone = schedule::Zone::find(one.timezone);
    if (!cron || !zone) continue;
    for (const UtcTime time :
         schedule::next_times(*cron, *zone, std::max(one.handled, asked.night.begin), most_unstarted)) {
      if (time > until) break;
      const std::size_t devices = enabled_devices(c, one.customer, time);
      if (devices == 0) continue;
      into.missed.push_back({.customer_name = customer_name(c, one.customer),
                             .scheduled_for = time,
                             .devices = devices,
                             .noticed_at = {},
                             .catch_up = {},
                             .next = schedule::next_time(*cron, *zone, asked.now)});
    }
  }
}

}  // namespace

void read_runs(Connection& c, const Asked& asked, const Schedules& settings,
               const std::map<RunId, std::size_t>& missed, report::Input& into) {
  NextRuns next_runs{asked.now};
  for (const RunRow& run : missed_runs(c, missed))
    into.missed.push_back({.customer_name = customer_name(c, run.customer),
                           .scheduled_for = run.scheduled_for,
                           .devices = missed.at(run.id),
                           .noticed_at = run.created_at,
                           .catch_up = settings.schedules.in_force(run.customer).catch_up.value,
                           .next = next_of_run(c, run.id, next_runs)});
  for (const RunRow& run : late_runs(c, asked))
    if (const std::size_t devices = tried_devices(c, run.id); devices > 0)
      into.caught_up.push_back({.customer_name = customer_name(c, run.customer),
                                .scheduled_for = run.scheduled_for,
                                .devices = devices,
                                .started_at = run.created_at});
  read_unstarted(c, asked, into);
}

void read_devices(Connection& c, const Asked& asked, const Schedules& settings, report::Input& into) {
  NextRuns next_runs{asked.now};
  const UtcTime cutoff = asked.as_of - days{strictest(settings.reports)};
  Statement row(c,
                "SELECT d.id, d.name, d.customer_id, c.name, d.enabled, d.created_ms, "
                "(SELECT b.taken_ms FROM backup b WHERE b.device_id = d.id AND b.taken_ms <= ?1 "
                "ORDER BY b.attempt_id DESC LIMIT 1) AS good FROM device d JOIN customer c ON "
                "c.id = d.customer_id WHERE " +
                    scope_of(asked, "d") +
                    " AND d.created_ms <= ?1 AND (d.enabled = 0 OR good IS NULL OR good < ?2)",
                asked.as_of, cutoff, asked.customer);
  while (row.step()) {
    Columns columns(row);
    report::Place place;
    place.device = columns.next<DeviceId>();
    place.name = columns.next<std::string>();
    place.customer = columns.next<CustomerId>();
    place.customer_name = columns.next<std::string>();
    const bool enabled = columns.next<bool>();
    const auto created = columns.next<UtcTime>();
    const auto good = columns.next<std::optional<UtcTime>>();
    const auto schedule = settings.schedules.in_force(place.customer, place.device);
    const int stale_after = settings.reports.in_force(place.customer, place.device).stale_after_days.value;
    if (!enabled) into.disabled.push_back({place, good});
    if (!good) {
      const auto next = enabled && schedule.enabled.value
                            ? next_runs.of(schedule.cron.value, schedule.timezone.value)
                            : std::nullopt;
      const auto added = created > UtcTime{} ? std::optional{created} : std::nullopt;
      into.never.push_back({place, added, enabled, next, false});
    } else if (*good < asked.as_of - days{stale_after}) {
      into.stale.push_back({place, *good, stale_after, enabled, schedule.enabled.value, false});
    }
  }
}

std::vector<report::Breaker> breakers(Connection& c, const Asked& asked) {
  std::vector<report::Breaker> all;
  Statement row(c,
                "SELECT c.id, c.name, b.opened_ms, b.was_open_ms, b.closed_ms FROM customer_breaker b "
                "JOIN customer c ON c.id = b.customer_id WHERE " +
                    scope_of(asked, "b") + " AND (b.opened_ms <= ?2 OR b.closed_ms > ?1)",
                asked.night.begin, asked.as_of, asked.customer);
  while (row.step()) {
    Columns columns(row);
    report::Breaker& breaker = all.emplace_back();
    breaker.customer = columns.next<CustomerId>();
    breaker.customer_name = columns.next<std::string>();
    breaker.opened_at = columns.next<std::optional<UtcTime>>();
    breaker.was_open = columns.next<std::optional<UtcTime>>();
    breaker.closed_at = columns.next<std::optional<UtcTime>>();
  }
  return all;
}

}  // namespace nightjar::store
