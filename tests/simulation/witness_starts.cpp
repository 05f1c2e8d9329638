// The witness's second half: what begins, and what is left at the end.
#include "simulation/witness.hpp"

#include <nightjar/store/owner_lock.hpp>

#include <algorithm>

namespace nightjar::simulation {

using store::Columns;
using store::Statement;

void Witness::check_new(const Freshes& fresh) {
  for (const auto& [id, now] : fresh)
    if (!models_.contains(id)) appear(now.fact, fresh);
}

void Witness::appear(const SeriesFact& fact, const Freshes& fresh) {
  const UtcTime now = world_.clock.now();
  SeriesFact first = fact;
  first.attempts = first.counted = first.interruptions = 0;
  first.overtaken = first.cancel_requested = false;
  first.ended_as.clear();
  first.ended.reset();
  first.due = now;
  first.state = "pending";
  if (fact.cause == "schedule") {
    hold(fact.run.has_value(), "series {} is scheduled and belongs to no run", fact.id.value);
    const bool missed = fact.state == "missed";
    // Not `now`: a run may have fired before the clock was set back, and its last series come after that.
    hold(fact.scheduled_for <= world_.clock.highest(), "series {} came before its time", fact.id.value);
    hold(fact.window_start == fact.scheduled_for, "the window of series {} begins at another time",
         fact.id.value);
    almanac_.opened(fact.device, fact.customer, fact.scheduled_for);
    if (missed) {
      hold(world_.clock.highest() - fact.scheduled_for > Milliseconds{60'000},
           "series {} counts as missed at its time", fact.id.value);
      first.state = "missed";
      first.due.reset();
    } else {
      overtaken_by(fact, fresh);
    }
    world_.account.note("series {} for device {} at {}{}", fact.id.value, fact.device.value,
                        to_rfc3339(fact.scheduled_for), missed ? ", missed" : "");
  } else {
    for (const SeriesId other : open_)
      hold(models_.at(other).fact.device != fact.device,
           "a manual backup of device {} did not join series {}, which is open", fact.device.value,
           other.value);
    world_.account.note("series {} for device {} by hand", fact.id.value, fact.device.value);
  }
  if (first.open()) open_.insert(fact.id);  // the next one of this transaction may overtake it
  models_.emplace(fact.id, Model{std::move(first), {}});
}

// What is still open of this device has ended as overtaken, or will when its running attempt fails.
void Witness::overtaken_by(const SeriesFact& newer, const Freshes& fresh) {
  for (const SeriesId id : open_) {
    Model& model = models_.at(id);
    SeriesFact& fact = model.fact;
    if (fact.device != newer.device || !fact.open()) continue;
    const auto now = fresh.find(id);
    const bool noted =
        now != fresh.end() &&
        (fact.state == "running" ? now->second.fact.overtaken : now->second.fact.ended_as == "overtaken");
    hold(noted || fact.overtaken,
         "series {} for device {} came, and series {}, which is {}, was not overtaken", newer.id.value,
         newer.device.value, id.value, fact.state);
    if (fact.state == "running") {
      fact.overtaken = true;
    } else {
      fact.state = "failed";
      fact.ended_as = "overtaken";
      fact.due.reset();
    }
  }
}

void Witness::check_starts(const Freshes& fresh) {
  std::vector<std::pair<const AttemptFact*, const Fresh*>> begun;
  for (const auto& [id, now] : fresh)
    for (std::size_t i = models_.at(id).attempts.size(); i < now.attempts.size(); ++i)
      begun.emplace_back(&now.attempts[i], &now);
  std::sort(begun.begin(), begun.end(),
            [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
  for (const auto& [attempt, now] : begun) start(models_.at(now->fact.id), *attempt, *now);
}

bool Witness::is_probe(SeriesId series, CustomerId customer) {
  Statement row(db_->connection(), "SELECT 1 FROM customer_breaker WHERE customer_id = ?1 AND probe = ?2",
                customer, series);
  return row.step();
}

void Witness::start(Model& model, const AttemptFact& attempt, const Fresh& now) {
  SeriesFact& fact = model.fact;
  hold(fact.state == "pending" || fact.state == "retry_wait", "attempt {} of series {} began, which is {}",
       attempt.number, fact.id.value, fact.state);
  hold(attempt.number == fact.attempts + 1, "attempt {} of series {} follows attempt {}", attempt.number,
       fact.id.value, fact.attempts);
  hold(attempt.started == world_.clock.now(), "attempt {} of series {} began at another time than now",
       attempt.number, fact.id.value);
  hold(*fact.due <= attempt.started, "attempt {} of series {} began before it was due at {}", attempt.number,
       fact.id.value, to_rfc3339(*fact.due));
  int running = 1, of_customer = 1;
  for (const SeriesId id : open_) {
    const SeriesFact& other = models_.at(id).fact;
    if (other.state != "running" || other.id == fact.id) continue;
    hold(other.device != fact.device, "two sessions on device {}: series {} and {}", fact.device.value,
         other.id.value, fact.id.value);
    if (other.owner != now.fact.owner) continue;
    ++running;
    if (other.customer == fact.customer) ++of_customer;
  }
  const bool refused = attempt.ended && attempt.transport.empty();
  world_.account.note("series {} attempt {} {}", fact.id.value, attempt.number,
                      refused ? "refused" : "begins");
  const SeriesFact before = fact;
  fact.state = "running";
  fact.due.reset();
  ++fact.attempts;
  fact.owner = now.fact.owner;
  model.attempts.push_back(attempt);
  if (!refused) {
    guard_.starts({before, attempt, now.fact.owner, running, of_customer, is_probe(fact.id, fact.customer)});
    hold(!attempt.ended, "attempt {} of series {} ended as it began", attempt.number, fact.id.value);
    return;
  }
  guard_.refused(before, attempt);
  model.attempts.back().ended.reset();
  end(model, attempt, nullptr);
}

void Witness::heard_end(SeriesId id) {
  const auto model = models_.find(id);
  if (model == models_.end()) return;  // its device was removed meanwhile
  hold(!model->second.fact.open(), "the end of series {} was told, which is {}", id.value,
       model->second.fact.state);
  hold(++model->second.heard_ends == 1, "the end of series {} was told twice", id.value);
}

void Witness::heard_start(SeriesId id, AttemptId attempt) {
  const auto model = models_.find(id);
  hold(model != models_.end() && model->second.fact.state == "running" && !model->second.attempts.empty() &&
           model->second.attempts.back().id == attempt,
       "a session is opened for series {}, of which the store knows nothing", id.value);
}

std::vector<SeriesId> Witness::open() const {
  return {open_.begin(), open_.end()};
}

std::vector<SeriesId> Witness::ended() const {
  std::vector<SeriesId> all;
  for (const auto& [id, model] : models_)
    if (!model.fact.open()) all.push_back(id);
  return all;
}

const SeriesFact* Witness::find(SeriesId id) const {
  const auto model = models_.find(id);
  return model == models_.end() ? nullptr : &model->second.fact;
}

std::size_t Witness::undelivered() {
  Statement row(db_->connection(), "SELECT count(*) FROM message WHERE state IN ('gathering', 'waiting')");
  row.step();
  return Columns(row).next<std::size_t>();
}

void Witness::finish() {
  audience_.finish(db_->connection());
  for (const SeriesId id : open_) {
    const SeriesFact& fact = models_.at(id).fact;
    hold(!fact.owner.empty() && guard_.claimants[fact.owner].alive,
         "series {} for device {} never ends: it is {}, due {}", id.value, fact.device.value, fact.state,
         fact.due ? to_rfc3339(*fact.due) : "never");
  }
  auto& c = db_->connection();
  Statement row(c,
                "SELECT (SELECT count(*) FROM series), (SELECT count(*) FROM attempt), "
                "(SELECT count(*) FROM attempt WHERE ended_ms IS NULL)");
  row.step();
  Columns columns(row);
  std::size_t attempts = 0, running = 0;
  for (const auto& [id, model] : models_) {
    attempts += model.attempts.size();
    if (model.fact.state == "running") ++running;
  }
  hold(columns.next<std::size_t>() == models_.size(), "there are series that nobody has seen coming");
  hold(columns.next<std::size_t>() == attempts, "there are attempts that nobody has seen coming");
  hold(columns.next<std::size_t>() == running, "there are attempts that have no end");
}

}  // namespace nightjar::simulation
