// The loop that drives series: it waits until something is due, lets the desk start what may start, runs the
// attempts and has their ends written. It decides nothing and remembers nothing but the attempts under way.
#pragma once
#include "orchestrator/desk.hpp"
#include "orchestrator/timekeeper.hpp"

#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/runtime/asio.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nightjar::orchestrator {

class Dispatcher {
 public:
  struct Told {
    Listener event;
    std::function<void(const Timekeeper::Step&)> fired{};  // daemon: after runs or series were opened
    std::function<void(const Failure&)> trouble{};         // daemon: the store refuses; it is asked again
  };
  Dispatcher(Site site, Limits limits, Duty duty, Dice dice, Told told);

  // In the foreground until none of the owner's series is open, as the daemon until it is stopped. A failure
  // of the store ends it in the foreground only. Called once.
  Task<Result<void>> run();

  // No new attempts. Those under way go on for `grace`; then they are given up and recorded as interrupted.
  void stop(Milliseconds grace);
  void wake();
  // The same connection has written to series past the desk: its next round looks at everything anew.
  void look_again() { doubtful_ = true; }
  // Takes effect with the next round. The drivers outlive the dispatcher.
  void use(const config::Drivers& drivers, Limits limits);

  std::size_t running() const { return running_.size(); }
  std::size_t open() const { return open_; }  // foreground: the owner's open series, when it was last counted
  std::optional<UtcTime> next_due() const { return next_due_; }
  std::uint64_t retries_put_off() const { return put_off_; }
  MonoTime turned_at() const { return turned_at_; }  // when the loop last came round: a sign of life

  // A job's own failure, or that of the commit it was part of.
  template <class T>
  Task<Result<T>> in_store(std::function<Result<T>(store::Database&)> job);

 private:
  struct Running {
    asio::cancellation_signal cancel;
    bool cancelled = false;  // by an operator
  };
  struct Round {
    Batch batch;
    Timekeeper::Step step;
    std::vector<SeriesId> cancelled;
  };

  Result<Round> round(store::Database& db, const std::vector<SeriesId>& over);
  Task<Result<Round>> next_round();
  Task<bool> is_over(const Batch& batch);
  void begin(Round& round);
  MonoTime next_look(const Round& round);
  Task<void> sleep_until(MonoTime until);
  Task<void> settle();
  void launch(Started started);
  Task<void> pursue(Started started, asio::cancellation_slot cancelled);
  Task<Result<Finished>> finish(const Started& started, Ended end);
  Ended ended(const Started& started, backup::Report report);

  void tell_started(const Started& started);
  void tell_ended(const Started& started, const Finished& finished, series::Outcome outcome,
                  Milliseconds took);
  void tell_overtaken(const store::SeriesRow& row);

  Site site_;
  Limits limits_;
  Duty duty_;
  Told told_;
  Desk desk_;
  Timekeeper keeper_;
  std::optional<std::int64_t> data_version_;
  bool commit_lost_ = false;
  bool doubtful_ = false;
  const config::Drivers* new_drivers_ = nullptr;  // not yet known to the desk

  asio::any_io_executor executor_;
  std::optional<asio::steady_timer> timer_;
  std::unordered_map<SeriesId, Running> running_;
  std::vector<SeriesId> over_;  // ended and written, the desk does not know yet
  std::optional<UtcTime> next_due_;
  std::size_t open_ = 0;
  std::uint64_t put_off_ = 0;
  MonoTime turned_at_{};
  std::optional<Failure> failed_;
  std::optional<MonoTime> stop_at_;  // when those under way are given up
  bool given_up_ = false;
  bool woken_ = false;
};

template <class T>
Task<Result<T>> Dispatcher::in_store(std::function<Result<T>(store::Database&)> job) {
  std::optional<Failure> uncommitted;
  try {
    auto result = co_await site_.store.run<Result<T>>(std::move(job));
    co_return result;
  } catch (const store::CommitFailed& e) {
    uncommitted = e.failure();
  }
  co_return std::move(*uncommitted);
}

}  // namespace nightjar::orchestrator
