// What the dispatcher tells its listener: events after they were committed.
#include "orchestrator/dispatcher.hpp"

namespace nightjar::orchestrator {
namespace {

Event event_of(EventKind kind, const store::SeriesRow& row, UtcTime now) {
  Event e;
  e.kind = kind;
  e.at = now;
  e.customer = row.customer_name;
  e.device = row.device_name;
  e.series = row.id;
  e.attempt = row.machine.attempts;
  e.state = row.machine.state;
  e.transport = row.transport;
  return e;
}

}  // namespace

void Dispatcher::tell_started(const Started& started) {
  Event e = event_of(EventKind::attempt_started, started.series, site_.clock.now());
  e.transport = "ssh";
  told_.event(e);
}

void Dispatcher::tell_ended(const Started& started, const Finished& finished, series::Outcome outcome,
                            Milliseconds took) {
  const auto& machine = finished.series.machine;
  Event e = event_of(EventKind::attempt_ended, finished.series, site_.clock.now());
  e.outcome = outcome;
  e.failure = finished.series.last_failure;
  e.next_attempt_at = finished.decision.next_attempt_at;
  if (finished.backup) e.changed = finished.backup->changed;
  e.duration = took;
  e.counted = machine.counted;
  told_.event(e);
  if (series::is_open(machine.state)) return;
  e.kind = EventKind::series_ended;
  e.end = machine.end;
  e.next_attempt_at.reset();
  e.duration = e.at - started.series.started_at.value_or(e.at - took);
  told_.event(e);
}

void Dispatcher::tell_overtaken(const store::SeriesRow& row) {
  Event e = event_of(EventKind::series_ended, row, site_.clock.now());
  e.failure = row.last_failure;
  e.end = row.machine.end;
  e.counted = row.machine.counted;
  e.duration = e.at - row.started_at.value_or(e.at);
  told_.event(e);
}

}  // namespace nightjar::orchestrator
