#include <nightjar/orchestrator/recovery.hpp>
#include <nightjar/orchestrator/telling.hpp>
#include <nightjar/store/breakers.hpp>
#include <nightjar/store/owner_lock.hpp>
#include <nightjar/store/series_book.hpp>

namespace nightjar::orchestrator {
namespace {

// Nobody will say how a probe went whose process died; the next one may go.
Result<void> forget_probe(store::Database& db, const store::SeriesRow& series) {
  store::BreakerBook book{db};
  auto row = book.of(series.customer);
  if (!row) return std::move(row).error();
  if (!row->breaker.probe || row->breaker.probe != series.id) return {};
  row->breaker = admission::recovered(row->breaker);
  return book.put(series.customer, *row);
}

// The attempt that ran when its process died ends as interrupted, and the series goes on as the state machine
// says.
Result<void> interrupt(store::Database& db, const store::SeriesBook::Orphan& orphan, UtcTime now,
                       const Dice& dice) {
  store::Inventory inventory{db};
  auto rule = inventory.retry_rule({rules::Level::device, {}, orphan.series.device});
  if (!rule) return std::move(rule).error();
  auto step =
      series::step(orphan.series.machine, series::event::Interrupted{}, rules::values(rule->rule), now, dice);
  if (!step) return std::move(step).error();

  store::AttemptEnd end;
  end.series = orphan.series.id;
  end.attempt = orphan.running->id;
  end.ended_at = now;
  end.outcome = series::Outcome::interrupted;
  end.failure =
      failure(FailureClass::local, Stage::none, "interrupted: the process that ran this attempt died");
  end.transport = orphan.running->transport;
  end.after = step->series;
  end.decision = {step->decision, std::move(*rule)};
  return db.atomically([&]() -> Result<void> {
    auto written = store::SeriesBook{db}.end_attempt(end);
    if (!written) return std::move(written).error();
    store::SeriesRow ended = orphan.series;
    ended.machine = end.after;
    ended.last_failure = end.failure;
    if (!series::is_open(end.after.state)) ended.ended_at = now;
    if (auto told = tell_end(db, ended, now); !told) return told;
    return forget_probe(db, orphan.series);
  });
}

}  // namespace

Result<std::size_t> recover_dead_owners(store::Database& db, const std::filesystem::path& data_folder,
                                        UtcTime now, const Dice& dice) {
  store::SeriesBook book{db};
  auto owners = book.owners();
  if (!owners) return std::move(owners).error();
  std::size_t interrupted = 0;
  for (const std::string& owner : *owners) {
    if (store::OwnerLock::is_alive(data_folder, owner)) continue;
    auto orphans = book.held_by(owner);
    if (!orphans) return std::move(orphans).error();
    for (const auto& orphan : *orphans) {
      if (!orphan.running) continue;
      const auto done = interrupt(db, orphan, now, dice);
      if (done) ++interrupted;
      // Class setup: another process has recovered this one in the meantime.
      if (!done && done.error().failure_class != FailureClass::setup) return done.error();
    }
    if (auto released = book.release(owner); !released) return std::move(released).error();
  }
  return interrupted;
}

}  // namespace nightjar::orchestrator
