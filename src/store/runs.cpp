#include "store/connection.hpp"

#include <nightjar/store/runs.hpp>

#include <fmt/format.h>

#include <string>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

std::optional<RunKind> parse_kind(std::string_view text) {
  for (const RunKind kind : {RunKind::on_time, RunKind::late, RunKind::missed})
    if (to_text(kind) == text) return kind;
  return std::nullopt;
}

constexpr std::string_view select_run =
    "SELECT r.id, r.customer_id, c.name, r.scheduled_for_ms, r.created_ms, r.kind, r.opened_to FROM run r "
    "JOIN customer c ON c.id = r.customer_id ";

Run read_run(const Statement& row) {
  Columns columns(row);
  Run run;
  run.id = columns.next<RunId>();
  run.customer = columns.next<CustomerId>();
  run.customer_name = columns.next<std::string>();
  run.scheduled_for = columns.next<UtcTime>();
  run.created_at = columns.next<UtcTime>();
  run.kind = columns.next_named(parse_kind);
  run.opened_to = columns.next<std::optional<DeviceId>>();
  return run;
}

RunTally tally(Connection& c, Run run) {
  RunTally tally{.run = std::move(run)};
  Statement row(c,
                "SELECT count(*), sum(ended_ms IS NULL), sum(state = 'succeeded'), "
                "sum(state = 'succeeded' AND counted > 0), sum(state = 'failed'), sum(state = 'cancelled'), "
                "sum(state = 'missed') FROM series WHERE run_id = ?1",
                tally.run.id);
  if (!row.step()) return tally;
  Columns columns(row);
  for (std::size_t* count : {&tally.series, &tally.open, &tally.succeeded, &tally.recovered, &tally.failed,
                             &tally.cancelled, &tally.missed})
    *count = columns.next<std::size_t>();
  return tally;
}

// What a database's constraint meant, in words; rethrows what is none of the caller's doing.
Failure refused(CustomerId customer, const DatabaseFault& fault) {
  if (fault.is_dangling()) return setup_failure(fmt::format("customer {} does not exist", customer.value));
  throw fault;
}

}  // namespace

std::string_view to_text(RunKind kind) {
  switch (kind) {
    case RunKind::on_time:
      return "on_time";
    case RunKind::late:
      return "late";
    case RunKind::missed:
      break;
  }
  return "missed";
}

Result<std::vector<RunBook::Handled>> RunBook::handled() {
  return reading(db_, [](Connection& c) -> Result<std::vector<Handled>> {
    std::vector<Handled> all;
    Statement row(c, "SELECT customer_id, cron, timezone, handled_ms FROM schedule_handled");
    while (row.step()) {
      Columns columns(row);
      Handled& handled = all.emplace_back();
      handled.customer = columns.next<CustomerId>();
      handled.schedule.cron = columns.next<std::string>();
      handled.schedule.timezone = columns.next<std::string>();
      handled.until = columns.next<UtcTime>();
    }
    return all;
  });
}

Result<void> RunBook::set_handled(const Handled& handled) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    try {
      c.run(
          "INSERT INTO schedule_handled (customer_id, cron, timezone, handled_ms) VALUES (?1, ?2, ?3, ?4) "
          "ON CONFLICT (customer_id, cron, timezone) DO UPDATE SET handled_ms = excluded.handled_ms",
          handled.customer, handled.schedule.cron, handled.schedule.timezone, handled.until);
    } catch (const DatabaseFault& fault) {
      return refused(handled.customer, fault);
    }
    return {};
  });
}

Result<void> RunBook::forget_handled(CustomerId customer, const ScheduleKey& schedule) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run("DELETE FROM schedule_handled WHERE customer_id = ?1 AND cron = ?2 AND timezone = ?3", customer,
          schedule.cron, schedule.timezone);
    return {};
  });
}

Result<RunId> RunBook::add(CustomerId customer, UtcTime scheduled_for, RunKind kind,
                           const ScheduleKey& schedule, UtcTime now) {
  return writing(db_, [&](Connection& c) -> Result<RunId> {
    try {
      c.run(
          "INSERT INTO run (customer_id, scheduled_for_ms, created_ms, kind, opened_to) "
          "VALUES (?1, ?2, ?3, ?4, 0) "
          "ON CONFLICT (customer_id, scheduled_for_ms) DO UPDATE SET opened_to = 0",
          customer, scheduled_for, now, to_text(kind));
    } catch (const DatabaseFault& fault) {
      return refused(customer, fault);
    }
    RunId id;
    {
      Statement row(c, "SELECT id FROM run WHERE customer_id = ?1 AND scheduled_for_ms = ?2", customer,
                    scheduled_for);
      row.step();
      id = Columns(row).next<RunId>();
    }
    c.run("INSERT OR IGNORE INTO run_schedule (run_id, cron, timezone, kind) VALUES (?1, ?2, ?3, ?4)", id,
          schedule.cron, schedule.timezone, to_text(kind));
    return id;
  });
}

Result<std::vector<Run>> RunBook::unfinished() {
  return reading(db_, [](Connection& c) -> Result<std::vector<Run>> {
    static const std::string sql{std::string{select_run} + "WHERE r.opened_to IS NOT NULL ORDER BY r.id"};
    std::vector<Run> runs;
    Statement row(c, sql);
    while (row.step()) runs.push_back(read_run(row));
    return runs;
  });
}

Result<std::vector<RunBook::Fired>> RunBook::schedules(RunId id) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Fired>> {
    std::vector<Fired> all;
    Statement row(c, "SELECT cron, timezone, kind FROM run_schedule WHERE run_id = ?1", id);
    while (row.step()) {
      Columns columns(row);
      Fired& fired = all.emplace_back();
      fired.schedule.cron = columns.next<std::string>();
      fired.schedule.timezone = columns.next<std::string>();
      fired.kind = columns.next_named(parse_kind);
    }
    return all;
  });
}

Result<std::vector<RunBook::Candidate>> RunBook::candidates(const Run& run, DeviceId after,
                                                            std::size_t most) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Candidate>> {
    std::vector<Candidate> all;
    Statement row(
        c,
        "SELECT d.id, EXISTS (SELECT 1 FROM series o WHERE o.run_id = ?1 AND o.device_id = d.id), "
        "(SELECT max(s.id) FROM series s WHERE s.device_id = d.id AND s.ended_ms IS NULL) "
        "FROM device d WHERE d.customer_id = ?2 AND d.id > ?3 AND d.enabled = 1 AND d.created_ms <= ?4 "
        "ORDER BY d.id LIMIT ?5",
        run.id, run.customer, after, run.scheduled_for, most);
    while (row.step()) {
      Columns columns(row);
      Candidate& candidate = all.emplace_back();
      candidate.device = columns.next<DeviceId>();
      candidate.in_run = columns.next<bool>();
      candidate.open = columns.next<std::optional<SeriesId>>();
    }
    return all;
  });
}

Result<void> RunBook::open_series(const Run& run, RunKind kind, const std::vector<DeviceId>& devices,
                                  UtcTime now) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    const bool missed = kind == RunKind::missed;
    const auto due = missed ? std::nullopt : std::optional{now};
    const auto ended = missed ? std::optional{now} : std::nullopt;
    // One statement for all: each of them would look up and write the newest id again.
    std::vector<std::int64_t> ids;
    ids.reserve(devices.size());
    for (const DeviceId device : devices) ids.push_back(device.value);
    c.run(
        "INSERT INTO series (device_id, customer_id, run_id, cause, state, scheduled_for_ms, "
        "window_start_ms, due_ms, attempts, counted, interruptions, previous_wait_ms, overtaken, "
        "cancel_requested, ended_ms) "
        "SELECT value, ?2, ?3, 'schedule', ?4, ?5, ?5, ?6, 0, 0, 0, 0, 0, 0, ?7 FROM json_each(?1)",
        fmt::format("[{}]", fmt::join(ids, ",")), run.customer, run.id, missed ? "missed" : "pending",
        run.scheduled_for, due, ended);
    return {};
  });
}

Result<void> RunBook::set_opened_to(RunId id, std::optional<DeviceId> device) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run("UPDATE run SET opened_to = ?2 WHERE id = ?1", id, device);
    return {};
  });
}

Result<std::vector<RunTally>> RunBook::list(std::optional<CustomerId> customer, std::size_t limit) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<RunTally>> {
    static const std::string of_all{std::string{select_run} +
                                    "ORDER BY r.scheduled_for_ms DESC, r.id DESC LIMIT ?1"};
    static const std::string of_one{std::string{select_run} +
                                    "WHERE r.customer_id = ?2 ORDER BY r.scheduled_for_ms DESC LIMIT ?1"};
    std::vector<Run> runs;
    {
      if (customer) {
        Statement row(c, of_one, limit, *customer);
        while (row.step()) runs.push_back(read_run(row));
      } else {
        Statement row(c, of_all, limit);
        while (row.step()) runs.push_back(read_run(row));
      }
    }
    std::vector<RunTally> tallies;
    for (Run& run : runs) tallies.push_back(tally(c, std::move(run)));
    return tallies;
  });
}

}  // namespace nightjar::store
