// The series of a night: counted where all is well, one by one where not.
#include "store/night_rows.hpp"

#include "store/rule_text.hpp"

#include <nightjar/admission/evidence.hpp>
#include <nightjar/series/series.hpp>

#include <unordered_map>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;
using report::Evidence;
using series::State;

constexpr std::chrono::hours hour{1};

void add(report::Hour& into, State state, bool repaired, std::size_t count) {
  switch (state) {
    case State::succeeded:
      into.backed_up += count;
      if (repaired) into.repaired += count;
      return;
    case State::failed:
      into.failed += count;
      return;
    case State::cancelled:
      into.cancelled += count;
      return;
    case State::missed:
      into.missed += count;
      return;
    case State::pending:
    case State::running:
    case State::retry_wait:
      return;
  }
}

void add(report::Counts& into, State state, bool repaired, std::size_t count) {
  switch (state) {
    case State::succeeded:
      into.backed_up += count;
      if (repaired) into.repaired += count;
      return;
    case State::failed:
      into.failed += count;
      return;
    case State::cancelled:
      into.cancelled += count;
      return;
    case State::missed:
      into.missed += count;
      return;
    case State::pending:
      into.pending += count;
      return;
    case State::running:
      into.running += count;
      return;
    case State::retry_wait:
      into.retrying += count;
      return;
  }
}

std::size_t count(Connection& c, const Asked& asked, const std::string& sql) {
  Statement row(c, sql, asked.night.begin, asked.night.end, asked.customer);
  return row.step() ? Columns(row).next<std::size_t>() : 0;
}

// The attempt that a series failed by; an attempt that was interrupted later has no failure.
constexpr std::string_view last_failure =
    "LEFT JOIN attempt f ON f.id = (SELECT a.id FROM attempt a WHERE a.series_id = s.id "
    "AND a.failure_class IS NOT NULL ORDER BY a.number DESC LIMIT 1) ";
constexpr std::string_view failing_columns =
    "s.device_id, s.customer_id, coalesce(d.credential_id, 0), s.scheduled_for_ms, s.ended_ms, "
    "f.held_ms > 0 OR f.held_by IS 'customer_breaker', f.failure_class, f.stage, f.transport, ";

Evidence evidence_of(const std::optional<Failure>& failure, std::string_view transport) {
  if (!failure) return Evidence::none;
  // No transport: the attempt was not made.
  if (failure->failure_class == FailureClass::auth && transport.empty()) return Evidence::refused;
  if (admission::login_of(failure) == admission::Login::rejected) return Evidence::rejected;
  return admission::contact_of(failure) == admission::Contact::unreachable ? Evidence::unreachable
                                                                           : Evidence::none;
}

struct Read {
  report::Failing failing;
  std::optional<Failure> failure;  // without its reason
  std::string transport;
};

Read read_failing(Columns& columns) {
  Read read;
  read.failing.device = columns.next<DeviceId>();
  read.failing.customer = columns.next<CustomerId>();
  read.failing.credential = columns.next<CredentialId>();
  read.failing.scheduled_for = columns.next<UtcTime>();
  read.failing.ended_at = columns.next<UtcTime>();
  read.failing.held = columns.next<bool>();
  const auto failure_class = columns.next_named_or_null(parse_failure_class);
  const auto stage = columns.next_named_or_null(parse_stage);
  read.transport = columns.next<std::string>();
  if (failure_class) read.failure = failure(*failure_class, stage.value_or(Stage::none), "");
  read.failing.evidence = evidence_of(read.failure, read.transport);
  return read;
}

// Few rules are in force in a night.
class Allowed {
 public:
  explicit Allowed(Connection& c) : c_(c) {}
  int of(std::optional<std::int64_t> rule_id) {
    if (!rule_id) return 0;
    const auto known = known_.find(*rule_id);
    if (known != known_.end()) return known->second;
    Statement row(c_, "SELECT rule FROM rule_in_force WHERE id = ?1", *rule_id);
    if (!row.step()) c_.fail(SQLITE_CORRUPT);
    const auto rule = read_rule(Columns(row).next<std::string>());
    if (!rule) c_.fail(SQLITE_CORRUPT);
    return known_[*rule_id] = rule->rule.attempts.value;
  }

 private:
  Connection& c_;
  std::unordered_map<std::int64_t, int> known_;
};

std::optional<UtcTime> last_good(Connection& c, DeviceId device, UtcTime until) {
  Statement row(c,
                "SELECT taken_ms FROM backup WHERE device_id = ?1 AND taken_ms <= ?2 "
                "ORDER BY attempt_id DESC LIMIT 1",
                device, until);
  if (!row.step()) return std::nullopt;
  return Columns(row).next<UtcTime>();
}

// Since when the device fails: its first failed series after the last good copy before this one.
UtcTime failing_since(Connection& c, const report::Failing& failing) {
  const auto good = last_good(c, failing.device, failing.scheduled_for);
  Statement row(c,
                "SELECT scheduled_for_ms FROM series WHERE device_id = ?1 AND scheduled_for_ms > ?2 "
                "AND scheduled_for_ms <= ?3 AND state = 'failed' ORDER BY scheduled_for_ms LIMIT 1",
                failing.device, good.value_or(UtcTime::min()), failing.scheduled_for);
  return row.step() ? Columns(row).next<UtcTime>() : failing.scheduled_for;
}

}  // namespace

std::string scope_of(const Asked& asked, std::string_view alias) {
  return asked.customer ? fmt::format("{}.customer_id = ?3", alias) : "?3 IS NULL";
}

std::string in_night(const Asked& asked) {
  return scope_of(asked, "s") + " AND s.scheduled_for_ms > ?1 AND s.scheduled_for_ms <= ?2";
}

Tally tally(Connection& c, const Asked& asked, Milliseconds offset) {
  Tally tally;
  std::map<std::int64_t, report::Hour> hours;
  {
    // What ended after the report's time counts in its last hour.
    Statement row(c,
                  "SELECT (min(max(s.ended_ms, ?1), ?2 - 1) + ?4) / 3600000, s.state, s.counted > 0, "
                  "CASE WHEN s.state = 'missed' THEN s.run_id END, count(*) FROM series s WHERE " +
                      in_night(asked) + " GROUP BY 1, 2, 3, 4",
                  asked.night.begin, asked.night.end, asked.customer, offset);
    while (row.step()) {
      Columns columns(row);
      const auto index = columns.next<std::optional<std::int64_t>>();
      const auto state = columns.next_named(series::parse_state);
      const bool repaired = columns.next<bool>();
      const auto run = columns.next<std::optional<RunId>>();
      const auto count = columns.next<std::size_t>();
      add(tally.counts, state, repaired, count);
      if (run) tally.missed[*run] += count;
      if (index) add(hours[*index], state, repaired, count);
    }
  }
  for (auto& [index, counts] : hours) {
    counts.begin = UtcTime{index * hour} - offset;
    tally.hours.push_back(counts);
  }
  tally.counts.devices =
      count(c, asked, "SELECT count(DISTINCT s.device_id) FROM series s WHERE " + in_night(asked));
  if (tally.counts.backed_up > 0)
    tally.counts.changed = count(
        c, asked,
        "SELECT count(*) FROM series s CROSS JOIN attempt a ON a.series_id = s.id AND a.number = s.attempts "
        "CROSS JOIN backup b ON b.attempt_id = a.id AND b.changed = 1 WHERE s.state = 'succeeded' AND " +
            in_night(asked));
  return tally;
}

std::vector<report::FailedDevice> failed_devices(Connection& c, const Asked& asked) {
  std::vector<report::FailedDevice> devices;
  Allowed allowed{c};
  {
    Statement row(
        c,
        fmt::format("SELECT {}s.id, d.name, c.name, s.ended_as, s.counted, f.reason, f.rule_id, "
                    "coalesce((SELECT kc.name || '/' FROM customer kc WHERE kc.id = k.customer_id), '') || "
                    "k.name FROM series s INDEXED BY series_failed JOIN device d ON d.id = s.device_id "
                    "JOIN customer c ON c.id = s.customer_id {}LEFT JOIN credential k ON k.id = "
                    "d.credential_id WHERE s.state = 'failed' AND {} "
                    "ORDER BY s.device_id, s.scheduled_for_ms DESC, s.id DESC",
                    failing_columns, last_failure, in_night(asked)),
        asked.night.begin, asked.night.end, asked.customer);
    while (row.step()) {
      Columns columns(row);
      Read read = read_failing(columns);
      const auto id = columns.next<SeriesId>();
      if (!devices.empty() && devices.back().place.device == read.failing.device) {
        devices.back().earlier.push_back(id);
        continue;
      }
      report::FailedDevice& device = devices.emplace_back();
      device.failing = read.failing;
      device.failure = std::move(read.failure);
      device.transport = std::move(read.transport);
      device.series = id;
      device.place.device = read.failing.device;
      device.place.customer = read.failing.customer;
      device.place.name = columns.next<std::string>();
      device.place.customer_name = columns.next<std::string>();
      device.end = columns.next_named(series::parse_end);
      device.tries = columns.next<int>();
      auto reason = columns.next<std::string>();
      if (device.failure) device.failure->reason = std::move(reason);
      device.allowed = allowed.of(columns.next<std::optional<std::int64_t>>());
      device.credential_name = columns.next<std::string>();
    }
  }
  for (report::FailedDevice& device : devices) {
    device.last_good = last_good(c, device.place.device, asked.as_of);
    device.since = failing_since(c, device.failing);
  }
  return devices;
}

std::vector<report::Failing> failures(Connection& c, const Asked& asked, UtcTime from) {
  std::vector<report::Failing> all;
  Statement row(c,
                fmt::format("SELECT {}0 FROM series s INDEXED BY series_failed JOIN device d ON d.id = "
                            "s.device_id {}WHERE s.state = 'failed' AND {}",
                            failing_columns, last_failure, in_night(asked)),
                from, asked.night.end, asked.customer);
  while (row.step()) {
    Columns columns(row);
    all.push_back(read_failing(columns).failing);
  }
  return all;
}

std::vector<report::Retrying> retrying(Connection& c, const Asked& asked) {
  std::vector<report::Retrying> all;
  Allowed allowed{c};
  Statement row(
      c,
      fmt::format("SELECT {}s.id, d.name, c.name, s.counted, f.reason, f.rule_id, s.due_ms FROM series s "
                  "INDEXED BY series_open JOIN device d ON d.id = s.device_id "
                  "JOIN customer c ON c.id = s.customer_id {}"
                  "WHERE s.ended_ms IS NULL AND s.state = 'retry_wait' AND {} ORDER BY s.due_ms, s.id",
                  failing_columns, last_failure, in_night(asked)),
      asked.night.begin, asked.night.end, asked.customer);
  while (row.step()) {
    Columns columns(row);
    Read read = read_failing(columns);
    report::Retrying& series = all.emplace_back();
    series.place.device = read.failing.device;
    series.place.customer = read.failing.customer;
    series.failure = std::move(read.failure);
    series.series = columns.next<SeriesId>();
    series.place.name = columns.next<std::string>();
    series.place.customer_name = columns.next<std::string>();
    series.tries = columns.next<int>();
    auto reason = columns.next<std::string>();
    if (series.failure) series.failure->reason = std::move(reason);
    series.allowed = allowed.of(columns.next<std::optional<std::int64_t>>());
    series.next_at = columns.next<UtcTime>();
  }
  return all;
}

std::vector<report::CancelledSeries> cancelled(Connection& c, const Asked& asked) {
  std::vector<report::CancelledSeries> all;
  Statement row(
      c,
      "SELECT s.id, s.device_id, d.name, s.customer_id, c.name, s.ended_ms, s.attempts FROM series s "
      "JOIN device d ON d.id = s.device_id JOIN customer c ON c.id = s.customer_id "
      "WHERE s.state = 'cancelled' AND " +
          in_night(asked),
      asked.night.begin, asked.night.end, asked.customer);
  while (row.step()) {
    Columns columns(row);
    report::CancelledSeries& series = all.emplace_back();
    series.series = columns.next<SeriesId>();
    series.place.device = columns.next<DeviceId>();
    series.place.name = columns.next<std::string>();
    series.place.customer = columns.next<CustomerId>();
    series.place.customer_name = columns.next<std::string>();
    series.at = columns.next<UtcTime>();
    series.attempts = columns.next<int>();
  }
  return all;
}

}  // namespace nightjar::store
