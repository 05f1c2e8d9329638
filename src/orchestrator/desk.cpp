#include "orchestrator/desk.hpp"

#include <nightjar/admission/hold.hpp>

#include <algorithm>
#include <utility>

namespace nightjar::orchestrator {
namespace {

// Refusals cost no connection but two writes each; 10,000 of them are not written in one transaction.
constexpr std::size_t refusals_at_once = 200;
// How many of the oldest series of an open breaker are asked whether they have been held back long enough.
constexpr std::size_t looked_at_behind_breaker = 200;
// And how often.
constexpr Seconds look_behind_breaker{1};
// A round ends the wait of the loop: it starts no more than this, and the next one goes on.
constexpr std::size_t starts_at_once = 100;

std::optional<UtcTime> earlier(std::optional<UtcTime> a, std::optional<UtcTime> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

struct Desk::Round {
  UtcTime now{};
  MonoTime mono{};
  std::size_t free = 0;
  bool paced = false;  // the pace, not the sessions, says how many may start
  bool retries_allowed = true;
  Batch batch;
};

Desk::Desk(const Site& site, Limits limits, Duty duty, Dice dice)
    : clock_(site.clock),
      planner_(site.vault, site.drivers),
      limits_(limits),
      duty_(std::move(duty)),
      dice_(std::move(dice)),
      pace_(limits.connections_per_second, site.clock.mono()),
      budget_(limits.retries) {}

void Desk::use(const config::Drivers& drivers, Limits limits) {
  planner_.use(drivers);
  pace_ = admission::Pace{limits.connections_per_second, clock_.mono()};
  if (limits.retries != limits_.retries) budget_ = admission::RetryBudget{limits.retries};
  limits_ = limits;
  look_again();
}

void Desk::look_again() {
  lines_known_ = false;
  lines_.clear();
  breakers_.clear();
  credential_breakers_.clear();
  customer_limits_.clear();
}

void Desk::forget(SeriesId series) {
  const auto found = running_.find(series);
  if (found == running_.end()) return;
  --in_use_[found->second.customer];
  if (found->second.credential) --unanswered_[found->second.credential];
  running_.erase(found);
}

void Desk::forget_round() {
  for (const SeriesId series : std::exchange(started_last_, {})) forget(series);
  look_again();
}

Result<Batch> Desk::start_due(store::Database& db, const std::vector<SeriesId>& over) {
  for (const SeriesId series : over) forget(series);
  started_last_.clear();
  std::optional<Result<Batch>> batch;
  const auto all = db.atomically([&]() -> Result<void> {
    if (auto noticed = notice_others(db); !noticed) return noticed;
    batch = deal_slots(db);
    return *batch ? Result<void>{} : batch->error();
  });
  if (all) return std::move(*batch);
  forget_round();
  return all.error();
}

Result<Batch> Desk::deal_slots(store::Database& db) {
  Round round;
  round.now = clock_.now();
  round.mono = clock_.mono();
  const auto running = running_.size();
  const auto sessions = static_cast<std::size_t>(limits_.sessions);
  const std::size_t slots = sessions > running ? sessions - running : 0;
  const std::size_t pace = pace_.available(round.mono);
  round.free = std::min({slots, pace, starts_at_once});
  round.paced = pace < std::min(slots, starts_at_once);
  round.retries_allowed = budget_.next_retry_at(round.mono) <= round.mono;
  if (auto found = find_lines(db); !found) return found.error();

  std::vector<admission::Queue> queues;
  std::map<CustomerId, std::vector<Candidate>> waiting;
  for (auto& [customer, lines] : lines_) {
    auto found = candidates(db, customer, lines, round);
    if (!found) return std::move(found).error();
    if (found->empty()) continue;
    auto limits = limits_of(db, customer);
    if (!limits) return std::move(limits).error();
    queues.push_back({customer, found->size(), in_use_[customer], limits->sessions});
    waiting[customer] = std::move(*found);
  }
  const auto deal = admission::deal(queues, round.free, served_last_);
  served_last_ = deal.last;
  std::size_t wanted = 0;
  for (const auto& queue : queues) wanted += queue.waiting;
  for (const auto& share : deal.shares) {
    wanted -= share.granted;
    if (auto granted = grant(db, waiting[share.customer], share.granted, round); !granted)
      return granted.error();
  }

  Batch& batch = round.batch;
  batch.held_back = batch.held_back || wanted > 0;
  batch.paced = batch.paced || (wanted > 0 && round.paced);
  for (const auto& [customer, lines] : lines_)
    batch.next_due = earlier(batch.next_due, earlier(lines.first, lines.retry));
  // What was refused took the place of others in the lines, and no slot.
  batch.unfinished = batch.unfinished || batch.started.size() == starts_at_once || !batch.refused.empty();
  batch.idle = running_.empty() && batch.started.empty() && !batch.held_back && !batch.next_due;
  return std::move(round.batch);
}

Result<void> Desk::find_lines(store::Database& db) {
  store::SeriesBook book{db};
  const auto whose = duty_.daemon ? std::string_view{} : std::string_view{duty_.owner};
  if (!lines_known_) {
    auto customers = book.customers_waiting(whose);
    if (!customers) return std::move(customers).error();
    for (const CustomerId customer : *customers) lines_[customer];
    lines_known_ = true;
  }
  for (auto& [customer, lines] : lines_) {
    if (lines.known) continue;
    for (const bool retries : {false, true}) {
      auto next = book.next_due(whose, {customer, retries}, UtcTime::min());
      if (!next) return std::move(next).error();
      (retries ? lines.retry : lines.first) = *next;
    }
    lines.known = true;
  }
  return {};
}

// Appends what is due in a line. One that was read to its end tells when to look into it again.
Result<void> Desk::read_line(store::Database& db, CustomerId customer, Lines& lines, bool retries,
                             Round& round, std::size_t most, std::vector<Candidate>& into) {
  store::SeriesBook book{db};
  const auto whose = duty_.daemon ? std::string_view{} : std::string_view{duty_.owner};
  auto found = book.waiting(whose, {customer, retries}, round.now, most);
  if (!found) return std::move(found).error();
  if (found->size() < most) {
    // Those left out have a device that is busy: they are due, and looked at when its attempt ends.
    auto next = book.next_due(whose, {customer, retries}, round.now);
    if (!next) return std::move(next).error();
    (retries ? lines.retry : lines.first) = found->empty() ? *next : std::optional{found->front().due};
  }
  for (auto& waiting : *found) into.push_back({.waiting = std::move(waiting), .retry = retries});
  return {};
}

Result<std::vector<Desk::Candidate>> Desk::candidates(store::Database& db, CustomerId customer, Lines& lines,
                                                      Round& round) {
  std::vector<Candidate> found;
  const bool firsts = lines.first && *lines.first <= round.now;
  const bool retries = lines.retry && *lines.retry <= round.now;
  if (!firsts && !retries) return found;
  // A hold that is further away than it can be is from before the clock was set back.
  if (round.now < lines.held_until && lines.held_until <= round.now + look_behind_breaker) {
    round.batch.held_back = true;
    return found;
  }
  auto limits = limits_of(db, customer);
  if (!limits) return std::move(limits).error();
  const int room = limits->sessions - in_use_[customer];
  if (round.free == 0 || room <= 0) {
    round.batch.held_back = true;
    round.batch.paced = round.batch.paced || (round.paced && room > 0);
    return found;
  }
  auto row = breaker(db, customer);
  if (!row) return std::move(row).error();
  const bool open = admission::is_open((*row)->breaker);
  const auto most = open ? looked_at_behind_breaker : std::min(round.free, static_cast<std::size_t>(room));
  if (firsts)
    if (auto read = read_line(db, customer, lines, false, round, most, found); !read) return read.error();
  if (retries && round.retries_allowed)
    if (auto read = read_line(db, customer, lines, true, round, most, found); !read) return read.error();
  if (retries && !round.retries_allowed) {
    static_cast<void>(budget_.take_retry(round.mono));  // refused, and counted
    round.batch.held_back = true;
  }
  if (found.size() >= most) {  // there may be more behind them
    round.batch.held_back = true;
    round.batch.paced = round.batch.paced || (round.paced && static_cast<std::size_t>(room) > most);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.waiting.due < b.waiting.due; });
  if (auto passed = pass_credentials(db, found, round); !passed) return passed.error();
  if (auto passed = pass_breaker(db, customer, lines, found, round); !passed) return passed.error();
  return found;
}

// What a credential that was rejected too often lets through: it comes first, or a refused attempt would be
// taken for a probe.
Result<void> Desk::pass_credentials(store::Database& db, std::vector<Candidate>& candidates, Round& round) {
  std::vector<Candidate> passed;
  std::unordered_map<CredentialId, std::size_t> ahead;  // in this round, not started yet
  for (Candidate& candidate : candidates) {
    const CredentialId credential = candidate.waiting.credential;
    if (!credential) {
      passed.push_back(std::move(candidate));
      continue;
    }
    auto state = breaker(db, credential);
    if (!state) return std::move(state).error();
    switch (admission::admit(**state, unanswered_[credential] + ahead[credential])) {
      case admission::Admission::go:
        ++ahead[credential];
        passed.push_back(std::move(candidate));
        break;
      case admission::Admission::hold:
        round.batch.held_back = true;
        break;
      case admission::Admission::refuse:
        if (round.batch.refused.size() == refusals_at_once) {
          round.batch.unfinished = true;
          break;
        }
        if (auto refused = refuse(db, candidate, round); !refused) return refused;
        break;
    }
  }
  candidates = std::move(passed);
  return {};
}

Result<void> Desk::pass_breaker(store::Database& db, CustomerId customer, Lines& lines,
                                std::vector<Candidate>& candidates, Round& round) {
  auto row = breaker(db, customer);
  if (!row) return std::move(row).error();
  if (!admission::is_open((*row)->breaker) || candidates.empty()) return {};
  auto limits = limits_of(db, customer);
  if (!limits) return std::move(limits).error();
  const auto gate = admission::gate((*row)->breaker, admission::breaker_rule(*limits), round.now);
  std::vector<Candidate> passed;
  bool probe = gate.verdict == admission::Gate::Verdict::probe;
  for (Candidate& candidate : candidates) {
    candidate.held_by = store::HeldBy::customer_breaker;
    candidate.probe = std::exchange(probe, false);
    if (!candidate.probe) {
      auto limit = hold_limit(db, candidate.waiting);
      if (!limit) return std::move(limit).error();
      if (*limit > round.now) continue;
    }
    passed.push_back(std::move(candidate));
  }
  if (passed.size() < candidates.size()) round.batch.held_back = true;
  if (passed.empty())
    lines.held_until = std::min(gate.verdict == admission::Gate::Verdict::hold ? gate.until : UtcTime::max(),
                                round.now + look_behind_breaker);
  candidates = std::move(passed);
  return {};
}

Result<UtcTime> Desk::hold_limit(store::Database& db, const store::Waiting& waiting) {
  auto rule = store::Inventory{db}.retry_rule({rules::Level::device, {}, waiting.device});
  if (!rule) return std::move(rule).error();
  return admission::hold_limit(waiting.due, waiting.held, rule->rule.max_delay.value);
}

Result<void> Desk::grant(store::Database& db, std::vector<Candidate>& candidates, std::size_t granted,
                         Round& round) {
  for (auto& candidate : candidates) {
    if (granted == 0) break;
    if (candidate.retry && !budget_.take_retry(round.mono)) {
      round.batch.held_back = true;
      continue;
    }
    if (!candidate.retry) budget_.first(round.mono);
    auto started = start(db, candidate, round.now);
    if (!started && started.error().failure_class == FailureClass::setup) {
      round.batch.held_back = true;  // another process was quicker with this device
      continue;
    }
    if (!started) return std::move(started).error();
    pace_.take(1, round.mono);
    --granted;
    round.batch.started.push_back(std::move(*started));
  }
  return {};
}

Milliseconds Desk::held(const store::CustomerBreakerRow& row, UtcTime due, UtcTime now) const {
  const auto from = row.breaker.opened_at ? row.breaker.opened_at : row.was_open;
  if (!from) return Milliseconds{0};
  const UtcTime until = row.breaker.opened_at ? now : row.closed_at.value_or(now);
  return std::max(Milliseconds{0}, std::min(until, now) - std::max(*from, due));
}

Result<Started> Desk::start(store::Database& db, const Candidate& candidate, UtcTime now) {
  store::SeriesBook book{db};
  auto row = book.find(candidate.waiting.id);
  if (!row) return std::move(row).error();
  store::Inventory inventory{db};
  auto rule = inventory.retry_rule({rules::Level::device, {}, row->device});
  if (!rule) return std::move(rule).error();
  auto device = inventory.device(row->device);
  if (!device) return std::move(device).error();
  auto state = breaker(db, row->customer);
  if (!state) return std::move(state).error();

  const auto before = row->machine;
  auto step = series::step(before, series::event::Start{}, rules::values(rule->rule), now, dice_);
  if (!step) return std::move(step).error();
  store::AttemptBegin begin;
  begin.series = row->id;
  begin.after = step->series;
  begin.started_at = now;
  begin.queued = std::max(Milliseconds{0}, now - candidate.waiting.due);
  begin.held = held(**state, candidate.waiting.due, now);
  begin.held_by =
      begin.held > Milliseconds{0} ? std::optional{store::HeldBy::customer_breaker} : candidate.held_by;
  auto attempt = book.begin_attempt(begin, duty_.owner);
  if (!attempt) return std::move(attempt).error();
  if (candidate.probe) {  // announced in the transaction that starts it
    (*state)->breaker = admission::begin_probe((*state)->breaker, row->id);
    if (auto put = store::BreakerBook{db}.put(row->customer, **state); !put) return put.error();
  }

  Started started;
  started.series = std::move(*row);
  started.series.machine = step->series;
  started.attempt = *attempt;
  started.was_waiting = before.state == series::State::retry_wait;
  started.timeout = rule->rule.attempt_timeout.value;
  auto plan = planner_.plan(db, *device);
  if (plan)
    started.plan = std::move(*plan);
  else
    started.unplanned = std::move(plan).error();

  Running running{started.series.customer, candidate.waiting.credential};
  if (running.credential) {
    auto credential = breaker(db, running.credential);
    if (!credential) return std::move(credential).error();
    running.edition = (*credential)->edition;
    ++unanswered_[running.credential];
  }
  running_.emplace(started.series.id, running);
  ++in_use_[running.customer];
  started_last_.push_back(started.series.id);
  return started;
}

// The attempt is not made, and the series ends by it like by any other of class auth.
Result<void> Desk::refuse(store::Database& db, const Candidate& candidate, Round& round) {
  Candidate held = candidate;
  held.held_by = store::HeldBy::credential_breaker;
  auto started = start(db, held, round.now);
  if (!started)
    return started.error().failure_class == FailureClass::setup ? Result<void>{} : started.error();
  auto credential = store::Inventory{db}.credential(candidate.waiting.credential);
  if (!credential) return std::move(credential).error();
  auto state = breaker(db, candidate.waiting.credential);
  if (!state) return std::move(state).error();
  **state = admission::count_refusal(**state);
  if (auto put = store::BreakerBook{db}.put(candidate.waiting.credential, **state); !put) return put;
  Ended ended;
  ended.failure = admission::refusal(store::full_name(*credential));
  ended.transport = "";
  auto finished = write_end(db, started->series.id, started->attempt, std::move(ended));
  if (!finished) return std::move(finished).error();
  forget(started->series.id);
  round.batch.refused.push_back({std::move(*started), std::move(*finished)});
  return {};
}

Result<store::CustomerBreakerRow*> Desk::breaker(store::Database& db, CustomerId customer) {
  auto found = breakers_.find(customer);
  if (found == breakers_.end()) {
    auto row = store::BreakerBook{db}.of(customer);
    if (!row) return std::move(row).error();
    // A probe whose device was removed under it never ends.
    if (row->breaker.probe) {
      const auto probe = store::SeriesBook{db}.find(row->breaker.probe);
      if (!probe && probe.error().failure_class != FailureClass::setup) return probe.error();
      if (!probe || probe->machine.state != series::State::running)
        row->breaker = admission::recovered(row->breaker);
    }
    found = breakers_.emplace(customer, std::move(*row)).first;
  }
  return &found->second;
}

Result<admission::CredentialBreaker*> Desk::breaker(store::Database& db, CredentialId credential) {
  auto found = credential_breakers_.find(credential);
  if (found == credential_breakers_.end()) {
    auto row = store::BreakerBook{db}.of(credential);
    if (!row) return std::move(row).error();
    found = credential_breakers_.emplace(credential, std::move(*row)).first;
  }
  return &found->second;
}

Result<admission::CustomerLimits> Desk::limits_of(store::Database& db, CustomerId customer) {
  auto found = customer_limits_.find(customer);
  if (found == customer_limits_.end()) {
    auto in_force =
        store::Settings{db}.in_force<admission::LimitFields>({rules::Level::customer, customer, {}});
    if (!in_force) return std::move(in_force).error();
    auto limits = rules::values(in_force->rule);
    if (limits_.sessions_per_customer > 0 && in_force->rule.sessions.origin != rules::Level::customer)
      limits.sessions = limits_.sessions_per_customer;
    found = customer_limits_.emplace(customer, limits).first;
  }
  return found->second;
}

}  // namespace nightjar::orchestrator
