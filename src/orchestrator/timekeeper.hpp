// Turns schedules into runs and runs into series: what fires when, what was missed, and what becomes of a
// series that is still open when the next one comes. Works on a Database in small steps, each to be one
// transaction; a crash between two of them goes on where it stopped. It keeps nothing that a restart needs.
#pragma once
#include <nightjar/base/dice.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/schedule/settings.hpp>
#include <nightjar/store/runs.hpp>
#include <nightjar/store/series_book.hpp>
#include <nightjar/store/settings.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nightjar::orchestrator {

class Timekeeper {
 public:
  explicit Timekeeper(Dice dice) : dice_(std::move(dice)) {}

  struct Step {
    std::vector<store::Run> fired;            // runs that were added
    std::size_t opened = 0;                   // series, missed ones included
    std::vector<store::SeriesRow> overtaken;  // series that ended so
    std::size_t uncounted = 0;                // missed times beyond those that are recorded
    bool more = false;                        // there is work left for now
    std::optional<UtcTime> next;              // the next firing
  };
  // Fires what is due and opens the series of at most `most` devices.
  Result<Step> work(store::Database& db, UtcTime now, std::size_t most);

  // Somebody may have edited schedules, customers or devices.
  void settings_changed() { stale_ = true; }

  // Gives each schedule in use its mark, so that firings count from now on; for whoever edits schedules while
  // no daemon runs.
  static Result<void> note_schedules(store::Database& db, UtcTime now);

 private:
  struct Group {  // devices of one customer whose schedules are equal
    CustomerId customer;
    store::ScheduleKey key;
    schedule::Schedule schedule;
    UtcTime handled{};
    std::optional<UtcTime> next;
  };

  Result<void> refresh(store::Database& db, UtcTime now);
  Result<void> fire(store::Database& db, Group& group, UtcTime now, Step& step);
  Result<void> open(store::Database& db, const store::Run& run, UtcTime now, std::size_t& most, Step& step);
  Result<void> overtake(store::Database& db, DeviceId device, UtcTime now, Step& step);
  std::optional<store::ScheduleKey> key_of(CustomerId customer, DeviceId device) const;

  Dice dice_;
  bool stale_ = true;
  std::vector<Group> groups_;
  std::unordered_map<CustomerId, std::optional<store::ScheduleKey>> of_customers_;
  std::unordered_map<DeviceId, std::optional<store::ScheduleKey>>
      of_devices_;  // with a schedule of their own
};

}  // namespace nightjar::orchestrator
