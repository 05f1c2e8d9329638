// The daemon's engine: fires schedules, drives every series that nobody else has claimed, records what dead
// processes left, keeps its sign of life in the store, and can say how things stand. It owns no socket and no
// signal: `serve` wires those.
#pragma once
#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/orchestrator/site.hpp>
#include <nightjar/orchestrator/status.hpp>
#include <nightjar/store/runs.hpp>

#include <functional>
#include <memory>
#include <string>

namespace nightjar::orchestrator {

class Daemon {
 public:
  struct Listeners {
    Listener event;
    std::function<void(const store::Run&)> run;   // fired: on time, late, or recorded as missed
    std::function<void(const Failure&)> trouble;  // the store refuses; it is asked again
    std::function<void(std::size_t)> recovered;   // attempts of dead processes recorded as interrupted
  };
  // `owner` is the name of an OwnerLock that the caller holds.
  Daemon(Site site, Limits limits, std::string owner, Dice dice, Listeners listeners);
  ~Daemon();

  // Records what the process before left behind; then the daemon is ready. `address`: of the listener, for
  // those who look into the store.
  Task<Result<void>> prepare(std::string address);
  // Until it is stopped.
  Task<Result<void>> run();
  // No new attempts; those under way go on for `grace`, the rest is recorded as interrupted.
  void stop(Milliseconds grace);

  // From now on with these; the drivers outlive the daemon.
  void use(const config::Drivers& drivers, Limits limits);

  // False when the loop has not come round for so long that something is stuck.
  bool is_alive() const;
  std::size_t running() const;
  Task<Result<Status>> status();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// How things stand in the store, with or without a daemon.
Result<Standing> standing(store::Database& db, UtcTime now);

// Gives each schedule in use its mark, so that its firings count from now on even when no daemon runs. To be
// called after an edit of schedules.
Result<void> note_schedules(store::Database& db, UtcTime now);

}  // namespace nightjar::orchestrator
