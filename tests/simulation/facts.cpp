#include "simulation/facts.hpp"

namespace nightjar::simulation {

using store::Columns;
using store::Statement;

std::optional<SeriesFact> read_series(store::Database::Connection& c, SeriesId id) {
  Statement row(c,
                "SELECT id, device_id, customer_id, run_id, cause, state, ended_as, scheduled_for_ms, "
                "window_start_ms, due_ms, ended_ms, attempts, counted, interruptions, overtaken, "
                "cancel_requested, held_ms, owner FROM series WHERE id = ?1",
                id);
  if (!row.step()) return std::nullopt;
  Columns columns(row);
  SeriesFact fact;
  fact.id = columns.next<SeriesId>();
  fact.device = columns.next<DeviceId>();
  fact.customer = columns.next<CustomerId>();
  fact.run = columns.next<std::optional<RunId>>();
  fact.cause = columns.next<std::string>();
  fact.state = columns.next<std::string>();
  fact.ended_as = columns.next<std::string>();
  fact.scheduled_for = columns.next<UtcTime>();
  fact.window_start = columns.next<UtcTime>();
  fact.due = columns.next<std::optional<UtcTime>>();
  fact.ended = columns.next<std::optional<UtcTime>>();
  fact.attempts = columns.next<int>();
  fact.counted = columns.next<int>();
  fact.interruptions = columns.next<int>();
  fact.overtaken = columns.next<bool>();
  fact.cancel_requested = columns.next<bool>();
  fact.held = columns.next<Milliseconds>();
  fact.owner = columns.next<std::string>();
  return fact;
}

std::vector<AttemptFact> read_attempts(store::Database::Connection& c, SeriesId id, int from_number) {
  std::vector<AttemptFact> facts;
  Statement row(c,
                "SELECT id, number, held_by, started_ms, ended_ms, outcome, failure_class, stage, reason, "
                "transport, action, wait_ms, next_attempt_ms, rule_id, "
                "(SELECT count(*) FROM backup WHERE attempt_id = attempt.id) "
                "FROM attempt WHERE series_id = ?1 AND number >= ?2 ORDER BY number",
                id, from_number);
  while (row.step()) {
    Columns columns(row);
    AttemptFact& fact = facts.emplace_back();
    fact.series = id;
    fact.id = columns.next<AttemptId>();
    fact.number = columns.next<int>();
    fact.held_by = columns.next<std::string>();
    fact.started = columns.next<UtcTime>();
    fact.ended = columns.next<std::optional<UtcTime>>();
    fact.outcome = columns.next<std::string>();
    fact.failure_class = columns.next<std::string>();
    fact.stage = columns.next<std::string>();
    fact.reason = columns.next<std::string>();
    fact.transport = columns.next<std::string>();
    fact.action = columns.next<std::string>();
    fact.wait = columns.next<Milliseconds>();
    fact.next = columns.next<std::optional<UtcTime>>();
    fact.rule = columns.next<std::int64_t>();
    fact.backups = columns.next<std::size_t>();
  }
  return facts;
}

std::optional<SeriesId> series_of(store::Database::Connection& c, AttemptId id) {
  Statement row(c, "SELECT series_id FROM attempt WHERE id = ?1", id);
  if (!row.step()) return std::nullopt;
  return Columns(row).next<SeriesId>();
}

}  // namespace nightjar::simulation
