#include "simulation/witness.hpp"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>

namespace nightjar::simulation {

using store::Columns;
using store::Statement;

Witness::Witness(World& world, const Estate& estate, Guard& guard, Almanac& almanac, Audience& audience)
    : world_(world), estate_(estate), guard_(guard), almanac_(almanac), audience_(audience) {
  auto db = store::Database::open(world.database, store::Database::Access::read_write);
  hold(db.has_value(), "the witness cannot open the database");
  db_ = std::make_unique<store::Database>(std::move(*db));
}

Witness::~Witness() = default;

void Witness::watch(store::Database& db) {
  sqlite3_update_hook(
      db.connection().handle(),
      [](void* self, int, const char*, const char* table, sqlite3_int64 row) {
        auto& witness = *static_cast<Witness*>(self);
        const std::string_view name{table};
        witness.something_changed_ = true;
        if (name == "series") witness.touched_.insert(SeriesId{row});
        if (name == "attempt") witness.touched_attempts_.insert(AttemptId{row});
      },
      this);
}

void Witness::look(const std::vector<Told>& told) {
  if (!std::exchange(something_changed_, false)) return;
  apply_word_of_operators();
  const auto fresh = read();
  check_ends(fresh, told);
  check_new(fresh);
  check_starts(fresh);
  for (const auto& [id, now] : fresh) {
    Model& model = models_.at(id);
    // How long it was held is the guard's business, whose it is changes without a step.
    model.fact.held = now.fact.held;
    model.fact.owner = now.fact.owner;
    if (!model.fact.open() && !model.fact.ended) model.fact.ended = world_.clock.now();
    hold(model.fact == now.fact,
         "series {} is {} {} (attempts {}, counted {}, interruptions {}, due {}), it should be {} {} ({}, "
         "{}, {}, {})",
         id.value, now.fact.state, now.fact.ended_as, now.fact.attempts, now.fact.counted,
         now.fact.interruptions, now.fact.due ? to_rfc3339(*now.fact.due) : "never", model.fact.state,
         model.fact.ended_as, model.fact.attempts, model.fact.counted, model.fact.interruptions,
         model.fact.due ? to_rfc3339(*model.fact.due) : "never");
    hold(model.attempts == now.attempts, "an attempt of series {} was changed after its end", id.value);
    if (model.fact.open())
      open_.insert(id);
    else
      open_.erase(id);
    if (!model.fact.open() && !std::exchange(model.told, true))
      audience_.ended(model.fact, db_->connection());
    else
      audience_.compare(id, db_->connection());
  }
  guard_.compare(db_->connection());
}

Witness::Freshes Witness::read() {
  auto& c = db_->connection();
  for (const AttemptId attempt : std::exchange(touched_attempts_, {}))
    if (const auto series = series_of(c, attempt)) touched_.insert(*series);
  Freshes fresh;
  for (const SeriesId id : std::exchange(touched_, {})) {
    auto fact = read_series(c, id);
    if (fact) {
      fresh.emplace(id, Fresh{std::move(*fact), read_attempts(c, id, 1)});
      continue;
    }
    const auto known = models_.find(id);
    if (known == models_.end()) continue;  // was never committed
    hold(!estate_.devices.contains(known->second.fact.device), "series {} is gone, its device is not",
         id.value);
    guard_.gone(id);
    audience_.gone(id);
    open_.erase(id);
    models_.erase(known);
  }
  return fresh;
}

void Witness::apply_word_of_operators() {
  for (const SeriesId id : std::exchange(reran_, {})) {
    Model& model = models_.at(id);
    hold(!model.fact.open(), "series {} was open and could be rerun", id.value);
    model.heard_ends = 0;
    model.told = false;
    audience_.reran(id, db_->connection());
    SeriesFact& fact = model.fact;
    fact.state = "pending";
    fact.ended_as.clear();
    fact.window_start = world_.clock.now();
    fact.due = world_.clock.now();
    fact.ended.reset();
    fact.counted = fact.interruptions = 0;
    fact.overtaken = fact.cancel_requested = false;
  }
  for (const SeriesId id : std::exchange(cancelled_, {})) {
    SeriesFact& fact = models_.at(id).fact;
    hold(fact.open(), "series {} had ended and could be cancelled", id.value);
    if (fact.state == "running") {
      fact.cancel_requested = true;
    } else {
      fact.state = "cancelled";
      fact.due.reset();
    }
  }
}

void Witness::check_ends(const Freshes& fresh, const std::vector<Told>& told) {
  std::set<AttemptId> in_order;
  const auto take = [&](AttemptId attempt, const Told* by) {
    for (const auto& [id, now] : fresh) {
      const auto model = models_.find(id);
      if (model == models_.end()) continue;
      for (const AttemptFact& known : model->second.attempts) {
        if (known.id != attempt || known.ended) continue;
        const auto& after = now.attempts[static_cast<std::size_t>(known.number) - 1];
        if (after.ended) end(model->second, after, by);
        return;
      }
    }
  };
  for (const Told& one : told) {
    in_order.insert(one.attempt);
    take(one.attempt, &one);
  }
  for (const auto& [id, now] : fresh) {
    const auto model = models_.find(id);
    if (model == models_.end() || model->second.attempts.empty()) continue;
    const AttemptFact& last = model->second.attempts.back();
    if (!last.ended && !in_order.contains(last.id)) take(last.id, nullptr);
  }
}

const RuleInWords& Witness::rule(std::int64_t id) {
  if (const auto known = rules_.find(id); known != rules_.end()) return known->second;
  Statement row(db_->connection(), "SELECT rule FROM rule_in_force WHERE id = ?1", id);
  hold(row.step(), "rule {} is not kept", id);
  RuleInWords words;
  const auto json = nlohmann::json::parse(Columns(row).next<std::string>());
  for (const auto& [field, value] : json.items())
    words.emplace(field, Valued{value.at("value").get<std::string>(), value.at("origin").get<std::string>()});
  return rules_.emplace(id, std::move(words)).first->second;
}

void Witness::end(Model& model, const AttemptFact& attempt, const Told* told) {
  SeriesFact& fact = model.fact;
  hold(fact.state == "running", "attempt {} of series {} ended, which is {}", attempt.number, fact.id.value,
       fact.state);
  hold(attempt.ended == world_.clock.now(), "attempt {} of series {} ended at another time than now",
       attempt.number, fact.id.value);
  const RuleInWords& stored = rule(attempt.rule);
  hold(stored == estate_.retry.rule(fact.customer, fact.device),
       "the decision on series {} was made by another rule than the one in force", fact.id.value);
  world_.account.note("series {} attempt {} {} {}", fact.id.value, attempt.number, attempt.outcome,
                      attempt.failure_class);

  AttemptFact& known = model.attempts[static_cast<std::size_t>(attempt.number) - 1];
  hold(attempt.started == known.started && attempt.id == known.id, "the beginning of an attempt was changed");
  known = attempt;
  hold(attempt.backups == (attempt.outcome == "success" ? 1U : 0U),
       "attempt {} of series {}, {}, has {} backups", attempt.number, fact.id.value, attempt.outcome,
       attempt.backups);
  if (attempt.outcome == "success") {
    fact.state = "succeeded";
    hold(attempt.action == "end", "a success and the decision {}", attempt.action);
  } else if (attempt.outcome == "failure") {
    ++fact.counted;
    fail(model, attempt, attempt.failure_class, stored);
  } else {
    ++fact.interruptions;
    if (fact.interruptions > 2 && !fact.cancel_requested && !fact.overtaken) {
      ++fact.counted;
      fail(model, attempt, "local", stored);
    } else if (fact.cancel_requested) {
      fact.state = "cancelled";
    } else if (fact.overtaken) {
      fact.state = "failed";
      fact.ended_as = "overtaken";
    } else {
      fact.state = "retry_wait";
      fact.due = *attempt.ended;
      hold(attempt.wait == Milliseconds{0} && attempt.next == attempt.ended,
           "series {} was interrupted and is not tried again at once", fact.id.value);
    }
  }
  guard_.ends(fact, attempt, told != nullptr, told ? told->let_in_at : std::nullopt);
}

// What has to become of a series whose attempt counts and failed.
void Witness::fail(Model& model, const AttemptFact& attempt, const std::string& failure_class,
                   const RuleInWords& rule) {
  SeriesFact& fact = model.fact;
  const auto text = [&](std::string_view field) -> const std::string& {
    return rule.find(field)->second.value;
  };
  const auto over = [&](std::string state, std::string as) {
    fact.state = std::move(state);
    fact.ended_as = std::move(as);
    hold(attempt.action == "end" && !attempt.next, "series {} ends, and the decision is {}", fact.id.value,
         attempt.action);
  };
  if (fact.cancel_requested) return over("cancelled", "");
  if (fact.overtaken) return over("failed", "overtaken");
  if (("," + text("retry_on") + ",").find("," + failure_class + ",") == std::string::npos)
    return over("failed", "permanent");
  if (fact.counted >= number(text("attempts"))) return over("failed", "exhausted");
  const auto bounds = wait_bounds(rule, fact.counted + 1);
  const std::string& give_up = text("give_up_after_seconds");
  if (give_up != "none") {
    const UtcTime latest = fact.window_start + Seconds{number(give_up)};
    const bool too_late = *attempt.ended + bounds.least > latest;
    if (too_late || attempt.action == "end") {
      hold(*attempt.ended + bounds.most > latest, "series {} gives up before its time", fact.id.value);
      return over("failed", "exhausted");
    }
    hold(attempt.next && *attempt.next <= latest, "series {} is tried after its time to give up",
         fact.id.value);
  }
  hold(attempt.action == "retry" && attempt.next.has_value(),
       "series {} has a try left, and the decision is {}", fact.id.value, attempt.action);
  constexpr Milliseconds rounding{1};
  hold(attempt.wait >= bounds.least - rounding && attempt.wait <= bounds.most + rounding,
       "series {} waits {} ms after attempt {}, it should be {} to {} ms", fact.id.value,
       attempt.wait.count(), attempt.number, bounds.least.count(), bounds.most.count());
  hold(*attempt.next == *attempt.ended + attempt.wait, "the next try is not when the wait is over");
  fact.state = "retry_wait";
  fact.due = *attempt.next;
}

}  // namespace nightjar::simulation
