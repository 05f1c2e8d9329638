// What the daemon can say about itself at one moment: counters since its start, and what stands in the store
// now. Plain values; `api` renders them, nothing here counts.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/series/series.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nightjar::orchestrator {

// Attempt durations: how many took at most so many seconds, beside the sum of all.
struct Durations {
  static constexpr std::array<double, 10> bounds{0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600};  // seconds
  std::array<std::uint64_t, bounds.size() + 1>
      counts{};  // not cumulative; the last one is longer than all bounds
  double sum_seconds = 0;
  void add(Milliseconds duration);
};

struct Counters {  // since the process started
  std::map<std::pair<series::Outcome, std::optional<FailureClass>>, std::uint64_t> attempts;
  std::map<std::pair<series::State, std::optional<series::End>>, std::uint64_t> series_ended;
  std::uint64_t series_opened = 0;
  std::uint64_t retries_put_off = 0;  // by the retry budget
  std::uint64_t runs = 0, runs_missed = 0;
  Durations durations;
};

struct OpenBreaker {
  std::string customer;
  UtcTime opened_at{};
  std::optional<UtcTime> probe_at;
  std::size_t held_back = 0;  // due series of the customer that wait for it
};

struct TrippedCredential {
  std::string credential;  // full name
  UtcTime tripped_at{};
  std::int64_t refused = 0;
};

struct Standing {  // in the store, now
  std::size_t pending = 0, running = 0, retry_wait = 0;
  std::size_t due = 0;  // of pending and retry_wait: their time has come
  std::optional<UtcTime> oldest_due;
  std::optional<UtcTime> next_run;  // the next firing of any schedule
  std::vector<OpenBreaker> breakers;
  std::vector<TrippedCredential> credentials;
};

struct Status {
  UtcTime at{};
  UtcTime started_at{};
  Counters counters;
  Standing standing;
};

}  // namespace nightjar::orchestrator
