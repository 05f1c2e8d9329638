// The daemon's messages: as the postman does it, in turns.
#include "simulation/process.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace nightjar::simulation {

using namespace std::chrono_literals;

void Process::post_soon() {
  if (!daemon_) return;
  collect_at_ =
      std::min(collect_at_, scene_.world.clock.mono() + random_.between(Milliseconds{0}, Milliseconds{1000}));
}

void Process::post(MonoTime now) {
  std::vector<DestinationId> over;
  for (const auto& [to, sending] : sending_)
    if (sending.ends <= now) over.push_back(to);
  for (const DestinationId to : over) answered(to);
  if (collect_at_ <= now) collect(now);
}

void Process::answered(DestinationId to) {
  const auto node = sending_.extract(to);
  Sending sending = node.mapped();
  if (sending.reply.heard && !sending.heard_at_once)
    scene_.audience.hear(to, sending.message.event_id, sending.body, db_.connection());
  const UtcTime wall = scene_.world.clock.now();
  const auto tried = orchestrator::outcome_of(sending.message, sending.first_try, sending.reply.answer, wall);
  if (!write([&](store::Database& db) { return orchestrator::write_outcome(db, tried, wall); }))
    scene_.world.account.note("process {}: the answer to message {} is not written", number_,
                              tried.message.event_id);
  scene_.witness.look();
  post_soon();
}

void Process::collect(MonoTime now) {
  World& world = scene_.world;
  orchestrator::Collection round{.now = world.clock.now(), .complete_until = world.clock.now()};
  for (const auto& [to, sending] : sending_) round.busy.insert(to);
  orchestrator::Collected collected;
  std::optional<UtcTime> next;
  const bool done = write([&](store::Database& db) -> Result<void> {
    auto found = orchestrator::collect(db, round, world.folder, world.equipment.vault, owner_);
    if (!found) {
      hold(found.error().failure_class == FailureClass::local, "messages cannot be collected: {}",
           found.error().reason);
      return std::move(found).error();
    }
    auto at = store::Outbox{db}.next_at();
    if (!at) return std::move(at).error();
    collected = std::move(*found);
    next = *at;
    return {};
  });
  scene_.witness.look();
  if (!done) {
    collect_at_ = now + 2s;
    return;
  }
  for (auto& ready : collected.ready) send(std::move(ready));
  // What waits for another message is looked at ever more rarely.
  const bool idle = collected.ready.empty() && !collected.more;
  post_patience_ = idle ? std::min(post_patience_ * 2 + 1s, Milliseconds{5min}) : Milliseconds{0};
  collect_at_ = now + 10min;
  if (next)
    collect_at_ =
        std::min(collect_at_, now + std::max({*next - world.clock.now(), post_patience_, Milliseconds{1}}));
  if (collected.more) collect_at_ = now;
}

void Process::send(orchestrator::Ready ready) {
  hold(ready.letter.has_value(), "a message cannot be sent: {}",
       ready.letter ? "" : ready.letter.error().reason);
  Sending sending;
  sending.body = std::get<delivery::Post>(ready.letter->form).body;
  sending.reply = scene_.audience.reply();
  sending.heard_at_once = random_.chance(50);
  sending.ends = scene_.world.clock.mono() + random_.between(Milliseconds{10}, Milliseconds{60s});
  sending.first_try = ready.first_try;
  sending.message = std::move(ready.message);
  const DestinationId to = sending.message.destination;
  if (sending.reply.heard && sending.heard_at_once)
    scene_.audience.hear(to, sending.message.event_id, sending.body, db_.connection());
  const bool alone = sending_.emplace(to, std::move(sending)).second;
  hold(alone, "two messages at once to destination {}", to.value);
}

}  // namespace nightjar::simulation
