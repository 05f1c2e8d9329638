#include "store/series_rows.hpp"

#include "store/compression.hpp"
#include "store/rule_text.hpp"

#include <fmt/format.h>

namespace nightjar::store {
namespace {

std::optional<series::Action> parse_action(std::string_view text) {
  using series::Action;
  for (const Action action : {Action::run, Action::retry, Action::end, Action::wait})
    if (series::to_text(action) == text) return action;
  return std::nullopt;
}

std::optional<HeldBy> parse_held_by(std::string_view text) {
  for (const HeldBy by : {HeldBy::customer_breaker, HeldBy::credential_breaker, HeldBy::retry_budget})
    if (to_text(by) == text) return by;
  return std::nullopt;
}

// Class, stage and reason, in this order; none when the class is NULL.
std::optional<Failure> read_failure(Columns& columns) {
  const auto failure_class = columns.next_named_or_null(parse_failure_class);
  const auto stage = columns.next_named_or_null(parse_stage);
  auto reason = columns.next<std::string>();
  if (!failure_class) return std::nullopt;
  return failure(*failure_class, stage.value_or(Stage::none), std::move(reason));
}

AttemptRow read_attempt(const Statement& row) {
  Columns columns(row);
  AttemptRow attempt;
  attempt.id = columns.next<AttemptId>();
  attempt.number = columns.next<int>();
  attempt.queued = columns.next<Milliseconds>();
  attempt.held = columns.next<Milliseconds>();
  attempt.held_by = columns.next_named_or_null(parse_held_by);
  attempt.started_at = columns.next<UtcTime>();
  attempt.ended_at = columns.next<std::optional<UtcTime>>();
  attempt.outcome = columns.next_named_or_null(series::parse_outcome);
  attempt.failure = read_failure(columns);
  attempt.transport = columns.next<std::string>();
  if (const auto action = columns.next_named_or_null(parse_action)) {
    DecisionRow& decided = attempt.decision.emplace();
    decided.decision.action = *action;
    decided.decision.wait = columns.next<Milliseconds>();
    decided.decision.jitter = columns.next<Milliseconds>();
    decided.decision.next_attempt_at = columns.next<std::optional<UtcTime>>();
    auto rule = read_rule(columns.next<std::string>());
    if (!rule) row.connection().fail(SQLITE_CORRUPT);
    decided.rule = std::move(*rule);
    if (const auto packed = columns.next<std::optional<std::string>>(); packed && attempt.failure) {
      auto transcript = unpack(*packed);
      if (!transcript) row.connection().fail(SQLITE_CORRUPT);
      attempt.failure->transcript_tail = std::move(*transcript);
    }
  }
  return attempt;
}

}  // namespace

std::string_view to_text(HeldBy by) {
  switch (by) {
    case HeldBy::customer_breaker:
      return "customer_breaker";
    case HeldBy::credential_breaker:
      return "credential_breaker";
    case HeldBy::retry_budget:
      break;
  }
  return "retry_budget";
}

std::optional<std::string_view> owner_or_null(std::string_view owner) {
  if (owner.empty()) return std::nullopt;
  return owner;
}

std::string select_series(std::string_view rest) {
  return fmt::format(
      "SELECT s.id, s.device_id, s.customer_id, c.name, d.name, s.run_id, s.cause, s.state, s.ended_as, "
      "s.scheduled_for_ms, "
      "s.window_start_ms, "
      "s.due_ms, s.attempts, s.counted, s.interruptions, s.previous_wait_ms, s.overtaken, "
      "s.cancel_requested, f.failure_class, "
      "f.stage, f.reason, "
      "(SELECT a.transport FROM attempt a WHERE a.series_id = s.id ORDER BY a.number DESC LIMIT 1), "
      "s.started_ms, s.ended_ms, s.held_ms, s.owner, s.lease_until_ms "
      "FROM series s JOIN device d ON d.id = s.device_id JOIN customer c ON c.id = s.customer_id "
      "LEFT JOIN attempt f ON f.id = (SELECT a.id FROM attempt a WHERE a.series_id = s.id AND "
      "a.failure_class IS NOT NULL "
      "ORDER BY a.number DESC LIMIT 1) {}",
      rest);
}

SeriesRow read_series(const Statement& row) {
  Columns columns(row);
  SeriesRow out;
  out.id = columns.next<SeriesId>();
  out.device = columns.next<DeviceId>();
  out.customer = columns.next<CustomerId>();
  out.customer_name = columns.next<std::string>();
  out.device_name = columns.next<std::string>();
  out.run = columns.next<std::optional<RunId>>();
  out.trigger = columns.next_named(series::parse_trigger);
  series::Series& machine = out.machine;
  machine.state = columns.next_named(series::parse_state);
  machine.end = columns.next_named_or_null(series::parse_end);
  machine.scheduled_for = columns.next<UtcTime>();
  machine.window_start = columns.next<UtcTime>();
  machine.due = columns.next<std::optional<UtcTime>>();
  machine.attempts = columns.next<int>();
  machine.counted = columns.next<int>();
  machine.interruptions = columns.next<int>();
  machine.previous_wait = columns.next<Milliseconds>();
  machine.overtaken = columns.next<bool>();
  machine.cancel_requested = columns.next<bool>();
  out.last_failure = read_failure(columns);
  out.transport = columns.next<std::string>();
  out.started_at = columns.next<std::optional<UtcTime>>();
  out.ended_at = columns.next<std::optional<UtcTime>>();
  out.held = columns.next<Milliseconds>();
  out.owner = columns.next<std::string>();
  out.lease_until = columns.next<std::optional<UtcTime>>();
  return out;
}

std::optional<Standing> standing(Database::Connection& c, SeriesId id) {
  Statement row(c, "SELECT device_id, state, owner FROM series WHERE id = ?1", id);
  if (!row.step()) return std::nullopt;
  Columns columns(row);
  Standing out;
  out.device = columns.next<DeviceId>();
  out.state = columns.next_named(series::parse_state);
  out.owner = columns.next<std::string>();
  return out;
}

void write_series(Database::Connection& c, SeriesId id, const series::Series& machine, UtcTime now,
                  bool keep_claim, std::optional<Claim> claimed_by) {
  const auto ended_as = machine.end ? std::optional{series::to_text(*machine.end)} : std::nullopt;
  const auto ended_at = series::is_open(machine.state) ? std::nullopt : std::optional{now};
  const bool claimed = machine.state == series::State::running || (keep_claim && !ended_at);
  const auto started_at = machine.state == series::State::running ? std::optional{now} : std::nullopt;
  const auto owner = claimed_by ? std::optional{claimed_by->owner} : std::nullopt;
  const auto until = claimed_by ? std::optional{claimed_by->until} : std::nullopt;
  c.run(
      "UPDATE series SET state = ?2, ended_as = ?3, window_start_ms = ?4, due_ms = ?5, attempts = ?6, "
      "counted = ?7, interruptions = ?8, previous_wait_ms = ?9, overtaken = ?10, cancel_requested = ?11, "
      "ended_ms = ?12, started_ms = coalesce(started_ms, ?13), "
      "owner = CASE WHEN ?14 THEN coalesce(?15, owner) END, "
      "lease_until_ms = CASE WHEN ?14 THEN coalesce(?16, lease_until_ms) END WHERE id = ?1",
      id, series::to_text(machine.state), ended_as, machine.window_start, machine.due, machine.attempts,
      machine.counted, machine.interruptions, machine.previous_wait, machine.overtaken,
      machine.cancel_requested, ended_at, started_at, claimed, owner, until);
}

std::vector<AttemptRow> read_attempts(Database::Connection& c, SeriesId id) {
  std::vector<AttemptRow> attempts;
  Statement row(c,
                "SELECT attempt.id, number, queued_ms, held_ms, held_by, started_ms, ended_ms, outcome, "
                "failure_class, stage, reason, "
                "transport, action, "
                "wait_ms, jitter_ms, next_attempt_ms, rule, transcript FROM attempt "
                "LEFT JOIN rule_in_force ON rule_in_force.id = rule_id WHERE series_id = ?1 ORDER BY number",
                id);
  while (row.step()) attempts.push_back(read_attempt(row));
  return attempts;
}

Failure unknown_series(SeriesId id) {
  return setup_failure(fmt::format("series {} does not exist", id.value));
}

}  // namespace nightjar::store
