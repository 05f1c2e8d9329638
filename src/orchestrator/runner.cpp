#include "orchestrator/desk.hpp"
#include "orchestrator/pace.hpp"

#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/runtime/spawn.hpp>

#include <unordered_map>
#include <unordered_set>

namespace nightjar::orchestrator {
namespace {

using std::chrono::steady_clock;

// How long a claim stands without being renewed; only another engine than SQLite, where owner locks do not
// reach, looks at it.
constexpr std::chrono::hours lease{24};
// Series are opened in steps of this many devices, so that the store can do other work in between.
constexpr std::size_t opened_at_once = 500;
// A full disk may be a matter of seconds: this often, a second apart, the end of an attempt is written again.
constexpr int store_tries = 5;

store::NewBackup new_backup(std::string text, const config::Driver& driver) {
  store::NewBackup backup;
  backup.comparable = revision::fingerprint(revision::comparable(text, driver.text));
  backup.text = std::move(text);
  return backup;
}

Ended ended(const Started& started, backup::Report report, UtcTime now, bool stopped) {
  Ended end;
  end.transport = report.transport;
  if (report.host_key) {
    const bool known = started.plan.target.pinned && started.plan.target.algorithms == report.algorithms;
    if (!known)
      end.host_key =
          store::PinnedHostKey{started.series.device, report.host_key->type, report.host_key->fingerprint,
                               now, report.algorithms == ssh::Algorithms::legacy};
  }
  if (!report.failure) {
    end.outcome = series::Outcome::success;
    end.backup = new_backup(std::move(report.text), *started.plan.driver);
  } else if (stopped) {
    end.outcome = series::Outcome::interrupted;
    end.failure = failure(FailureClass::local, report.failure->stage, "interrupted by an operator");
  } else {
    end.failure = std::move(report.failure);
    end.evidence = std::move(report.evidence);
  }
  return end;
}

}  // namespace

class Runner::Impl {
 public:
  Impl(Site site, Limits limits, std::string owner, Dice dice, Listener listener)
      : site_(site),
        limits_(limits),
        owner_(owner),
        listener_(std::move(listener)),
        desk_(site, std::move(owner), std::move(dice)),
        pace_(limits.connections_per_second, steady_clock::now()) {}

  Task<Result<Summary>> backup(std::vector<DeviceId> devices) {
    for (std::size_t from = 0; from < devices.size() && !stopping_; from += opened_at_once) {
      const auto first = devices.begin() + static_cast<std::ptrdiff_t>(from);
      const auto last =
          devices.begin() + static_cast<std::ptrdiff_t>(std::min(from + opened_at_once, devices.size()));
      std::function<Result<std::size_t>(store::Database&)> job =
          [this, some = std::vector<DeviceId>(first, last)](store::Database& db) -> Result<std::size_t> {
        const UtcTime now = site_.clock.now();
        auto opened = store::SeriesBook{db}.open(some, series::Trigger::manual, now, owner_, now + lease);
        if (!opened) return std::move(opened).error();
        return some.size();
      };
      auto opened = co_await in_store(std::move(job));
      if (!opened) co_return std::move(opened).error();
    }
    auto summary = co_await drive();
    co_return summary;
  }

  Task<Result<Summary>> resume(std::vector<DeviceId> devices) {
    std::function<Result<std::size_t>(store::Database&)> job =
        [this, some = std::move(devices)](store::Database& db) -> Result<std::size_t> {
      auto adopted = store::SeriesBook{db}.adopt(some, owner_, site_.clock.now() + lease);
      if (!adopted) return std::move(adopted).error();
      return adopted->size();
    };
    auto adopted = co_await in_store(std::move(job));
    if (!adopted) co_return std::move(adopted).error();
    auto summary = co_await drive();
    co_return summary;
  }

  Task<Result<Summary>> rerun(SeriesId series) {
    std::function<Result<std::size_t>(store::Database&)> job =
        [this, series](store::Database& db) -> Result<std::size_t> {
      store::SeriesBook book{db};
      auto row = book.find(series);
      if (!row) return std::move(row).error();
      auto rule = store::Inventory{db}.retry_rule({rules::Level::device, {}, row->device});
      if (!rule) return std::move(rule).error();
      const UtcTime now = site_.clock.now();
      auto step = series::step(row->machine, series::event::Rerun{}, rules::values(rule->rule), now,
                               [] { return 0.0; });
      if (!step) return std::move(step).error();
      if (auto updated = book.update(series, step->series, now); !updated) return std::move(updated).error();
      auto adopted = book.adopt({row->device}, owner_, now + lease);
      if (!adopted) return std::move(adopted).error();
      return adopted->size();
    };
    auto adopted = co_await in_store(std::move(job));
    if (!adopted) co_return std::move(adopted).error();
    auto summary = co_await drive();
    co_return summary;
  }

  void stop() {
    if (std::exchange(stopping_, true)) return;
    for (auto& [series, attempt] : running_) attempt.cancel.emit(asio::cancellation_type::terminal);
    wake();
  }

  Progress progress() const {
    Progress p;
    p.running = running_.size();
    p.waiting = waiting_.size();
    p.done = summary_.succeeded + summary_.failed + summary_.cancelled;
    p.failed = summary_.failed;
    p.pending = open_ > p.running + p.waiting ? open_ - p.running - p.waiting : 0;
    p.next_attempt_at = next_due_;
    return p;
  }

 private:
  struct Running {
    std::string customer;
    asio::cancellation_signal cancel;
  };

  // A job's own failure, or that of the commit it was part of.
  template <class T>
  Task<Result<T>> in_store(std::function<Result<T>(store::Database&)> job) {
    std::optional<Failure> uncommitted;
    try {
      auto result = co_await site_.store.run<Result<T>>(std::move(job));
      co_return result;
    } catch (const store::CommitFailed& e) {
      uncommitted = e.failure();
    }
    co_return std::move(*uncommitted);
  }

  void wake() {
    woken_ = true;
    if (timer_) timer_->cancel();
  }

  Task<void> sleep_until(MonoTime until) {
    if (std::exchange(woken_, false)) co_return;
    timer_->expires_at(until);
    co_await timer_->async_wait(as_result);
    woken_ = false;
  }

  Slots free_slots() {
    Slots slots;
    const auto running = static_cast<int>(running_.size());
    const auto room = static_cast<std::size_t>(std::max(0, limits_.sessions - running));
    slots.free = std::min(room, pace_.available(steady_clock::now()));
    slots.per_customer = limits_.sessions_per_customer;
    for (const auto& [series, attempt] : running_) ++slots.in_use[attempt.customer];
    return slots;
  }

  // When to look again although no attempt has ended.
  MonoTime next_look(const Batch& batch) {
    const MonoTime now = steady_clock::now();
    const auto until_due =
        batch.next_due ? *batch.next_due - site_.clock.now() : Milliseconds{std::chrono::minutes{1}};
    // What is due and did not start waits for an attempt to end: here, which wakes us, or in another process.
    const bool stuck = batch.held_back || (batch.started.empty() && until_due <= Milliseconds{0});
    if (stuck || static_cast<int>(running_.size()) >= limits_.sessions) return now + Seconds{1};
    return std::max(now + std::clamp(until_due, Milliseconds{0}, Milliseconds{std::chrono::minutes{1}}),
                    pace_.next(now));
  }

  Task<Result<Summary>> drive() {
    executor_ = co_await asio::this_coro::executor;
    timer_.emplace(executor_);
    auto counted = co_await count_open();
    if (!counted) co_return std::move(counted).error();
    open_ = *counted;
    while (!failed_ && !stopping_) {
      Slots slots = free_slots();
      if (slots.free == 0) {
        co_await sleep_until(
            std::max(pace_.next(steady_clock::now()), steady_clock::now() + Milliseconds{1}));
        continue;
      }
      std::function<Result<Batch>(store::Database&)> job = [this, slots](store::Database& db) {
        return desk_.start_due(db, slots);
      };
      auto batch = co_await in_store(std::move(job));
      if (!batch) {
        failed_ = std::move(batch).error();
        break;
      }
      if (batch->open) open_ = *batch->open;
      next_due_ = batch->next_due;
      pace_.take(batch->started.size());
      for (auto& started : batch->started) launch(std::move(started));
      if (open_ == 0 && running_.empty()) break;
      co_await sleep_until(next_look(*batch));
    }
    co_await settle();
    counted = co_await count_open();
    summary_.series = seen_.size();
    if (counted) summary_.left_open = *counted;
    if (failed_) co_return std::move(*failed_);
    co_return summary_;
  }

  Task<Result<std::size_t>> count_open() {
    std::function<Result<std::size_t>(store::Database&)> job = [this](store::Database& db) {
      return store::SeriesBook{db}.count_open(owner_);
    };
    auto counted = co_await in_store(std::move(job));
    co_return counted;
  }

  // At the end, and after a stop or a failure of the store: attempts still under way are given up, and waited
  // for.
  Task<void> settle() {
    stop();
    while (!running_.empty()) co_await sleep_until(steady_clock::now() + Seconds{1});
  }

  void launch(Started started) {
    seen_.insert(started.series.id);
    waiting_.erase(started.series.id);
    tell_started(started);
    const SeriesId id = started.series.id;
    Running& running = running_[id];
    running.customer = started.series.customer_name;
    auto over = [this, id](std::exception_ptr bug) {
      running_.erase(id);
      if (bug && !failed_)
        failed_ = failure(FailureClass::internal, Stage::none, "an attempt ended by a bug; see the log");
      wake();
    };
    runtime::spawn_logged(executor_, started.series.customer_name + "/" + started.series.device_name,
                          pursue(std::move(started), running.cancel.slot()), std::move(over));
  }

  // One attempt to its end in the store. Only the device's part can be cancelled, not the writing.
  Task<void> pursue(Started started, asio::cancellation_slot cancelled) {
    const MonoTime began = steady_clock::now();
    backup::Report report;
    if (started.unplanned) {
      report.failure = std::move(started.unplanned);
    } else if (stopping_) {
      report.failure = failure(FailureClass::local, Stage::none, "stopped before it began");
    } else {
      backup::Plan plan = started.plan;
      plan.deadline = began + started.timeout;
      auto trying = asio::co_spawn(executor_, backup::attempt(std::move(plan)),
                                   asio::bind_cancellation_slot(cancelled, asio::use_awaitable));
      try {
        report = co_await std::move(trying);
      } catch (const boost::system::system_error& e) {
        if (e.code() != asio::error::operation_aborted) throw;
        report.failure = failure(FailureClass::local, Stage::none, "stopped before it began");
      }
    }
    const auto duration = std::chrono::duration_cast<Milliseconds>(steady_clock::now() - began);
    Ended end = ended(started, std::move(report), site_.clock.now(), stopping_);
    const series::Outcome outcome = end.outcome;
    auto finished = co_await finish(started, std::move(end));
    if (!finished) {
      if (!failed_) failed_ = std::move(finished).error();
      co_return;
    }
    tell_ended(started, *finished, outcome, duration);
  }

  // A store that cannot take a backup gets the failure instead (class local); one that takes nothing is tried
  // again for a while.
  Task<Result<Finished>> finish(const Started& started, Ended end) {
    Result<Finished> last = failure(FailureClass::internal, Stage::store, "not written");
    for (int n = 0; n < store_tries; ++n) {
      std::function<Result<Finished>(store::Database&)> job =
          [this, id = started.series.id, attempt = started.attempt, end](store::Database& db) {
            return desk_.finish(db, id, attempt, end);
          };
      last = co_await in_store(std::move(job));
      if (last || last.error().failure_class != FailureClass::local) co_return last;
      if (end.outcome == series::Outcome::success) {
        end = Ended{};
        end.failure = last.error();
        end.transport = "ssh";
        continue;
      }
      end.evidence.clear();
      end.failure->transcript_tail.clear();
      asio::steady_timer pause{executor_, Seconds{1}};
      co_await pause.async_wait(as_result);
    }
    co_return last;
  }

  static Event event_of(EventKind kind, const store::SeriesRow& row) {
    Event e;
    e.kind = kind;
    e.customer = row.customer_name;
    e.device = row.device_name;
    e.series = row.id;
    e.attempt = row.machine.attempts;
    e.state = row.machine.state;
    e.transport = row.transport;
    return e;
  }

  void tell_started(const Started& started) {
    Event e = event_of(EventKind::attempt_started, started.series);
    e.at = site_.clock.now();
    e.transport = "ssh";
    listener_(e);
  }

  void tell_ended(const Started& started, const Finished& finished, series::Outcome outcome,
                  Milliseconds duration) {
    const auto& machine = finished.series.machine;
    Event e = event_of(EventKind::attempt_ended, finished.series);
    e.at = site_.clock.now();
    e.outcome = outcome;
    e.failure = finished.series.last_failure;
    e.next_attempt_at = finished.decision.next_attempt_at;
    if (finished.backup) e.changed = finished.backup->changed;
    e.duration = duration;
    listener_(e);
    if (series::is_open(machine.state)) {
      if (machine.state == series::State::retry_wait) waiting_.insert(finished.series.id);
      return;
    }
    count(finished);
    if (open_ > 0) --open_;
    e.kind = EventKind::series_ended;
    e.end = machine.end;
    e.next_attempt_at.reset();
    e.duration = e.at - started.series.started_at.value_or(e.at - duration);
    listener_(e);
  }

  // Repaired by retry: at least one attempt failed before; interrupted ones are nobody's failure.
  void count(const Finished& finished) {
    const auto& machine = finished.series.machine;
    if (machine.state == series::State::failed) ++summary_.failed;
    if (machine.state == series::State::cancelled) ++summary_.cancelled;
    if (machine.state != series::State::succeeded) return;
    ++summary_.succeeded;
    if (machine.counted > 0) ++summary_.recovered_by_retry;
    if (finished.backup) ++(finished.backup->changed ? summary_.changed : summary_.unchanged);
  }

  Site site_;
  Limits limits_;
  std::string owner_;
  Listener listener_;
  Desk desk_;
  Pace pace_;
  asio::any_io_executor executor_;
  std::optional<asio::steady_timer> timer_;
  std::unordered_map<SeriesId, Running> running_;
  std::unordered_set<SeriesId> waiting_, seen_;
  std::optional<UtcTime> next_due_;
  std::size_t open_ = 0;
  Summary summary_;
  std::optional<Failure> failed_;
  bool stopping_ = false;
  bool woken_ = false;
};

Runner::Runner(Site site, Limits limits, std::string owner, Dice dice, Listener listener)
    : impl_(std::make_unique<Impl>(site, limits, std::move(owner), std::move(dice), std::move(listener))) {}
Runner::~Runner() = default;

Task<Result<Summary>> Runner::backup(std::vector<DeviceId> devices) {
  return impl_->backup(std::move(devices));
}
Task<Result<Summary>> Runner::resume(std::vector<DeviceId> devices) {
  return impl_->resume(std::move(devices));
}
Task<Result<Summary>> Runner::rerun(SeriesId series) {
  return impl_->rerun(series);
}
void Runner::stop() {
  impl_->stop();
}
Progress Runner::progress() const {
  return impl_->progress();
}

}  // namespace nightjar::orchestrator
