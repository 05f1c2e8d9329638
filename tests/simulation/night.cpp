#include "simulation/night.hpp"

#include <nightjar/orchestrator/daemon.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace nightjar::simulation {

using namespace std::chrono_literals;

namespace {

// Evenings; clocks change in two of these nights in Paris, in one each in New York and on Lord Howe.
constexpr std::array evenings{"2027-03-27T18:00:00Z", "2027-10-30T18:00:00Z", "2027-03-13T20:00:00Z",
                              "2027-04-03T09:00:00Z", "2026-12-31T18:00:00Z", "2028-02-28T18:00:00Z",
                              "2027-06-09T18:00:00Z", "2027-06-12T18:00:00Z"};

UtcTime evening_of(std::uint64_t seed) {
  Random random{seed ^ 0x5eed};
  return parse_rfc3339(random.pick(evenings)).value() + random.between(Milliseconds{0}, Milliseconds{8h});
}

}  // namespace

Night::Night(const Equipment& equipment, std::uint64_t seed, std::filesystem::path folder, bool aloud)
    : world_(equipment, seed, evening_of(seed), std::move(folder), aloud),
      guard_(world_, estate_),
      almanac_(world_, estate_),
      audience_(world_, estate_),
      witness_(world_, estate_, guard_, almanac_, audience_) {
  auto db = store::Database::open(world_.database, store::Database::Access::read_write);
  hold(db.has_value(), "the operator cannot open the database");
  operator_db_.emplace(std::move(*db));
  witness_.watch(*operator_db_);
}

bool Night::operate(const std::function<Result<void>(store::Database&)>& job) {
  const auto done = operator_db_->atomically([&] { return job(*operator_db_); });
  if (!done) {
    world_.account.note("the operator is refused: {}", world_.said(done.error()));
    hold(done.error().failure_class != FailureClass::internal, "the operator meets a bug: {}",
         done.error().reason);
  }
  for (auto& process : processes_) process->wake(Milliseconds{250});
  return done.has_value();
}

void Night::later(Milliseconds after, std::function<void()> act) {
  planned_.push_back({world_.clock.mono() + after, std::move(act)});
}

void Night::start_daemon() {
  if (std::any_of(processes_.begin(), processes_.end(), [](const auto& p) { return p->is_daemon(); })) return;
  const int number = next_number_++;
  auto& random = world_.random;
  constexpr std::array<std::size_t, 4> steps{1, 3, 10, 2000};
  auto daemon = Process::start({world_, estate_, guard_, almanac_, witness_, audience_}, number, true,
                               draw_limits(), random.pick(steps));
  if (daemon) {
    processes_.push_back(std::move(daemon));
    if (!quiet_ && random.chance(15))  // it dies in its first transactions
      world_.disk.die_after(number, static_cast<int>(random.between(0, 60)));
    return;
  }
  world_.account.note("process {} cannot start", number);
  later(5s, [this] { start_daemon(); });
}

void Night::kill(std::size_t index) {
  const auto process = std::move(processes_[index]);
  processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(index));
  world_.account.note("process {} is gone", process->number());
  for (auto& other : processes_) other->recover_soon();
  if (!process->is_daemon()) return;
  auto& random = world_.random;
  const Milliseconds down = quiet_ || random.chance(70) ? random.between(Milliseconds{100}, Milliseconds{30s})
                            : random.chance(80)         ? random.between(Milliseconds{1min}, Milliseconds{1h})
                                                        : random.between(Milliseconds{1h}, Milliseconds{9h});
  later(down, [this] { start_daemon(); });
}

void Night::bury() {
  for (std::size_t i = processes_.size(); i-- > 0;)
    if (processes_[i]->is_over() || world_.disk.is_dead(processes_[i]->number())) kill(i);
}

// The next thing that happens: a plan, or a process's turn; not beyond `until`.
void Night::step(MonoTime until) {
  MonoTime next = until;
  Process* whose = nullptr;
  for (auto& process : processes_)
    if (process->next() < next) {
      next = process->next();
      whose = process.get();
    }
  auto plan = planned_.end();
  for (auto it = planned_.begin(); it != planned_.end(); ++it)
    if (it->at < next) {
      next = it->at;
      plan = it;
    }
  world_.clock.advance_to(next);
  if (plan != planned_.end()) {
    const auto act = std::move(plan->act);
    planned_.erase(plan);
    act();
  } else if (whose) {
    whose->turn();
  }
  witness_.look();
  bury();
}

void Night::run() {
  furnish();
  start_daemon();
  auto& random = world_.random;
  const MonoTime dawn = world_.clock.mono() + random.between(Milliseconds{1h}, Milliseconds{5h});
  const Milliseconds pace = random.between(Milliseconds{1min}, Milliseconds{25min});
  MonoTime next_event = world_.clock.mono() + random.between(Milliseconds{0}, pace * 2);
  while (world_.clock.mono() < dawn) {
    step(std::min(dawn, next_event));
    if (world_.clock.mono() < next_event) continue;
    happen();
    witness_.look();
    bury();
    next_event = world_.clock.mono() + random.between(Milliseconds{0}, pace * 2);
  }
  quieten();
  // Longer than any wait that a clock which went backwards may have left.
  const MonoTime end = world_.clock.mono() + 12 * 24h;
  while (world_.clock.mono() < end && (!witness_.open().empty() || processes_.size() != 1 ||
                                       !planned_.empty() || witness_.undelivered() > 0))
    step(end);
  step(world_.clock.mono() + 10min);
  witness_.finish();
  almanac_.finish();
  if (random.chance(5)) {
    const auto sound = operator_db_->check();
    hold(sound.has_value(), "the database is damaged");
  }
}

// No more faults: the disk and the network are there, the clock runs, nothing more is scheduled.
void Night::quieten() {
  quiet_ = true;
  audience_.reliable = true;
  world_.account.note("it becomes quiet");
  world_.disk.full = false;
  estate_.cut_off.clear();
  const bool off = operate([&](store::Database& db) -> Result<void> {
    store::Settings settings{db};
    schedule::ScheduleLayer layer;
    for (const auto& [field, value] : estate_.schedule.platform)
      if (field != "enabled")
        if (auto set = rules::assign<schedule::ScheduleFields>(layer, field, value); !set) return set;
    layer.enabled = false;
    if (auto set = settings.set_layer({}, layer); !set) return set;
    for (const CustomerId customer : estate_.customers)
      if (auto set = settings.set_layer({rules::Level::customer, customer, {}}, schedule::ScheduleLayer{});
          !set)
        return set;
    for (const auto& [device, unit] : estate_.devices)
      if (auto set = settings.set_layer({rules::Level::device, {}, device}, schedule::ScheduleLayer{}); !set)
        return set;
    return orchestrator::note_schedules(db, world_.clock.now());
  });
  hold(off, "the schedules cannot be switched off");
  estate_.schedule.platform["enabled"] = "false";
  estate_.schedule.customers.clear();
  estate_.schedule.devices.clear();
  almanac_.edited();
  // What a command leaves behind is the daemon's, also when nothing else happens any more.
  for (std::size_t i = processes_.size(); i-- > 0;)
    if (!processes_[i]->is_daemon() && world_.random.chance(50))
      later(world_.random.between(Milliseconds{0}, Milliseconds{10min}),
            [this, number = processes_[i]->number()] {
              for (std::size_t k = processes_.size(); k-- > 0;)
                if (processes_[k]->number() == number) kill(k);
            });
}

}  // namespace nightjar::simulation
