// Drives series to their end in the foreground: due -> slot -> attempt -> decision -> sleep until the next is
// due. The database is the queue; the runner holds no list of its own but the attempts under way. Retry waits
// hold no slot.
#pragma once
#include <nightjar/admission/retry_budget.hpp>
#include <nightjar/base/failure.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/orchestrator/site.hpp>
#include <nightjar/runtime/asio.hpp>
#include <nightjar/series/series.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::orchestrator {

struct Limits {
  int sessions = 200;  // at once, for the platform
  int sessions_per_customer =
      0;  // at once; 0: as the cascade says. What a customer's own level says comes first
  int connections_per_second = 50;  // new ones
  admission::RetryAllowance retries;
};

enum class EventKind : std::uint8_t { attempt_started, attempt_ended, series_ended };

// What happened, after it was committed.
struct Event {
  EventKind kind = EventKind::attempt_started;
  UtcTime at{};
  std::string customer, device;
  SeriesId series;
  int attempt = 0;
  std::optional<series::Outcome> outcome;  // attempt_ended
  std::optional<Failure> failure;          // attempt_ended; series_ended: the last one
  std::string transport;
  std::optional<UtcTime> next_attempt_at;
  series::State state = series::State::pending;
  std::optional<series::End> end;  // series_ended of a failed series
  std::optional<bool> changed;     // of a success
  int counted = 0;                 // attempts that count against the rule, this one included
  Milliseconds duration{0};        // of the attempt; of the whole series for series_ended
};
using Listener = std::function<void(const Event&)>;

struct Summary {
  std::size_t series = 0, succeeded = 0, failed = 0, cancelled = 0;
  std::size_t recovered_by_retry = 0, changed = 0, unchanged = 0;
  std::size_t left_open = 0;  // stopped before their end; they go on with --resume
};

struct Progress {  // for a terminal
  std::size_t done = 0, running = 0, waiting = 0, pending = 0, failed = 0;
  std::optional<UtcTime> next_attempt_at;
};

// Reruns a series that has ended: pending and due now, nobody's yet. Returns its device.
Result<DeviceId> reopen(store::Database& db, SeriesId series, UtcTime now);

// For one run: backup, resume or rerun, once.
class Runner {
 public:
  // `owner` is the name of an OwnerLock that the caller holds.
  Runner(Site site, Limits limits, std::string owner, Dice dice, Listener listener);
  ~Runner();

  // Opens a series for each device (joining open ones) and drives them all to their end.
  Task<Result<Summary>> backup(std::vector<DeviceId> devices);
  // Goes on with the open series of these devices that nobody holds.
  Task<Result<Summary>> resume(std::vector<DeviceId> devices);
  // Reruns one series that has ended.
  Task<Result<Summary>> rerun(SeriesId series);

  // From a signal handler of the same executor: no new attempts; running ones are given up and recorded as
  // interrupted, waits stay.
  void stop();

  Progress progress() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nightjar::orchestrator
