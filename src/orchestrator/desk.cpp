#include "orchestrator/desk.hpp"

namespace nightjar::orchestrator {

Desk::Desk(const Site& site, std::string owner, Dice dice)
    : clock_(site.clock),
      planner_(site.vault, site.drivers),
      owner_(std::move(owner)),
      dice_(std::move(dice)) {}

Result<Started> Desk::start(store::Database& db, store::SeriesRow row, UtcTime now) {
  store::Inventory inventory{db};
  auto rule = inventory.retry_rule({rules::Level::device, {}, row.device});
  if (!rule) return std::move(rule).error();
  auto device = inventory.device(row.device);
  if (!device) return std::move(device).error();

  const auto before = row.machine;
  auto step = series::step(before, series::event::Start{}, rules::values(rule->rule), now, dice_);
  if (!step) return std::move(step).error();
  const auto queued = std::max(Milliseconds{0}, now - before.due.value_or(now));
  auto attempt = store::SeriesBook{db}.begin_attempt(row.id, step->series, queued, now, owner_);
  if (!attempt) return std::move(attempt).error();

  Started started;
  started.series = std::move(row);
  started.series.machine = step->series;
  started.attempt = *attempt;
  started.was_waiting = before.state == series::State::retry_wait;
  started.timeout = rule->rule.attempt_timeout.value;
  auto plan = planner_.plan(db, *device);
  if (plan)
    started.plan = std::move(*plan);
  else
    started.unplanned = std::move(plan).error();
  return started;
}

Result<Batch> Desk::start_due(store::Database& db, Slots slots) {
  store::SeriesBook book{db};
  const UtcTime now = clock_.now();
  const bool none_runs = slots.in_use.empty();
  Batch batch;
  // Series of a customer without a free slot are passed over; the window grows until the slots are dealt or
  // nothing more is due.
  for (std::size_t window = slots.free; slots.free > 0; window *= 4) {
    auto due = book.due(owner_, now, window);
    if (!due) return std::move(due).error();
    batch.held_back = false;
    for (auto& row : *due) {
      if (slots.free == 0) break;
      int& in_use = slots.in_use[row.customer_name];
      if (in_use >= slots.per_customer) {
        batch.held_back = true;
        continue;
      }
      auto started = start(db, std::move(row), now);
      if (!started && started.error().failure_class == FailureClass::setup) {
        batch.held_back = true;  // another process was quicker with this device
        continue;
      }
      if (!started) return std::move(started).error();
      batch.started.push_back(std::move(*started));
      ++in_use;
      --slots.free;
    }
    if (due->size() < window) break;
  }
  auto next = book.next_due(owner_);
  if (!next) return std::move(next).error();
  batch.next_due = *next;
  if (none_runs && batch.started.empty()) {
    auto open = book.count_open(owner_);
    if (!open) return std::move(open).error();
    batch.open = *open;
  }
  return batch;
}

Result<Finished> Desk::finish(store::Database& db, SeriesId series, AttemptId attempt, Ended ended) {
  store::SeriesBook book{db};
  auto row = book.find(series);
  if (!row) return std::move(row).error();
  auto rule = store::Inventory{db}.retry_rule({rules::Level::device, {}, row->device});
  if (!rule) return std::move(rule).error();

  const UtcTime now = clock_.now();
  series::Event event = series::event::Interrupted{};
  if (ended.outcome == series::Outcome::success) event = series::event::Succeeded{};
  if (ended.outcome == series::Outcome::failure) event = series::event::Failed{ended.failure->failure_class};
  auto step = series::step(row->machine, event, rules::values(rule->rule), now, dice_);
  if (!step) return std::move(step).error();

  store::AttemptEnd end;
  end.series = series;
  end.attempt = attempt;
  end.ended_at = now;
  end.outcome = ended.outcome;
  end.failure = std::move(ended.failure);
  end.transport = std::move(ended.transport);
  end.after = step->series;
  end.decision = {step->decision, std::move(*rule)};
  end.backup = std::move(ended.backup);
  end.evidence = std::move(ended.evidence);
  end.host_key = std::move(ended.host_key);
  auto kept = book.end_attempt(end);
  if (!kept) return std::move(kept).error();

  Finished finished{std::move(*row), step->decision, std::move(*kept)};
  finished.series.machine = step->series;
  finished.series.last_failure = std::move(end.failure);
  finished.series.transport = std::move(end.transport);
  if (!series::is_open(step->series.state)) finished.series.ended_at = now;
  return finished;
}

}  // namespace nightjar::orchestrator
