// Runs: the firings of schedules. A run's series are opened in steps, each a transaction of its own, and a
// crash in between goes on where it stopped. What fires when, and what happens to a series that is still
// open, is decided elsewhere.
#pragma once
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::store {

enum class RunKind : std::uint8_t {
  on_time,
  late,    // caught up: its time had passed while nothing ran
  missed,  // the same, but too long ago: its series were never tried
};
std::string_view to_text(RunKind);

// What tells one schedule of a customer from another: devices with equal ones fire together.
struct ScheduleKey {
  std::string cron;
  std::string timezone;
  auto operator<=>(const ScheduleKey&) const = default;
};

struct Run {
  RunId id;
  CustomerId customer;
  std::string customer_name;
  UtcTime scheduled_for{};
  UtcTime created_at{};
  RunKind kind = RunKind::on_time;    // of the schedule that fired first; each has its own
  std::optional<DeviceId> opened_to;  // its series exist up to this device; none: all of them do
};

// A run with the states of its series counted.
struct RunTally {
  Run run;
  std::size_t series = 0, open = 0, succeeded = 0, recovered = 0, failed = 0, cancelled = 0, missed = 0;
};

class RunBook {
 public:
  explicit RunBook(Database& db) : db_(db) {}

  struct Handled {
    CustomerId customer;
    ScheduleKey schedule;
    UtcTime until{};  // firings up to here have their run
  };
  Result<std::vector<Handled>> handled();
  Result<void> set_handled(const Handled&);
  Result<void> forget_handled(CustomerId, const ScheduleKey&);

  // A run of this customer and time, or the one there is already, in which another schedule fires too: then
  // its series are gone through once more. A time that was missed stays missed.
  Result<RunId> add(CustomerId, UtcTime scheduled_for, RunKind, const ScheduleKey&, UtcTime now);
  Result<std::vector<Run>> unfinished();  // whose series are not all opened, the oldest first
  struct Fired {
    ScheduleKey schedule;
    RunKind kind = RunKind::on_time;
  };
  Result<std::vector<Fired>> schedules(RunId);

  struct Candidate {
    DeviceId device;
    bool in_run = false;           // it has its series already
    std::optional<SeriesId> open;  // its newest open series
  };
  // Enabled devices of the run's customer that existed at its time, with an id above `after`, in order.
  Result<std::vector<Candidate>> candidates(const Run&, DeviceId after, std::size_t most);
  // One series for each device: pending and due at `now` and nobody's, or missed at once.
  Result<void> open_series(const Run&, RunKind, const std::vector<DeviceId>& devices, UtcTime now);
  Result<void> set_opened_to(RunId, std::optional<DeviceId>);

  // The newest first; of all customers when none is named.
  Result<std::vector<RunTally>> list(std::optional<CustomerId>, std::size_t limit);

 private:
  Database& db_;
};

}  // namespace nightjar::store
