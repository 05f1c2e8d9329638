#include "orchestrator/dispatcher.hpp"

#include <nightjar/orchestrator/daemon.hpp>
#include <nightjar/orchestrator/recovery.hpp>
#include <nightjar/runtime/spawn.hpp>
#include <nightjar/schedule/times.hpp>

#include <unistd.h>
#include <utility>

namespace nightjar::orchestrator {
namespace {

using std::chrono::steady_clock;

// How often dead processes are looked for and the sign of life is written.
constexpr Seconds between_chores{5};
// A loop that has not come round for so long is stuck: its longest honest turn is a batch of 2,000 series.
constexpr Seconds stuck_after{20};

Result<void> forget_probes(store::Database& db) {
  store::BreakerBook book{db};
  auto open = book.open_breakers();
  if (!open) return std::move(open).error();
  for (const auto& breaker : *open) {
    auto row = book.of(breaker.customer);
    if (!row) return std::move(row).error();
    row->breaker = admission::recovered(row->breaker);
    if (auto put = book.put(breaker.customer, *row); !put) return put;
  }
  return {};
}

}  // namespace

class Daemon::Impl {
 public:
  Impl(Site site, Limits limits, std::string owner, Dice dice, Listeners listeners)
      : site_(site),
        listeners_(std::move(listeners)),
        dice_(dice),
        life_{
            .owner = owner, .pid = ::getpid(), .started_at = site.clock.now(), .seen_at = {}, .address = {}},
        dispatcher_(site, limits, Duty{std::move(owner), true}, std::move(dice),
                    {.event = [this](const Event& event) { take(event); },
                     .fired = [this](const Timekeeper::Step& step) { take(step); },
                     .trouble = [this](const Failure& failure) { listeners_.trouble(failure); }}) {}

  Task<Result<void>> prepare(std::string address) {
    life_.address = std::move(address);
    std::function<Result<std::size_t>(store::Database&)> job = [this](store::Database& db) {
      if (auto forgotten = forget_probes(db); !forgotten) return Result<std::size_t>{forgotten.error()};
      return chores(db);
    };
    auto done = co_await dispatcher_.in_store(std::move(job));
    if (!done) co_return std::move(done).error();
    if (*done > 0) listeners_.recovered(*done);
    co_return Result<void>{};
  }

  Task<Result<void>> run() {
    auto executor = co_await asio::this_coro::executor;
    timer_.emplace(executor);
    runtime::spawn_logged(executor, "chores", repeat_chores());
    auto ran = co_await dispatcher_.run();
    stopped_ = true;
    timer_->cancel();
    co_return ran;
  }

  void stop(Milliseconds grace) { dispatcher_.stop(grace); }
  void use(const config::Drivers& drivers, Limits limits) { dispatcher_.use(drivers, limits); }
  bool is_alive() const { return steady_clock::now() - dispatcher_.turned_at() < stuck_after; }
  std::size_t running() const { return dispatcher_.running(); }

  Task<Result<Status>> status() {
    Status status;
    status.at = site_.clock.now();
    status.started_at = life_.started_at;
    status.counters = counters_;
    status.counters.retries_put_off = dispatcher_.retries_put_off();
    std::function<Result<Standing>(store::Database&)> job = [at = status.at](store::Database& db) {
      return standing(db, at);
    };
    auto stands = co_await dispatcher_.in_store(std::move(job));
    if (!stands) co_return std::move(stands).error();
    status.standing = std::move(*stands);
    co_return status;
  }

 private:
  // On the database's thread.
  Result<std::size_t> chores(store::Database& db) {
    auto recovered = recover_dead_owners(db, site_.data_folder, site_.clock.now(), dice_);
    if (!recovered) return recovered;
    store::Daemon life = life_;
    life.seen_at = site_.clock.now();
    life.retries_put_off = put_off_;
    if (auto put = store::BreakerBook{db}.put(life); !put) return put.error();
    return recovered;
  }

  Task<void> repeat_chores() {
    while (!stopped_) {
      timer_->expires_after(between_chores);
      co_await timer_->async_wait(as_result);
      if (stopped_) co_return;
      put_off_ = dispatcher_.retries_put_off();
      std::function<Result<std::size_t>(store::Database&)> job = [this](store::Database& db) {
        return chores(db);
      };
      auto done = co_await dispatcher_.in_store(std::move(job));
      dispatcher_.look_again();  // series that a dead process had claimed are nobody's now
      if (!done)
        listeners_.trouble(done.error());
      else if (*done > 0)
        listeners_.recovered(*done);
    }
  }

  void take(const Event& event) {
    if (event.kind == EventKind::attempt_ended) {
      const auto failed = event.outcome == series::Outcome::success || !event.failure
                              ? std::nullopt
                              : std::optional{event.failure->failure_class};
      ++counters_.attempts[{*event.outcome, failed}];
      counters_.durations.add(event.duration);
    }
    if (event.kind == EventKind::series_ended) ++counters_.series_ended[{event.state, event.end}];
    listeners_.event(event);
  }

  void take(const Timekeeper::Step& step) {
    counters_.series_opened += step.opened;
    for (const store::Run& run : step.fired) {
      ++(run.kind == store::RunKind::missed ? counters_.runs_missed : counters_.runs);
      listeners_.run(run);
    }
  }

  Site site_;
  Listeners listeners_;
  Dice dice_;
  store::Daemon life_;
  Counters counters_;
  std::uint64_t put_off_ = 0;
  Dispatcher dispatcher_;
  std::optional<asio::steady_timer> timer_;
  bool stopped_ = false;
};

Daemon::Daemon(Site site, Limits limits, std::string owner, Dice dice, Listeners listeners)
    : impl_(std::make_unique<Impl>(site, limits, std::move(owner), std::move(dice), std::move(listeners))) {}
Daemon::~Daemon() = default;

Task<Result<void>> Daemon::prepare(std::string address) {
  return impl_->prepare(std::move(address));
}
Task<Result<void>> Daemon::run() {
  return impl_->run();
}
void Daemon::stop(Milliseconds grace) {
  impl_->stop(grace);
}
void Daemon::use(const config::Drivers& drivers, Limits limits) {
  impl_->use(drivers, limits);
}
bool Daemon::is_alive() const {
  return impl_->is_alive();
}
std::size_t Daemon::running() const {
  return impl_->running();
}
Task<Result<Status>> Daemon::status() {
  return impl_->status();
}

Result<void> note_schedules(store::Database& db, UtcTime now) {
  return Timekeeper::note_schedules(db, now);
}

}  // namespace nightjar::orchestrator
