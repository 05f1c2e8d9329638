#include "orchestrator/outgoing.hpp"

#include <nightjar/orchestrator/letter.hpp>
#include <nightjar/runtime/spawn.hpp>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace nightjar::orchestrator {
namespace {

// How often the outbox is looked at when nothing says that there is something: other processes write into it
// too.
constexpr Milliseconds look_every{1000};
// When the store refuses: twice as long each time, up to this.
constexpr Milliseconds longest_pause{60'000};

}  // namespace

class Postman::Impl : public std::enable_shared_from_this<Postman::Impl> {
 public:
  Impl(Site site, std::string owner, delivery::Courier& courier, Listeners listeners)
      : site_(std::move(site)),
        owner_(std::move(owner)),
        courier_(courier),
        listeners_(std::move(listeners)) {}

  Task<void> run() {
    auto executor = co_await asio::this_coro::executor;
    timer_.emplace(executor);
    while (!stopped_) {
      co_await turn(executor, site_.clock.now());
      timer_->expires_after(pause_);
      if (!again_) co_await timer_->async_wait(as_result);
    }
  }

  void stop() {
    stopped_ = true;
    if (timer_) timer_->cancel();
  }

  Task<void> flush(Milliseconds most) {
    auto executor = co_await asio::this_coro::executor;
    timer_.emplace(executor);
    const MonoTime until = site_.clock.mono() + most;
    std::set<MessageId> tried;
    flushing_ = &tried;
    do {
      co_await turn(executor, site_.clock.now());
      if (busy_.empty() && !again_) break;
      timer_->expires_at(std::min(until, site_.clock.mono() + look_every));
      if (!busy_.empty()) co_await timer_->async_wait(as_result);
    } while (site_.clock.mono() < until);
    flushing_ = nullptr;
  }

 private:
  // What is complete gets its words, what is due is taken and sent.
  Task<void> turn(asio::any_io_executor executor, UtcTime now) {
    again_ = false;
    Collection round{
        .now = now,
        .complete_until = flushing_ ? UtcTime::max() : now,  // a flush waits for no more of the kind
        .reports = reports_at_ != std::chrono::floor<std::chrono::minutes>(now),
        .busy = busy_,
        .left_out = flushing_ ? *flushing_ : std::set<MessageId>{}};
    const bool look_for_reports = round.reports;
    std::function<Result<Collected>(store::Database&)> job = [this,
                                                              round = std::move(round)](store::Database& db) {
      return collect(db, round, site_.data_folder, site_.vault, owner_);
    };
    auto found = co_await in_store(std::move(job));
    if (!found) {
      pause_ = std::min(pause_ * 2, longest_pause);
      listeners_.trouble(found.error());
      co_return;
    }
    pause_ = look_every;
    again_ = again_ || found->more;
    // Times of reports are minutes.
    if (look_for_reports && !found->more_reports) reports_at_ = std::chrono::floor<std::chrono::minutes>(now);
    again_ = again_ || found->more_reports;
    for (Ready& one : found->ready) {
      busy_.insert(one.message.destination);
      if (flushing_) flushing_->insert(one.message.id);
      runtime::spawn_logged(executor, "delivery", deliver(shared_from_this(), std::move(one)));
    }
  }

  // `self` keeps this alive until the answer is written.
  static Task<void> deliver(std::shared_ptr<Impl> self, Ready ready) {
    delivery::Answer answer;
    if (ready.letter)
      answer = co_await orchestrator::send(self->courier_, std::move(*ready.letter));
    else
      answer.detail = ready.letter.error().reason;
    const UtcTime now = self->site_.clock.now();
    const auto tried = outcome_of(std::move(ready.message), ready.first_try, std::move(answer), now);
    std::function<Result<void>(store::Database&)> job = [&tried, now](store::Database& db) {
      return write_outcome(db, tried, now);
    };
    auto written = co_await self->in_store(std::move(job));
    self->busy_.erase(tried.message.destination);
    if (written)
      self->listeners_.tried(tried);
    else
      self->listeners_.trouble(written.error());
    self->again_ = true;
    if (self->timer_) self->timer_->cancel();
  }

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

  Site site_;
  std::string owner_;
  delivery::Courier& courier_;
  Listeners listeners_;
  std::optional<asio::steady_timer> timer_;
  std::set<DestinationId> busy_;                                           // one at a time to each
  std::set<MessageId>* flushing_ = nullptr;                                // what the flush has tried
  std::optional<std::chrono::sys_time<std::chrono::minutes>> reports_at_;  // looked for in this minute
  Milliseconds pause_ = look_every;
  bool again_ = false;
  bool stopped_ = false;
};

Postman::Postman(Site site, std::string owner, delivery::Courier& courier, Listeners listeners)
    : impl_(std::make_shared<Impl>(std::move(site), std::move(owner), courier, std::move(listeners))) {}
Postman::~Postman() {
  impl_->stop();
}
Task<void> Postman::run() {
  return impl_->run();
}
void Postman::stop() {
  impl_->stop();
}
Task<void> Postman::flush(Milliseconds most) {
  return impl_->flush(most);
}

}  // namespace nightjar::orchestrator
