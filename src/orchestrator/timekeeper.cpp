#include "orchestrator/timekeeper.hpp"

#include <nightjar/orchestrator/telling.hpp>
#include <nightjar/schedule/catch_up.hpp>
#include <nightjar/schedule/times.hpp>
#include <nightjar/series/series.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace nightjar::orchestrator {
namespace {

using schedule::ScheduleFields;
using store::RunKind;
using store::ScheduleKey;

// Of the times that passed while nothing ran, so many have a run of their own, the newest; a year's worth of
// a schedule that fires each minute would be half a million.
constexpr std::size_t most_missed = 100;

std::optional<ScheduleKey> key_of(const schedule::Schedule& schedule) {
  if (!schedule.enabled) return std::nullopt;
  return ScheduleKey{schedule.cron.text(), std::string{schedule.timezone.name()}};
}

}  // namespace

Result<void> Timekeeper::refresh(store::Database& db, UtcTime now) {
  groups_.clear();
  of_customers_.clear();
  of_devices_.clear();
  auto layers = store::Settings{db}.all<ScheduleFields>();
  if (!layers) return std::move(layers).error();
  store::Inventory inventory{db};
  auto customers = inventory.customers();
  if (!customers) return std::move(customers).error();

  std::map<std::pair<CustomerId, ScheduleKey>, schedule::Schedule> in_use;
  for (const auto& customer : *customers) {
    const auto schedule = rules::values(layers->in_force(customer.id));
    const auto key = orchestrator::key_of(schedule);
    of_customers_[customer.id] = key;
    if (key) in_use.emplace(std::pair{customer.id, *key}, schedule);
  }
  for (const auto& [id, layer] : layers->devices) {
    auto device = inventory.device(id);
    if (!device) return std::move(device).error();
    const auto schedule = rules::values(layers->in_force(device->customer, id));
    const auto key = orchestrator::key_of(schedule);
    of_devices_[id] = key;
    if (key) in_use.emplace(std::pair{device->customer, *key}, schedule);
  }

  store::RunBook runs{db};
  auto handled = runs.handled();
  if (!handled) return std::move(handled).error();
  std::map<std::pair<CustomerId, ScheduleKey>, UtcTime> marks;
  for (const auto& mark : *handled) {
    if (in_use.contains({mark.customer, mark.schedule}))
      marks.emplace(std::pair{mark.customer, mark.schedule}, mark.until);
    else if (auto forgotten = runs.forget_handled(mark.customer, mark.schedule); !forgotten)
      return forgotten;
  }
  for (auto& [at, schedule] : in_use) {
    const auto mark = marks.find(at);
    // A mark in the future is from before the clock was set back. What fired by then has its run, and no
    // device has two series of one; what was added since has none yet.
    const UtcTime until = mark == marks.end() ? now : std::min(now, mark->second);
    if (mark == marks.end() || until < mark->second)
      if (auto set = runs.set_handled({at.first, at.second, until}); !set) return set;
    auto next = schedule::next_time(schedule.cron, schedule.timezone, until);
    groups_.push_back({at.first, at.second, std::move(schedule), until, next});
  }
  stale_ = false;
  return {};
}

Result<void> Timekeeper::note_schedules(store::Database& db, UtcTime now) {
  return Timekeeper{[] { return 0.0; }}.refresh(db, now);
}

std::optional<ScheduleKey> Timekeeper::key_of(CustomerId customer, DeviceId device) const {
  if (const auto own = of_devices_.find(device); own != of_devices_.end()) return own->second;
  const auto shared = of_customers_.find(customer);
  return shared == of_customers_.end() ? std::nullopt : shared->second;
}

Result<Timekeeper::Step> Timekeeper::work(store::Database& db, UtcTime now, std::size_t most) {
  Step step;
  const bool set_back =
      std::ranges::any_of(groups_, [now](const Group& group) { return now < group.handled; });
  if (stale_ || set_back)
    if (auto fresh = refresh(db, now); !fresh) return fresh.error();
  for (Group& group : groups_)
    if (group.next && *group.next <= now)
      if (auto fired = fire(db, group, now, step); !fired) return fired.error();

  auto unfinished = store::RunBook{db}.unfinished();
  if (!unfinished) return std::move(unfinished).error();
  for (const store::Run& run : *unfinished) {
    if (most == 0) {
      step.more = true;
      break;
    }
    if (auto opened = open(db, run, now, most, step); !opened) return opened.error();
  }
  for (const Group& group : groups_)
    if (group.next && (!step.next || *group.next < *step.next)) step.next = group.next;
  return step;
}

Result<void> Timekeeper::fire(store::Database& db, Group& group, UtcTime now, Step& step) {
  const auto due = schedule::due_times(group.schedule.cron, group.schedule.timezone, group.handled, now,
                                       group.schedule.catch_up, most_missed);
  store::RunBook runs{db};
  const auto add = [&](UtcTime time, RunKind kind) -> Result<void> {
    auto id = runs.add(group.customer, time, kind, group.key, now);
    if (!id) return std::move(id).error();
    step.fired.push_back({*id, group.customer, {}, time, now, kind, DeviceId{}});
    return {};
  };
  for (const UtcTime missed : due.missed)
    if (auto added = add(missed, RunKind::missed); !added) return added;
  if (due.run)
    if (auto added = add(*due.run, due.late ? RunKind::late : RunKind::on_time); !added) return added;
  step.uncounted += due.uncounted;
  group.handled = now;
  group.next = schedule::next_time(group.schedule.cron, group.schedule.timezone, now);
  return runs.set_handled({group.customer, group.key, now});
}

// The series of the next devices of a run.
Result<void> Timekeeper::open(store::Database& db, const store::Run& run, UtcTime now, std::size_t& most,
                              Step& step) {
  store::RunBook runs{db};
  auto fired = runs.schedules(run.id);
  if (!fired) return std::move(fired).error();
  auto candidates = runs.candidates(run, run.opened_to.value_or(DeviceId{}), most);
  if (!candidates) return std::move(candidates).error();
  std::map<RunKind, std::vector<DeviceId>> devices;
  for (const auto& candidate : *candidates) {
    const auto key = key_of(run.customer, candidate.device);
    if (candidate.in_run || !key) continue;
    const auto by =
        std::find_if(fired->begin(), fired->end(), [&](const auto& f) { return f.schedule == *key; });
    if (by == fired->end()) continue;
    devices[by->kind].push_back(candidate.device);
    if (candidate.open && by->kind != RunKind::missed)
      if (auto ended = overtake(db, candidate.device, now, step); !ended) return ended;
  }
  for (const auto& [kind, some] : devices) {
    if (auto opened = runs.open_series(run, kind, some, now); !opened) return opened;
    step.opened += some.size();
  }
  const bool all = candidates->size() < most;
  most -= candidates->size();
  if (!all) step.more = true;
  return runs.set_opened_to(run.id, all ? std::nullopt : std::optional{candidates->back().device});
}

// Its next scheduled time has come: what waits ends, what runs does so when its attempt is over. A rerun can
// stand beside a newer series, so there may be several.
Result<void> Timekeeper::overtake(store::Database& db, DeviceId device, UtcTime now, Step& step) {
  store::SeriesBook book{db};
  auto rows = book.list({.devices = {device}, .open_only = true, .since = {}});
  if (!rows) return std::move(rows).error();
  auto rule = store::Inventory{db}.retry_rule({rules::Level::device, {}, device});
  if (!rule) return std::move(rule).error();
  for (store::SeriesRow& row : *rows) {
    auto overtaken =
        series::step(row.machine, series::event::Overtake{}, rules::values(rule->rule), now, dice_);
    if (!overtaken) return std::move(overtaken).error();
    if (auto updated = book.update(row.id, overtaken->series, now); !updated) return updated;
    if (series::is_open(overtaken->series.state)) continue;
    row.machine = overtaken->series;
    row.ended_at = now;
    if (auto told = tell_end(db, row, now); !told) return told;
    step.overtaken.push_back(std::move(row));
  }
  return {};
}

}  // namespace nightjar::orchestrator
