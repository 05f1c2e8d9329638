// The runner's paperwork: what it reads and writes in the store, one job each. Plain functions over a
// Database, called on the database's thread; decisions come from `series`, waiting and sessions are the
// runner's.
#pragma once
#include <nightjar/backup/attempt.hpp>
#include <nightjar/base/dice.hpp>
#include <nightjar/orchestrator/plan.hpp>
#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/store/series_book.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::orchestrator {

// An attempt that was written as running; nothing was sent to the device yet.
struct Started {
  store::SeriesRow series;  // machine as it is now: running
  AttemptId attempt;
  bool was_waiting = false;  // it comes out of a retry wait
  Seconds timeout{0};
  std::optional<Failure> unplanned;  // the plan could not be made: the attempt has failed already
  backup::Plan plan;
};

struct Batch {
  std::vector<Started> started;
  std::optional<UtcTime> next_due;  // of the owner's series that wait
  std::optional<std::size_t> open;  // of the owner's series; counted only when none runs and none was started
  bool held_back = false;  // due series were left because their customer has no free slot, or another process
                           // has the device
};

// How an attempt ended, with what of it is to be kept.
struct Ended {
  series::Outcome outcome = series::Outcome::failure;
  std::optional<Failure> failure;
  std::string transport;
  std::optional<store::NewBackup> backup;
  std::string evidence;
  std::optional<store::PinnedHostKey> host_key;
};

struct Finished {
  store::SeriesRow series;
  series::Decision decision;
  std::optional<store::BackupRow> backup;
};

struct Slots {
  std::size_t free = 0;               // new attempts that may start now
  int per_customer = 0;               // the limit
  std::map<std::string, int> in_use;  // by customer
};

class Desk {
 public:
  Desk(const Site& site, std::string owner, Dice dice);

  Result<Batch> start_due(store::Database& db, Slots slots);
  Result<Finished> finish(store::Database& db, SeriesId series, AttemptId attempt, Ended ended);

 private:
  Result<Started> start(store::Database& db, store::SeriesRow row, UtcTime now);

  const runtime::Clock& clock_;
  Planner planner_;
  std::string owner_;
  Dice dice_;
};

}  // namespace nightjar::orchestrator
