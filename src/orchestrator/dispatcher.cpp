#include "orchestrator/dispatcher.hpp"

#include <nightjar/runtime/spawn.hpp>

#include <algorithm>
#include <utility>

namespace nightjar::orchestrator {
namespace {

using std::chrono::steady_clock;

// How soon the daemon notices what another process has written.
constexpr Milliseconds look_for_others{250};
// Attempts that end close together share a round.
constexpr Milliseconds between_rounds{10};
// What was held back is looked at again.
constexpr Seconds look_at_held{1};
constexpr std::chrono::minutes longest_sleep{1};
// Series that a due run opens in one transaction, so that the store can do other work in between.
constexpr std::size_t opened_at_once = 2000;
// A full disk may be a matter of seconds: this often, a second apart, the end of an attempt is written again.
constexpr int store_tries = 5;

store::NewBackup new_backup(std::string text, const config::Driver& driver) {
  store::NewBackup backup;
  backup.comparable = revision::fingerprint(revision::comparable(text, driver.text));
  backup.text = std::move(text);
  return backup;
}

Failure bug(const std::exception& e) {
  return failure(FailureClass::internal, Stage::none, std::string{"a bug ended the attempt: "} + e.what());
}

}  // namespace

Dispatcher::Dispatcher(Site site, Limits limits, Duty duty, Dice dice, Told told)
    : site_(site),
      limits_(limits),
      duty_(duty),
      told_(std::move(told)),
      desk_(site, limits, std::move(duty), dice),
      keeper_(std::move(dice)),
      turned_at_(steady_clock::now()) {}

void Dispatcher::stop(Milliseconds grace) {
  const MonoTime at = steady_clock::now() + grace;
  if (stop_at_ && *stop_at_ <= at) return;
  stop_at_ = at;
  wake();
}

void Dispatcher::wake() {
  woken_ = true;
  if (timer_) timer_->cancel();
}

void Dispatcher::use(const config::Drivers& drivers, Limits limits) {
  limits_ = limits;
  new_drivers_ = &drivers;
  wake();
}

Task<void> Dispatcher::sleep_until(MonoTime until) {
  if (std::exchange(woken_, false)) co_return;
  timer_->expires_at(until);
  co_await timer_->async_wait(as_result);
  woken_ = false;
}

Task<Result<void>> Dispatcher::run() {
  executor_ = co_await asio::this_coro::executor;
  timer_.emplace(executor_);
  while (!failed_ && !stop_at_) {
    const MonoTime began = steady_clock::now();
    turned_at_ = began;
    auto round = co_await next_round();
    if (!round && !duty_.daemon) {
      failed_ = std::move(round).error();
      break;
    }
    if (!round) {
      if (told_.trouble) told_.trouble(round.error());
      co_await sleep_until(steady_clock::now() + Seconds{1});
      continue;
    }
    begin(*round);
    if (round->batch.idle && !duty_.daemon) {
      const bool over = co_await is_over(round->batch);
      if (over) break;
    }
    co_await sleep_until(next_look(*round));
    if (steady_clock::now() < began + between_rounds && !stop_at_) {
      timer_->expires_at(began + between_rounds);
      co_await timer_->async_wait(as_result);
    }
  }
  co_await settle();
  if (failed_) co_return std::move(*failed_);
  co_return Result<void>{};
}

Task<Result<Dispatcher::Round>> Dispatcher::next_round() {
  const std::vector<SeriesId> over = std::exchange(over_, {});
  const config::Drivers* drivers = std::exchange(new_drivers_, nullptr);
  std::function<Result<Round>(store::Database&)> job =
      [this, over, drivers, limits = limits_, lost = std::exchange(commit_lost_, false),
       doubtful = std::exchange(doubtful_, false)](store::Database& db) {
        if (lost) {
          desk_.forget_round();
          data_version_.reset();  // what that round had fired, and who it was to cancel, is looked up anew
        }
        if (doubtful) desk_.look_again();
        if (drivers) desk_.use(*drivers, limits);
        return round(db, over);
      };
  auto next = co_await in_store(std::move(job));
  if (!next) {
    commit_lost_ = true;
    over_.insert(over_.end(), over.begin(), over.end());  // the desk may not have heard of them
    if (!new_drivers_) new_drivers_ = drivers;
  }
  co_return next;
}

// On the database's thread.
Result<Dispatcher::Round> Dispatcher::round(store::Database& db, const std::vector<SeriesId>& over) {
  Round round;
  auto version = db.data_version();
  if (!version) return std::move(version).error();
  if (data_version_ != *version) {
    data_version_ = *version;
    desk_.look_again();
    keeper_.settings_changed();
    auto cancelled = store::SeriesBook{db}.to_cancel(duty_.owner);
    if (!cancelled) return std::move(cancelled).error();
    round.cancelled = std::move(*cancelled);
  }
  if (duty_.daemon) {
    const auto kept = db.atomically([&]() -> Result<void> {
      auto step = keeper_.work(db, site_.clock.now(), opened_at_once);
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

void Dispatcher::begin(Round& round) {
  next_due_ = round.batch.next_due;
  put_off_ = desk_.retries_put_off();
  if (told_.fired && (!round.step.fired.empty() || round.step.opened > 0)) told_.fired(round.step);
  for (const auto& row : round.step.overtaken) tell_overtaken(row);
  for (auto& refused : round.batch.refused) {
    tell_started(refused.started);
    tell_ended(refused.started, refused.finished, series::Outcome::failure, Milliseconds{0});
  }
  for (auto& started : round.batch.started) launch(std::move(started));
  for (const SeriesId series : round.cancelled) {
    const auto found = running_.find(series);
    if (found == running_.end() || std::exchange(found->second.cancelled, true)) continue;
    found->second.cancel.emit(asio::cancellation_type::terminal);
  }
}

// Nothing of the owner's waits or runs here; a device that another process talks to may still keep one
// waiting.
Task<bool> Dispatcher::is_over(const Batch&) {
  std::function<Result<std::size_t>(store::Database&)> job = [this](store::Database& db) {
    desk_.look_again();
    return store::SeriesBook{db}.count_open(duty_.owner);
  };
  auto counted = co_await in_store(std::move(job));
  if (!counted) {
    failed_ = std::move(counted).error();
    co_return true;
  }
  open_ = *counted;
  co_return open_ == 0;
}

MonoTime Dispatcher::next_look(const Round& round) {
  const MonoTime now = steady_clock::now();
  if (round.batch.unfinished || round.step.more) return now;
  const UtcTime wall = site_.clock.now();
  MonoTime next = now + longest_sleep;
  if (duty_.daemon) next = now + look_for_others;
  if (round.batch.held_back || round.batch.idle) next = std::min(next, now + look_at_held);
  for (const auto& due : {round.batch.next_due, round.step.next}) {
    if (!due) continue;
    const auto left = std::clamp(*due - wall, Milliseconds{0}, Milliseconds{longest_sleep});
    // What is due and did not start waits for the pace, for a slot or for what holds it back.
    if (left > Milliseconds{0}) next = std::min(next, now + left);
  }
  if (round.batch.paced) next = std::min(next, desk_.next_start(now));
  return next;
}

// Attempts still under way have until stop_at_; after that, and after a failure of the store, they are given
// up and waited for.
Task<void> Dispatcher::settle() {
  while (!running_.empty()) {
    const MonoTime now = steady_clock::now();
    if (!given_up_ && (failed_ || !stop_at_ || now >= *stop_at_)) {
      given_up_ = true;
      for (auto& [series, attempt] : running_) attempt.cancel.emit(asio::cancellation_type::terminal);
    }
    co_await sleep_until(given_up_ ? now + Seconds{1} : std::min(*stop_at_, now + Seconds{1}));
  }
}

void Dispatcher::launch(Started started) {
  tell_started(started);
  const SeriesId id = started.series.id;
  Running& running = running_[id];
  auto over = [this, id](std::exception_ptr bug) {
    running_.erase(id);
    over_.push_back(id);
    if (bug && !failed_)
      failed_ = failure(FailureClass::internal, Stage::none, "an attempt ended by a bug; see the log");
    wake();
  };
  runtime::spawn_logged(executor_, started.series.customer_name + "/" + started.series.device_name,
                        pursue(std::move(started), running.cancel.slot()), std::move(over));
}

// One attempt to its end in the store. Only the device's part can be cancelled, not the writing.
Task<void> Dispatcher::pursue(Started started, asio::cancellation_slot cancelled) {
  const MonoTime began = steady_clock::now();
  backup::Report report;
  if (started.unplanned) {
    report.failure = std::move(started.unplanned);
  } else if (given_up_) {
    report.failure = failure(FailureClass::local, Stage::none, "stopped before it began");
  } else {
    backup::Plan plan = started.plan;
    plan.deadline = began + started.timeout;
    auto trying = asio::co_spawn(executor_, backup::attempt(std::move(plan)),
                                 asio::bind_cancellation_slot(cancelled, asio::use_awaitable));
    try {
      report = co_await std::move(trying);
    } catch (const boost::system::system_error& e) {
      report.failure = e.code() == asio::error::operation_aborted
                           ? failure(FailureClass::local, Stage::none, "stopped before it began")
                           : bug(e);
    } catch (const std::exception& e) {
      report.failure = bug(e);
    }
    if (report.failure && report.failure->failure_class == FailureClass::internal && told_.trouble)
      told_.trouble(*report.failure);
  }
  const auto took = std::chrono::duration_cast<Milliseconds>(steady_clock::now() - began);
  Ended end = ended(started, std::move(report));
  const series::Outcome outcome = end.outcome;
  auto finished = co_await finish(started, std::move(end));
  if (!finished) {
    // The attempt stays running in the store; recovery records it as interrupted once this process is gone.
    if (duty_.daemon)
      told_.trouble(finished.error());
    else if (!failed_)
      failed_ = std::move(finished).error();
    co_return;
  }
  tell_ended(started, *finished, outcome, took);
}

Ended Dispatcher::ended(const Started& started, backup::Report report) {
  const UtcTime now = site_.clock.now();
  Ended end;
  end.transport = report.transport;
  if (report.let_in_at)
    end.let_in_at = now - std::chrono::duration_cast<Milliseconds>(steady_clock::now() - *report.let_in_at);
  if (report.host_key) {
    const bool known = started.plan.target.pinned && started.plan.target.algorithms == report.algorithms;
    if (!known)
      end.host_key =
          store::PinnedHostKey{started.series.device, report.host_key->type, report.host_key->fingerprint,
                               now, report.algorithms == ssh::Algorithms::legacy};
  }
  const auto found = running_.find(started.series.id);
  const bool cancelled = found != running_.end() && found->second.cancelled;
  if (!report.failure) {
    end.outcome = series::Outcome::success;
    end.backup = new_backup(std::move(report.text), *started.plan.driver);
  } else if (cancelled) {
    end.outcome = series::Outcome::cancelled;
    end.failure = failure(FailureClass::local, report.failure->stage, "cancelled by an operator");
  } else if (given_up_) {
    end.outcome = series::Outcome::interrupted;
    end.failure = failure(FailureClass::local, report.failure->stage, "interrupted by an operator");
  } else {
    end.failure = std::move(report.failure);
    end.evidence = std::move(report.evidence);
  }
  return end;
}

// A store that cannot take a backup gets the failure instead (class local); one that takes nothing is tried
// again for a while, by the daemon for as long as it runs.
Task<Result<Finished>> Dispatcher::finish(const Started& started, Ended end) {
  Result<Finished> last = failure(FailureClass::internal, Stage::store, "not written");
  for (int n = 0; n < store_tries || (duty_.daemon && !given_up_); ++n) {
    std::function<Result<Finished>(store::Database&)> job =
        [this, id = started.series.id, attempt = started.attempt, end, again = n > 0](store::Database& db) {
          if (again) desk_.look_again();
          return desk_.finish(db, id, attempt, end);
        };
    last = co_await in_store(std::move(job));
    if (last || last.error().failure_class != FailureClass::local) co_return last;
    if (told_.trouble) told_.trouble(last.error());
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

}  // namespace nightjar::orchestrator
