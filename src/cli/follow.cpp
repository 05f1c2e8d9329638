#include "cli/follow.hpp"

#include "cli/narrator.hpp"
#include "cli/status_line.hpp"

#include <nightjar/runtime/asio.hpp>
#include <nightjar/store/daemon_lock.hpp>
#include <nightjar/store/series_book.hpp>

#include <csignal>
#include <optional>
#include <unordered_map>

namespace nightjar::cli {
namespace {

using orchestrator::Event;
using orchestrator::EventKind;

constexpr Milliseconds look_every{250};

Event event_of(EventKind kind, const store::SeriesRow& row, int attempt, UtcTime at) {
  Event e;
  e.kind = kind;
  e.at = at;
  e.customer = row.customer_name;
  e.device = row.device_name;
  e.series = row.id;
  e.attempt = attempt;
  e.transport = "ssh";
  e.state = row.machine.state;
  e.counted = row.machine.counted;
  return e;
}

class Follower {
 public:
  Follower(Context& context, store::Database& db, std::vector<SeriesId> series)
      : context_(context),
        db_(db),
        status_(io_, [this] { return status_text(progress(), context_.now()); }),
        narrator_(context.out(), db, [this] { status_.clear(); }),
        signals_(io_, SIGINT, SIGTERM),
        timer_(io_) {
    for (const SeriesId id : series) open_[id];
    total_ = open_.size();
  }

  // What was there before is not told again.
  Result<void> begin() {
    for (auto& [id, seen] : open_) {
      const auto detail = store::SeriesBook{db_}.detail(id);
      if (!detail) return detail.error();
      for (const auto& attempt : detail->attempts)
        if (attempt.ended_at) seen.ended = seen.begun = attempt.number;
    }
    return {};
  }

  Exit run() {
    signals_.async_wait([this](boost::system::error_code error, int) {
      if (error) return;
      came_ = true;
      timer_.cancel();
    });
    if (context_.out().shows_progress()) status_.start();
    look();
    io_.run();
    status_.clear();
    if (failed_) return *failed_;
    summary_.series = total_;
    summary_.left_open = open_.size();
    narrator_.sum_up(summary_);
    if (came_) {
      context_.out().note("the daemon goes on with what is open");
      return ExitCode::interrupted;
    }
    return summary_.failed > 0 || summary_.left_open > 0 ? ExitCode::failed : ExitCode::done;
  }

 private:
  struct Seen {
    int begun = 0, ended = 0;  // attempts that were told of
    bool waits = false, runs = false;
    std::optional<UtcTime> due;
  };

  void look() {
    const auto looked = look_at_all();
    if (!looked) failed_ = looked.error();
    const auto folder = context_.data_folder();
    const bool alone = folder && !store::DaemonLock::is_held(*folder);
    if (alone && !open_.empty() && !failed_)
      context_.out().warn("the daemon has stopped; go on with `nightjar backup --resume`, or start it again");
    if (came_ || failed_ || open_.empty() || alone) {
      signals_.cancel();
      status_.stop();
      return;
    }
    timer_.expires_after(look_every);
    timer_.async_wait([this](boost::system::error_code) { look(); });
  }

  Result<void> look_at_all() {
    const auto version = db_.data_version();
    if (!version) return version.error();
    if (version_ == *version) return {};
    version_ = *version;
    for (auto at = open_.begin(); at != open_.end();) {
      const auto detail = store::SeriesBook{db_}.detail(at->first);
      if (!detail) return detail.error();
      const bool over = tell(*detail, at->second);
      at = over ? open_.erase(at) : std::next(at);
    }
    return {};
  }

  // True: the series has ended.
  bool tell(const store::SeriesDetail& detail, Seen& seen) {
    const store::SeriesRow& row = detail.series;
    for (const store::AttemptRow& attempt : detail.attempts) {
      if (attempt.number > seen.begun) {
        seen.begun = attempt.number;
        narrator_.tell(event_of(EventKind::attempt_started, row, attempt.number, attempt.started_at));
      }
      if (attempt.ended_at && attempt.number > seen.ended) {
        seen.ended = attempt.number;
        tell_end(detail, attempt);
      }
    }
    seen.waits = row.machine.state == series::State::retry_wait;
    seen.runs = row.machine.state == series::State::running;
    seen.due = row.machine.due;
    if (series::is_open(row.machine.state)) return false;
    tell_series_end(detail);
    return true;
  }

  void tell_end(const store::SeriesDetail& detail, const store::AttemptRow& attempt) {
    Event e = event_of(EventKind::attempt_ended, detail.series, attempt.number, *attempt.ended_at);
    e.outcome = attempt.outcome;
    e.failure = attempt.failure;
    if (attempt.decision) e.next_attempt_at = attempt.decision->decision.next_attempt_at;
    if (attempt.outcome == series::Outcome::success && detail.backup) e.changed = detail.backup->changed;
    e.duration = *attempt.ended_at - attempt.started_at;
    narrator_.tell(e);
  }

  void tell_series_end(const store::SeriesDetail& detail) {
    const store::SeriesRow& row = detail.series;
    Event e =
        event_of(EventKind::series_ended, row, row.machine.attempts, row.ended_at.value_or(context_.now()));
    e.end = row.machine.end;
    e.duration = e.at - row.started_at.value_or(e.at);
    if (row.machine.state == series::State::failed) e.failure = row.last_failure;
    if (row.machine.state == series::State::succeeded && detail.backup) e.changed = detail.backup->changed;
    if (!detail.attempts.empty()) e.outcome = detail.attempts.back().outcome;
    narrator_.tell(e);
    if (e.state == series::State::failed) ++summary_.failed;
    if (e.state == series::State::cancelled) ++summary_.cancelled;
    if (e.state != series::State::succeeded) return;
    ++summary_.succeeded;
    if (e.counted > 0) ++summary_.recovered_by_retry;
    if (e.changed) ++(*e.changed ? summary_.changed : summary_.unchanged);
  }

  orchestrator::Progress progress() const {
    orchestrator::Progress p;
    p.done = total_ - open_.size();
    p.failed = summary_.failed;
    for (const auto& [id, seen] : open_) {
      ++(seen.runs ? p.running : seen.waits ? p.waiting : p.pending);
      if (seen.waits && seen.due && (!p.next_attempt_at || *seen.due < *p.next_attempt_at))
        p.next_attempt_at = seen.due;
    }
    return p;
  }

  Context& context_;
  store::Database& db_;
  asio::io_context io_{1};
  StatusLine status_;
  Narrator narrator_;
  asio::signal_set signals_;
  asio::steady_timer timer_;
  std::unordered_map<SeriesId, Seen> open_;
  std::size_t total_ = 0;
  orchestrator::Summary summary_;
  std::optional<std::int64_t> version_;
  std::optional<Failure> failed_;
  bool came_ = false;
};

}  // namespace

Exit follow(Context& context, std::vector<SeriesId> series) {
  const auto db = context.database();
  if (!db) return db.error();
  Follower follower{context, **db, std::move(series)};
  if (const auto begun = follower.begin(); !begun) return begun.error();
  return follower.run();
}

}  // namespace nightjar::cli
