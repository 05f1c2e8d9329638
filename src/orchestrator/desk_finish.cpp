// The desk's second half: what is written when an attempt ends, and what it tells about others.
#include "orchestrator/desk.hpp"

#include <nightjar/admission/evidence.hpp>
#include <nightjar/orchestrator/telling.hpp>

#include <utility>

namespace nightjar::orchestrator {
namespace {

series::Event event_of(const Ended& ended) {
  switch (ended.outcome) {
    case series::Outcome::success:
      return series::event::Succeeded{};
    case series::Outcome::failure:
      return series::event::Failed{ended.failure->failure_class};
    case series::Outcome::interrupted:
    case series::Outcome::cancelled:  // the cancel itself was noted when it was asked for
      break;
  }
  return series::event::Interrupted{};
}

}  // namespace

Result<Finished> Desk::finish(store::Database& db, SeriesId series, AttemptId attempt, Ended ended) {
  std::optional<Result<Finished>> finished;
  const auto all = db.atomically([&]() -> Result<void> {
    if (auto noticed = notice_others(db); !noticed) return noticed;
    finished = write_end(db, series, attempt, std::move(ended));
    return *finished ? Result<void>{} : finished->error();
  });
  if (!all) look_again();  // what was learnt of it may not stand
  return all ? std::move(*finished) : Result<Finished>{all.error()};
}

// Breakers are written by every process: what was learnt from a state that another one has changed since
// would undo that change, an operator's reset of a credential for one.
Result<void> Desk::notice_others(store::Database& db) {
  // Nor may what an earlier call had learnt count when its transaction came to nothing.
  breakers_.clear();
  credential_breakers_.clear();
  auto version = db.data_version();
  if (!version) return std::move(version).error();
  if (data_version_ != *version) look_again();
  data_version_ = *version;
  return {};
}

Result<Finished> Desk::write_end(store::Database& db, SeriesId series, AttemptId attempt, Ended ended) {
  store::SeriesBook book{db};
  auto row = book.find(series);
  if (!row) return std::move(row).error();
  auto rule = store::Inventory{db}.retry_rule({rules::Level::device, {}, row->device});
  if (!rule) return std::move(rule).error();

  const UtcTime now = clock_.now();
  auto step = series::step(row->machine, event_of(ended), rules::values(rule->rule), now, dice_);
  if (!step) return std::move(step).error();
  const auto known = running_.find(series);
  const Running running = known == running_.end() ? Running{row->customer, {}} : known->second;
  if (auto observed = observe(db, running, *row, ended, now); !observed) return observed.error();
  store::AttemptEnd end;
  end.series = series;
  end.attempt = attempt;
  end.ended_at = now;
  end.outcome = ended.outcome;
  end.failure = std::move(ended.failure);
  end.transport = std::move(ended.transport);
  end.after = step->series;
  end.decision = {step->decision, std::move(*rule)};
  end.backup = std::move(ended.backup);
  end.evidence = std::move(ended.evidence);
  end.host_key = std::move(ended.host_key);
  end.keep_claim = !duty_.daemon;
  auto kept = book.end_attempt(end);
  if (!kept) return std::move(kept).error();
  lines_[row->customer].known = false;  // its retry, or another series of the device

  Finished finished{std::move(*row), step->decision, std::move(*kept)};
  finished.series.machine = step->series;
  finished.series.last_failure = std::move(end.failure);
  finished.series.transport = std::move(end.transport);
  if (!series::is_open(step->series.state)) finished.series.ended_at = now;
  if (end.outcome == series::Outcome::failure &&
      finished.series.last_failure->failure_class == FailureClass::local)
    if (auto told = tell_fault(db, *finished.series.last_failure, now); !told) return told.error();
  if (auto told = tell_end(db, finished.series, now); !told) return told.error();
  return finished;
}

Result<void> Desk::observe(store::Database& db, const Running& running, const store::SeriesRow& series,
                           const Ended& ended, UtcTime now) {
  const bool ran = ended.outcome == series::Outcome::success || ended.outcome == series::Outcome::failure;
  const bool refused = ran && ended.failure && ended.transport.empty();  // by us: no device said so
  const auto contact = ran && !refused ? admission::contact_of(ended.failure) : admission::Contact::none;
  store::BreakerBook book{db};

  auto row = breaker(db, running.customer);
  if (!row) return std::move(row).error();
  auto limits = limits_of(db, running.customer);
  if (!limits) return std::move(limits).error();
  auto after = **row;
  after.breaker =
      admission::observe(after.breaker, series.id, contact, admission::breaker_rule(*limits), now);
  if (admission::is_open((*row)->breaker) && !admission::is_open(after.breaker)) {
    after.was_open = (*row)->breaker.opened_at;
    after.closed_at = now;
    lines_[running.customer].held_until = {};
  }
  if (after != **row) {
    if (auto put = book.put(running.customer, after); !put) return put;
    **row = after;
  }

  if (!running.credential || !ran || refused) return {};
  auto state = breaker(db, running.credential);
  if (!state) return std::move(state).error();
  const auto login = admission::login_of(ended.failure);
  const admission::Answer answer{series.device, login, running.edition, ended.let_in_at.value_or(now)};
  auto learnt = admission::observe(**state, answer, now);
  if (learnt == **state) return {};
  if (auto put = book.put(running.credential, learnt); !put) return put;
  **state = std::move(learnt);
  return {};
}

}  // namespace nightjar::orchestrator
