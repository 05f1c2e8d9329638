// The attempts of a process: how they begin, what is made of their ends, and when it looks again.
#include "simulation/process.hpp"

#include <algorithm>
#include <utility>

namespace nightjar::simulation {

using namespace std::chrono_literals;
using orchestrator::Ended;

void Process::begin(Round& round) {
  for (const auto& row : round.step.overtaken) scene_.witness.heard_end(row.id);
  if (!round.step.overtaken.empty() || !round.batch.refused.empty()) post_soon();
  for (const auto& refused : round.batch.refused)
    if (!series::is_open(refused.finished.series.machine.state))
      scene_.witness.heard_end(refused.started.series.id);
  if (daemon_ && round.step.uncounted > 0) scene_.almanac.left_out();
  if (daemon_ && !round.step.more) scene_.almanac.looked();
  for (auto& started : round.batch.started) launch(std::move(started));
  for (const SeriesId series : round.cancelled) {
    const auto found = underway_.find(series);
    if (found == underway_.end() || std::exchange(found->second.cancelled, true) || found->second.tries > 0)
      continue;
    Underway& underway = found->second;
    const auto soon = scene_.world.clock.mono() + random_.between(Milliseconds{0}, Milliseconds{2000});
    if (underway.ends <= soon) continue;
    underway.ends = soon;
    underway.end = {};
    underway.end.outcome = series::Outcome::cancelled;
    underway.end.failure = failure(FailureClass::local, Stage::command, "cancelled by an operator");
    underway.end.transport = "ssh";
  }
  const bool idle = round.batch.idle && !daemon_ && !stop_at_;
  if (!idle) return;
  std::size_t open = 0;
  const bool counted = write([&](store::Database& db) -> Result<void> {
    desk_.look_again();
    auto count = store::SeriesBook{db}.count_open(owner_);
    if (!count) return std::move(count).error();
    open = *count;
    return {};
  });
  if (!counted || open == 0) stop(Milliseconds{0});
}

void Process::launch(orchestrator::Started started) {
  World& world = scene_.world;
  const SeriesId id = started.series.id;
  scene_.witness.heard_start(id, started.attempt);
  Underway underway;
  underway.attempt = started.attempt;
  if (started.unplanned) {
    underway.end.failure = std::move(started.unplanned);
    underway.ends = world.clock.mono();
  } else {
    auto visit = scene_.estate.visit(started.series.device, started.timeout, world.random);
    underway.end = std::move(visit.end);
    underway.ends = world.clock.mono() + visit.takes;
    if (visit.let_in_after >= Milliseconds{0})
      underway.end.let_in_at = world.clock.now() + visit.let_in_after;
    if (!started.plan.target.pinned && underway.end.outcome == series::Outcome::success)
      underway.end.host_key = store::PinnedHostKey{started.series.device, "ssh-ed25519", "SHA256:made-up",
                                                   world.clock.now(), false};
  }
  const bool twice = !underway_.emplace(id, std::move(underway)).second;
  hold(!twice, "series {} is started twice by process {}", id.value, number_);
}

// What the dispatcher does about an end that could not be written: the failure takes the place of a backup,
// and is tried again every second.
void Process::settle(Ending& ending, const std::optional<Failure>& lost) {
  const auto found = underway_.find(ending.series);
  Underway& underway = found->second;
  const Result<orchestrator::Finished> last =
      lost || !ending.finished
          ? Result<orchestrator::Finished>{lost ? *lost
                                                : failure(FailureClass::local, Stage::store, "not begun")}
          : *ending.finished;
  constexpr int tries = 5;
  const bool again = !last && last.error().failure_class == FailureClass::local &&
                     (++underway.tries < tries || (daemon_ && !given_up_));
  if (again) {
    scene_.world.account.note("process {}: the end of series {} is not written: {}", number_,
                              ending.series.value, scene_.world.said(last.error()));
    if (underway.end.outcome == series::Outcome::success) {
      underway.end = Ended{};
      underway.end.failure = last.error();
      underway.end.transport = "ssh";
      return;  // at once
    }
    underway.end.evidence.clear();
    underway.ends = scene_.world.clock.mono() + 1s;
    return;
  }
  if (last) {
    if (!series::is_open(last->series.machine.state)) scene_.witness.heard_end(ending.series);
  } else {
    scene_.world.account.note("process {}: the end of series {} is refused: {}", number_, ending.series.value,
                              scene_.world.said(last.error()));
    hold(last.error().failure_class == FailureClass::local || !scene_.witness.find(ending.series),
         "the end of series {} is refused: {}", ending.series.value, last.error().reason);
    if (!daemon_) {
      failed_ = true;
      stop(Milliseconds{0});
    }
  }
  underway_.erase(found);
  ended_.push_back(ending.series);
  wake(Milliseconds{0});
}

void Process::give_up() {
  if (std::exchange(given_up_, true)) return;
  for (auto& [series, underway] : underway_) {
    if (underway.tries > 0) continue;
    const MonoTime soon = scene_.world.clock.mono() + random_.between(Milliseconds{0}, Milliseconds{500});
    if (underway.ends <= soon) continue;
    underway.ends = soon;
    underway.end = {};
    underway.end.outcome = underway.cancelled ? series::Outcome::cancelled : series::Outcome::interrupted;
    underway.end.failure = failure(FailureClass::local, Stage::command, "interrupted by an operator");
    underway.end.transport = "ssh";
  }
}

// As the dispatcher reckons it, but for two economies: what nobody can have changed is not looked at every
// 250 ms (whoever changes something wakes us), and what is held back is looked at ever more rarely.
MonoTime Process::next_look(const Round& round) {
  const MonoTime now = scene_.world.clock.mono();
  if (round.batch.unfinished || round.step.more) return now;
  const UtcTime wall = scene_.world.clock.now();
  const bool left = round.batch.held_back || (round.batch.next_due && *round.batch.next_due <= wall);
  const bool moved = !round.batch.started.empty();
  constexpr Milliseconds longest_patience{20'000};
  patience_ =
      left && !moved ? std::min(patience_ * 2 + Milliseconds{1000}, longest_patience) : Milliseconds{1000};
  MonoTime next = now + (underway_.empty() ? Milliseconds{30min} : Milliseconds{1min});
  if (left || (round.batch.idle && !daemon_)) next = std::min(next, now + patience_);
  for (const auto& due : {round.batch.next_due, round.step.next})
    if (due && *due > wall) next = std::min(next, now + (*due - wall));
  if (round.batch.paced) next = std::min(next, std::max(desk_.next_start(now), now + Milliseconds{1}));
  return next;
}

}  // namespace nightjar::simulation
