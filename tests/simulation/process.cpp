#include "simulation/process.hpp"

#include <nightjar/admission/customer_breaker.hpp>
#include <nightjar/orchestrator/recovery.hpp>
#include <nightjar/store/breakers.hpp>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace nightjar::simulation {

using namespace std::chrono_literals;
using orchestrator::Batch;
using orchestrator::Ended;
using orchestrator::Finished;

namespace {

// The names of owners are random, and a seed has to repeat: a second name for the same lock.
std::string fixed_name(const World& world, const store::OwnerLock& lock, int number) {
  const auto folder = world.folder / "owners";
  std::string name = fmt::format("process-{:04}", number);
  std::error_code error;
  std::filesystem::create_hard_link(folder / (lock.name() + ".lock"), folder / (name + ".lock"), error);
  if (error) throw std::system_error(error, "a second name for " + lock.name());
  return name;
}

}  // namespace

std::unique_ptr<Process> Process::start(Scene scene, int number, bool daemon, orchestrator::Limits limits,
                                        std::size_t opened_at_once) {
  World& world = scene.world;
  const Disk::Acting acting{world.disk, number};
  auto db = store::Database::open(world.database, store::Database::Access::read_write);
  if (!db) {
    hold(db.error().failure_class == FailureClass::local, "process {} cannot open the database: {}", number,
         db.error().reason);
    return nullptr;
  }
  scene.witness.watch(*db);
  auto lock = store::OwnerLock::acquire(world.folder);
  hold(lock.has_value(), "process {} gets no lock", number);
  std::string owner = fixed_name(world, *lock, number);
  scene.guard.claimants[owner].limits = limits;
  world.account.note("process {} starts{}", number, daemon ? " as the daemon" : "");
  std::unique_ptr<Process> process{new Process(scene, number, daemon, limits, opened_at_once, std::move(*db),
                                               std::move(*lock), std::move(owner))};
  if (daemon && !process->prepare()) return nullptr;
  return process;
}

Process::Process(Scene scene, int number, bool daemon, orchestrator::Limits limits,
                 std::size_t opened_at_once, store::Database db, store::OwnerLock lock, std::string owner)
    : scene_(scene),
      number_(number),
      daemon_(daemon),
      opened_at_once_(opened_at_once),
      owner_(std::move(owner)),
      db_(std::move(db)),
      lock_(std::move(lock)),
      limits_(limits),
      random_(scene.world.random.next()),
      desk_(scene.world.site, limits, {owner_, daemon}, random_.dice()),
      keeper_(random_.dice()),
      look_at_(scene.world.clock.mono()) {
  if (daemon_) collect_at_ = look_at_;
}

Process::~Process() {
  scene_.guard.claimants[owner_].alive = false;
  const Disk::Acting acting{scene_.world.disk, number_};
  const store::Database closing = std::move(db_);
}

bool Process::write(const std::function<Result<void>(store::Database&)>& job) {
  std::optional<Result<void>> done;
  const auto lost = batch({[&](store::Database& db) { done = job(db); }});
  return !lost && *done;
}

// What the daemon's own prepare does: no probe of the process before is under way, and its dead are recorded.
bool Process::prepare() {
  bool forgotten = write([](store::Database& db) -> Result<void> {
    store::BreakerBook book{db};
    const auto open = book.open_breakers();
    if (!open) return open.error();
    for (const auto& breaker : *open) {
      auto row = book.of(breaker.customer);
      if (!row) return std::move(row).error();
      row->breaker = admission::recovered(row->breaker);
      if (auto put = book.put(breaker.customer, *row); !put) return put;
    }
    return {};
  });
  if (!forgotten) return false;
  scene_.guard.forget_probes();
  scene_.witness.look();
  chores_at_ = scene_.world.clock.mono();
  chores();
  return !chores_at_;
}

void Process::chores() {
  World& world = scene_.world;
  // All of one recovery get the same draw: in which order owners are found is up to their names.
  const double draw = random_.dice()();
  const bool done = write([&](store::Database& db) -> Result<void> {
    auto recovered =
        orchestrator::recover_dead_owners(db, world.folder, world.clock.now(), [draw] { return draw; });
    if (!recovered) return std::move(recovered).error();
    return {};
  });
  if (done) {
    scene_.witness.look();
    desk_.look_again();  // on our own connection: nothing else says that claims and probes were let go
    chores_at_.reset();
    look_at_ = std::min(look_at_, world.clock.mono() + Milliseconds{250});
  } else {
    chores_at_ = world.clock.mono() + 5s;
  }
}

std::optional<Failure> Process::batch(const std::vector<std::function<void(store::Database&)>>& jobs) {
  const Disk::Acting acting{scene_.world.disk, number_};
  auto& connection = db_.connection();
  std::optional<Failure> lost;
  try {
    connection.begin_batch();
    for (const auto& job : jobs) {
      connection.run("SAVEPOINT job");
      job(db_);
      if (connection.batch_is_lost()) break;
      connection.run("RELEASE job");
    }
    connection.commit_batch();
  } catch (const store::DatabaseFault& fault) {
    lost = fault.failure();
    lost->failure_class = FailureClass::local;
  }
  connection.end_batch();
  return lost;
}

MonoTime Process::next() const {
  MonoTime next = stop_at_ ? (given_up_ ? MonoTime::max() : *stop_at_) : look_at_;
  if (chores_at_) next = std::min(next, *chores_at_);
  if (!stop_at_) next = std::min(next, collect_at_);
  for (const auto& [to, sending] : sending_) next = std::min(next, sending.ends);
  for (const auto& [series, underway] : underway_) next = std::min(next, underway.ends);
  return next;
}

void Process::wake(Milliseconds within) {
  look_at_ = std::min(look_at_, scene_.world.clock.mono() + random_.between(Milliseconds{0}, within));
  post_soon();
}

void Process::recover_soon() {
  if (daemon_ && !chores_at_)
    chores_at_ = scene_.world.clock.mono() + random_.between(Milliseconds{0}, Milliseconds{5000});
}

void Process::stop(Milliseconds grace) {
  const MonoTime at = scene_.world.clock.mono() + grace;
  if (!stop_at_ || at < *stop_at_) stop_at_ = at;
}

void Process::use(orchestrator::Limits limits) {
  new_limits_ = limits;
  wake(Milliseconds{0});
}

// The ends that are due and, when its time has come, a round; some of them share a transaction.
void Process::turn() {
  World& world = scene_.world;
  const MonoTime now = world.clock.mono();
  if (chores_at_ && *chores_at_ <= now) chores();
  if (stop_at_ && *stop_at_ <= now) give_up();
  if (!stop_at_ || !sending_.empty()) post(now);
  const bool looks = !stop_at_ && look_at_ <= now;

  std::vector<Ending> endings;
  for (const auto& [series, underway] : underway_)
    if (underway.ends <= now) endings.push_back({series, {}});
  std::vector<std::function<void(store::Database&)>> jobs;
  for (Ending& ending : endings) {
    const Underway& underway = underway_.at(ending.series);
    jobs.emplace_back([&](store::Database& db) {
      if (underway.tries > 0) desk_.look_again();
      ending.finished = desk_.finish(db, ending.series, underway.attempt, underway.end);
    });
  }
  std::optional<Result<Round>> round;
  std::vector<SeriesId> over;
  const auto look = [&](store::Database& db) {
    if (std::exchange(commit_lost_, false)) {
      desk_.forget_round();
      data_version_.reset();
    }
    round = this->round(db, over);
  };
  const bool together = looks && !endings.empty() && random_.chance(50);
  if (looks && new_limits_) {
    limits_ = *std::exchange(new_limits_, std::nullopt);
    auto& claimant = scene_.guard.claimants[owner_];
    claimant.limits = limits_;
    claimant.starts.clear();  // the pace begins anew
    claimant.retries.clear();
    desk_.use(world.site.drivers, limits_);
  }
  if (together) {
    over = std::exchange(ended_, {});
    jobs.emplace_back(look);
  }

  std::optional<Failure> lost;
  if (!jobs.empty()) {
    lost = batch(jobs);
    std::vector<Witness::Told> told;
    for (const Ending& ending : endings)
      if (!lost && ending.finished && *ending.finished)
        told.push_back({underway_.at(ending.series).attempt, underway_.at(ending.series).end.let_in_at});
    scene_.witness.look(told);
    for (Ending& ending : endings) settle(ending, lost);
  }
  if (looks && !together) {
    over = std::exchange(ended_, {});
    lost = batch({look});
    scene_.witness.look();
  }
  if (looks) {
    if (lost || !round || !*round) {
      commit_lost_ = true;
      ended_.insert(ended_.end(), over.begin(), over.end());
      world.account.note("process {}: a round came to nothing: {}", number_,
                         lost    ? world.said(*lost)
                         : round ? world.said(round->error())
                                 : "not begun");
      if (!lost && round)
        hold(round->error().failure_class == FailureClass::local, "a round failed: {}",
             round->error().reason);
      look_at_ = now + 1s;
      if (!daemon_) {
        failed_ = true;
        stop(Milliseconds{0});
      }
    } else {
      begin(**round);
      look_at_ = next_look(**round);
    }
  }
  if (stop_at_ && underway_.empty()) over_ = true;
}

Result<Process::Round> Process::round(store::Database& db, const std::vector<SeriesId>& over) {
  World& world = scene_.world;
  Round round;
  auto version = db.data_version();
  if (!version) return std::move(version).error();
  if (data_version_ != *version) {
    data_version_ = *version;
    desk_.look_again();
    keeper_.settings_changed();
    auto cancelled = store::SeriesBook{db}.to_cancel(owner_);
    if (!cancelled) return std::move(cancelled).error();
    round.cancelled = std::move(*cancelled);
  }
  if (daemon_) {
    const auto kept = db.atomically([&]() -> Result<void> {
      auto step = keeper_.work(db, world.clock.now(), opened_at_once_);
      if (!step) return std::move(step).error();
      round.step = std::move(*step);
      return {};
    });
    if (!kept) {
      keeper_.settings_changed();
      return kept.error();
    }
    if (round.step.opened > 0 || !round.step.overtaken.empty()) desk_.look_again();
  }
  auto batch = desk_.start_due(db, over);
  if (!batch) return std::move(batch).error();
  round.batch = std::move(*batch);
  return round;
}

}  // namespace nightjar::simulation
