// The paperwork of driving series: which due attempts start, and what is written when one ends. Plain calls
// on a Database, each to be one transaction; decisions come from `series` and `admission`, waiting and
// sessions are the dispatcher's. The database is the queue; what the desk remembers (attempts under way, when
// to look into which line again) a restart finds out anew.
#pragma once
#include <nightjar/admission/fair.hpp>
#include <nightjar/admission/limits.hpp>
#include <nightjar/admission/pace.hpp>
#include <nightjar/admission/retry_budget.hpp>
#include <nightjar/backup/attempt.hpp>
#include <nightjar/base/dice.hpp>
#include <nightjar/orchestrator/plan.hpp>
#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/runtime/clock.hpp>
#include <nightjar/store/breakers.hpp>
#include <nightjar/store/series_book.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nightjar::orchestrator {

// Whose series are driven: those that `owner` claimed and keeps through their waits (a command in the
// foreground), or everybody's that nobody claimed (the daemon), where `owner` holds just what runs.
struct Duty {
  std::string owner;
  bool daemon = false;
};

// An attempt that was written as running; nothing was sent to the device yet.
struct Started {
  store::SeriesRow series;  // machine as it is now: running
  AttemptId attempt;
  bool was_waiting = false;  // it comes out of a retry wait
  Seconds timeout{0};
  std::optional<Failure> unplanned;  // the plan could not be made: the attempt has failed already
  backup::Plan plan;
};

// How an attempt ended, with what of it is to be kept.
struct Ended {
  series::Outcome outcome = series::Outcome::failure;
  std::optional<Failure> failure;
  std::string transport;
  std::optional<store::NewBackup> backup;
  std::string evidence;
  std::optional<store::PinnedHostKey> host_key;
  std::optional<UtcTime> let_in_at;  // when the device had let the credential in
};

struct Finished {
  store::SeriesRow series;
  series::Decision decision;
  std::optional<store::BackupRow> backup;
};

// An attempt that a tripped credential did not let start: it has begun and failed in one.
struct Refused {
  Started started;
  Finished finished;
};

struct Batch {
  std::vector<Started> started;
  std::vector<Refused> refused;
  std::optional<UtcTime> next_due;  // of the series that wait
  bool held_back = false;           // due series were left: to be looked at again within a second
  bool paced = false;               // due series were left for the pace of new connections alone
  bool unfinished = false;          // there was more to do than one batch takes
  bool idle = false;                // nothing runs and nothing is due
};

class Desk {
 public:
  // The clock and the planner's parts outlive the desk.
  Desk(const Site& site, Limits limits, Duty duty, Dice dice);

  // `over`: attempts whose end is committed, so that their slots are free. When it fails nothing was started;
  // when it succeeded and its transaction could not be committed, `forget_round` comes before the next one.
  Result<Batch> start_due(store::Database& db, const std::vector<SeriesId>& over);
  void forget_round();
  // May be called again when its transaction could not be committed.
  Result<Finished> finish(store::Database& db, SeriesId series, AttemptId attempt, Ended ended);

  // From now on with these drivers and limits; attempts under way keep theirs. Both outlive the desk.
  void use(const config::Drivers& drivers, Limits limits);

  // Another process or another part of this one has written: lines, limits and breakers are looked at anew.
  void look_again();

  std::size_t running() const { return running_.size(); }
  MonoTime next_start(MonoTime now) const { return pace_.next(now); }
  std::uint64_t retries_put_off() const { return budget_.put_off(); }

 private:
  struct Running {
    CustomerId customer;
    CredentialId credential;
    std::int64_t edition = 0;  // of the credential's breaker when its secret was read
  };
  // When the first series of a line is due, as far as known; empty: the line has none. A due time in the past
  // means that the line has to be read.
  struct Lines {
    std::optional<UtcTime> first, retry;
    bool known = false;
    UtcTime held_until{};  // its breaker lets nothing through before
  };
  struct Candidate {
    store::Waiting waiting;
    bool retry = false;
    bool probe = false;
    std::optional<store::HeldBy> held_by{};
  };
  struct Round;  // what one start_due works with

  Result<void> find_lines(store::Database& db);
  Result<void> read_line(store::Database& db, CustomerId customer, Lines& lines, bool retries, Round& round,
                         std::size_t most, std::vector<Candidate>& into);
  Result<std::vector<Candidate>> candidates(store::Database& db, CustomerId customer, Lines& lines,
                                            Round& round);
  Result<void> pass_credentials(store::Database& db, std::vector<Candidate>& candidates, Round& round);
  Result<void> pass_breaker(store::Database& db, CustomerId customer, Lines& lines,
                            std::vector<Candidate>& candidates, Round& round);
  Result<UtcTime> hold_limit(store::Database& db, const store::Waiting& waiting);
  Result<void> grant(store::Database& db, std::vector<Candidate>& candidates, std::size_t granted,
                     Round& round);
  Result<Started> start(store::Database& db, const Candidate& candidate, UtcTime now);
  void forget(SeriesId series);
  Result<void> refuse(store::Database& db, const Candidate& candidate, Round& round);
  Result<Batch> deal_slots(store::Database& db);
  Result<void> notice_others(store::Database& db);
  Result<Finished> write_end(store::Database& db, SeriesId series, AttemptId attempt, Ended ended);
  Result<void> observe(store::Database& db, const Running& running, const store::SeriesRow& series,
                       const Ended& ended, UtcTime now);
  Milliseconds held(const store::CustomerBreakerRow& row, UtcTime due, UtcTime now) const;

  Result<store::CustomerBreakerRow*> breaker(store::Database& db, CustomerId customer);
  Result<admission::CredentialBreaker*> breaker(store::Database& db, CredentialId credential);
  Result<admission::CustomerLimits> limits_of(store::Database& db, CustomerId customer);

  const runtime::Clock& clock_;
  Planner planner_;
  Limits limits_;
  Duty duty_;
  Dice dice_;
  admission::Pace pace_;
  admission::RetryBudget budget_;
  CustomerId served_last_;

  std::unordered_map<SeriesId, Running> running_;
  std::vector<SeriesId> started_last_;  // by the newest round
  std::unordered_map<CustomerId, int> in_use_;
  std::unordered_map<CredentialId, std::size_t> unanswered_;

  std::optional<std::int64_t> data_version_;  // when the caches were filled
  bool lines_known_ = false;
  std::map<CustomerId, Lines> lines_;
  std::unordered_map<CustomerId, store::CustomerBreakerRow> breakers_;
  std::unordered_map<CredentialId, admission::CredentialBreaker> credential_breakers_;
  std::unordered_map<CustomerId, admission::CustomerLimits> customer_limits_;
};

}  // namespace nightjar::orchestrator
