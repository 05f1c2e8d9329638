#include "orchestrator/dispatcher.hpp"

#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/store/outbox.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace nightjar::orchestrator {
namespace {

// How long a claim stands without being renewed; only another engine than SQLite, where owner locks do not
// reach, looks at it.
constexpr std::chrono::hours lease{24};
// Series are opened in steps of this many devices, so that the store can do other work in between.
constexpr std::size_t opened_at_once = 500;

}  // namespace

class Runner::Impl {
 public:
  Impl(Site site, Limits limits, std::string owner, Dice dice, Listener listener)
      : site_(site),
        owner_(owner),
        listener_(std::move(listener)),
        dispatcher_(site, limits, Duty{std::move(owner)}, std::move(dice),
                    {.event = [this](const Event& event) { take(event); }}) {}

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
      auto opened = co_await dispatcher_.in_store(std::move(job));
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
    auto adopted = co_await dispatcher_.in_store(std::move(job));
    if (!adopted) co_return std::move(adopted).error();
    auto summary = co_await drive();
    co_return summary;
  }

  Task<Result<Summary>> rerun(SeriesId series) {
    std::function<Result<std::size_t>(store::Database&)> job =
        [this, series](store::Database& db) -> Result<std::size_t> {
      std::size_t adopted = 0;
      const auto done = db.atomically([&]() -> Result<void> {
        auto device = reopen(db, series, site_.clock.now());
        if (!device) return std::move(device).error();
        auto claimed = store::SeriesBook{db}.adopt({*device}, owner_, site_.clock.now() + lease);
        if (!claimed) return std::move(claimed).error();
        adopted = claimed->size();
        return {};
      });
      if (!done) return done.error();
      return adopted;
    };
    auto adopted = co_await dispatcher_.in_store(std::move(job));
    if (!adopted) co_return std::move(adopted).error();
    auto summary = co_await drive();
    co_return summary;
  }

  void stop() {
    stopping_ = true;
    dispatcher_.stop(Milliseconds{0});
  }

  Progress progress() const {
    Progress p;
    p.running = dispatcher_.running();
    p.waiting = waiting_.size();
    p.done = summary_.succeeded + summary_.failed + summary_.cancelled;
    p.failed = summary_.failed;
    p.pending = open_ > p.done + p.running + p.waiting ? open_ - p.done - p.running - p.waiting : 0;
    p.next_attempt_at = dispatcher_.next_due();
    return p;
  }

 private:
  Task<Result<Summary>> drive() {
    auto counted = co_await count_open();
    if (!counted) co_return std::move(counted).error();
    open_ = *counted;
    auto ran = co_await dispatcher_.run();
    counted = co_await count_open();
    if (!ran) co_return std::move(ran).error();
    summary_.series = seen_.size();
    if (counted) summary_.left_open = *counted;
    co_return summary_;
  }

  Task<Result<std::size_t>> count_open() {
    std::function<Result<std::size_t>(store::Database&)> job = [this](store::Database& db) {
      return store::SeriesBook{db}.count_open(owner_);
    };
    auto counted = co_await dispatcher_.in_store(std::move(job));
    co_return counted;
  }

  void take(const Event& event) {
    seen_.insert(event.series);
    if (event.kind == EventKind::attempt_started) waiting_.erase(event.series);
    if (event.kind == EventKind::attempt_ended && event.state == series::State::retry_wait)
      waiting_.insert(event.series);
    if (event.kind == EventKind::series_ended) count(event);
    listener_(event);
  }

  // Repaired by retry: at least one attempt failed before; interrupted ones are nobody's failure.
  void count(const Event& event) {
    if (event.state == series::State::failed) ++summary_.failed;
    if (event.state == series::State::cancelled) ++summary_.cancelled;
    if (event.state != series::State::succeeded) return;
    ++summary_.succeeded;
    if (event.counted > 0) ++summary_.recovered_by_retry;
    if (event.changed) ++(*event.changed ? summary_.changed : summary_.unchanged);
  }

  Site site_;
  std::string owner_;
  Listener listener_;
  Dispatcher dispatcher_;
  std::unordered_set<SeriesId> waiting_, seen_;
  std::size_t open_ = 0;
  Summary summary_;
  bool stopping_ = false;
};

Result<DeviceId> reopen(store::Database& db, SeriesId series, UtcTime now) {
  store::SeriesBook book{db};
  auto row = book.find(series);
  if (!row) return std::move(row).error();
  auto rule = store::Inventory{db}.retry_rule({rules::Level::device, {}, row->device});
  if (!rule) return std::move(rule).error();
  auto step =
      series::step(row->machine, series::event::Rerun{}, rules::values(rule->rule), now, [] { return 0.0; });
  if (!step) return std::move(step).error();
  if (auto updated = book.update(series, step->series, now); !updated) return std::move(updated).error();
  if (auto silent = store::Outbox{db}.take_back(series); !silent) return std::move(silent).error();
  return row->device;
}

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
