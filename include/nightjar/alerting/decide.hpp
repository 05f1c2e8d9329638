// Who is told about a series that has ended, and until when a message waits for more of its kind. Decisions
// only: what was told before comes in, what is to be told goes out; nothing here writes, sends or reads a
// clock.
#pragma once
#include <nightjar/alerting/policy.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/schedule/zone.hpp>

#include <chrono>
#include <span>
#include <vector>

namespace nightjar::alerting {

// A day on the customer's calendar.
using Day = std::chrono::local_days;
Day day_of(UtcTime scheduled_for, const schedule::Zone&);

// A failure of the device that a destination was told of and that has not been recovered from.
struct Standing {
  DestinationId destination;
  Day day{};  // of the newest one told
};

struct FailedSeries {
  UtcTime scheduled_for{};
  bool device_enabled = true;
};

// Of the destinations that want to hear of failures, those that hear of this one.
std::vector<DestinationId> told_of_failure(const FailedSeries&, const Policy&, const schedule::Zone&,
                                           std::span<const DestinationId> wanting,
                                           std::span<const Standing> standing);

// Of those with a standing failure: all of them, or none when the policy is silent about recoveries. What a
// destination wants to hear does not count: who was told of the failure is told of its end.
std::vector<DestinationId> told_of_recovery(const Policy&, std::span<const Standing> standing);

// When a message that was opened at `opened` and last grew at `grown` is complete. Devices that fail of one
// shared cause fail one after the other: such a message waits until nothing came for `group`, five times that
// at most.
UtcTime closes_at(UtcTime opened, UtcTime grown, Seconds group, bool shared_cause);

}  // namespace nightjar::alerting
