#include "orchestrator/reporter.hpp"

#include <nightjar/delivery/retry.hpp>
#include <nightjar/orchestrator/letter.hpp>
#include <nightjar/orchestrator/postman.hpp>
#include <nightjar/orchestrator/telling.hpp>
#include <nightjar/runtime/spawn.hpp>
#include <nightjar/store/owner_lock.hpp>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace nightjar::orchestrator {
namespace {

// How often the outbox is looked at when nothing says that there is something: other processes write into it
// too.
constexpr Milliseconds look_every{1000};
// A try is over by then: the courier's own limits are shorter. Until then nobody else takes the message.
constexpr Seconds try_takes_at_most{90};
constexpr std::size_t completed_at_once = 20;
constexpr std::size_t looked_at_once = 200;
constexpr std::size_t under_way_at_once = 32;

struct Ready {
  store::Message message;
  UtcTime first_try{};
  Result<Letter> letter;
};

// One look into the outbox, made on the database's thread: it has its own copy of what it must know.
struct Look {
  UtcTime now{};
  UtcTime complete_until{};
  bool reports = false;
  std::set<DestinationId> busy;  // one at a time to each
  std::set<MessageId> left_out;
};

struct Found {
  std::vector<Ready> ready;
  bool more = false;
  bool more_reports = false;
};

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
      timer_->expires_after(look_every);
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
    Look look{.now = now,
              .complete_until = flushing_ ? UtcTime::max() : now,  // a flush waits for no more of the kind
              .reports = reports_at_ != std::chrono::floor<std::chrono::minutes>(now),
              .busy = busy_,
              .left_out = flushing_ ? *flushing_ : std::set<MessageId>{}};
    const bool look_for_reports = look.reports;
    std::function<Result<Found>(store::Database&)> job = [this, look = std::move(look)](store::Database& db) {
      return take(db, look);
    };
    auto found = co_await in_store(std::move(job));
    if (!found) {
      listeners_.trouble(found.error());
      co_return;
    }
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

  Result<Found> take(store::Database& db, const Look& look) const {
    Found found;
    const auto done = db.atomically([&]() -> Result<void> {
      if (auto released = release_of_the_dead(db, look.now); !released) return released;
      if (auto completed = complete(db, look, found); !completed) return completed;
      if (look.reports) {
        auto one = report_one(db, look.now);
        if (!one) return std::move(one).error();
        found.more_reports = *one;
      }
      auto due = store::Outbox{db}.due(look.now, looked_at_once);
      if (!due) return std::move(due).error();
      std::set<DestinationId> busy = look.busy;
      for (auto& message : *due) {
        if (busy.size() >= under_way_at_once) break;
        if (busy.contains(message.destination) || look.left_out.contains(message.id)) continue;
        auto one = begin(db, std::move(message), look.now);
        if (!one) return std::move(one).error();
        if (!*one) continue;
        busy.insert((*one)->message.destination);
        found.ready.push_back(std::move(**one));
      }
      return {};
    });
    if (!done) return done.error();
    return found;
  }

  Result<void> release_of_the_dead(store::Database& db, UtcTime now) const {
    store::Outbox outbox{db};
    auto takers = outbox.takers();
    if (!takers) return std::move(takers).error();
    for (const std::string& owner : *takers) {
      if (owner == owner_ || store::OwnerLock::is_alive(site_.data_folder, owner)) continue;
      if (auto released = outbox.release(owner, now); !released) return released;
    }
    return {};
  }

  static Result<void> complete(store::Database& db, const Look& look, Found& found) {
    store::Outbox outbox{db};
    auto messages = outbox.complete(look.complete_until, completed_at_once);
    if (!messages) return std::move(messages).error();
    found.more = messages->size() == completed_at_once;
    for (const auto& message : *messages) {
      auto destination = store::Destinations{db}.find(message.destination);
      if (!destination) return std::move(destination).error();
      auto content = compose(db, message, *destination, look.now);
      if (!content) return std::move(content).error();
      const auto written = *content ? outbox.fix(message.id, **content, look.now) : outbox.drop(message.id);
      if (!written) return written;
    }
    return {};
  }

  Result<std::optional<Ready>> begin(store::Database& db, store::Message message, UtcTime now) const {
    store::Outbox outbox{db};
    auto begun = outbox.begin_try(message.id, owner_, now, now + try_takes_at_most);
    if (!begun) return std::move(begun).error();
    if (!*begun) return std::optional<Ready>{};
    ++message.tries;
    store::Destinations destinations{db};
    auto destination = destinations.find(message.destination);
    if (!destination) return std::move(destination).error();
    auto content = outbox.content(message.id);
    if (!content) return std::move(content).error();
    auto server = destinations.mail_server();
    if (!server) return std::move(server).error();
    auto sealed = letter(*destination, *content, message.event_id, *server, site_.vault, now);
    const UtcTime first = message.first_try.value_or(now);
    return std::optional<Ready>{Ready{std::move(message), first, std::move(sealed)}};
  }

  // `self` keeps this alive until the answer is written.
  static Task<void> deliver(std::shared_ptr<Impl> self, Ready ready) {
    delivery::Answer answer;
    if (ready.letter)
      answer = co_await orchestrator::send(self->courier_, std::move(*ready.letter));
    else
      answer.detail = ready.letter.error().reason;
    const UtcTime now = self->site_.clock.now();
    Delivered tried{std::move(ready.message), std::move(answer), std::nullopt};
    if (tried.answer.verdict == delivery::Verdict::deferred)
      tried.next_try =
          delivery::next_try(tried.message.tries, ready.first_try, now, tried.answer.retry_after);
    std::function<Result<void>(store::Database&)> job = [&tried, now](store::Database& db) {
      return db.atomically([&] { return write(db, tried, now); });
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

  static Result<void> write(store::Database& db, const Delivered& tried, UtcTime now) {
    store::Outbox outbox{db};
    const auto& [message, answer, next] = tried;
    switch (answer.verdict) {
      case delivery::Verdict::delivered:
        return outbox.delivered(message.id, answer.status, answer.detail, now);
      case delivery::Verdict::deferred:
        return next ? outbox.put_off(message.id, answer.status, answer.detail, *next)
                    : outbox.dead(message.id, answer.status, answer.detail, now);
      case delivery::Verdict::gone:
        if (auto dead = outbox.dead(message.id, answer.status, answer.detail, now); !dead) return dead;
        return store::Destinations{db}.disable(message.destination, answer.detail, now);
      case delivery::Verdict::refused:
        break;
    }
    return outbox.dead(message.id, answer.status, answer.detail, now);
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
