// When a schedule fires next, and whether a retry window fits between two of its firings.
#pragma once
#include "cli/listing.hpp"

#include <nightjar/base/time.hpp>
#include <nightjar/rules/retry.hpp>
#include <nightjar/schedule/settings.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace nightjar::cli {

// After `now`, in order; none of a schedule that is disabled.
std::vector<UtcTime> next_runs(const schedule::Schedule& schedule, UtcTime now, std::size_t count);

// [{"at":"2026-12-02T01:00:00Z","local":"2026-12-02 02:00 CET"}, ...]
Json next_runs_json(const schedule::Schedule& schedule, const std::vector<UtcTime>& times);
Listing next_runs_listing(const schedule::Schedule& schedule, const std::vector<UtcTime>& times);

// Where the window outlasts the time between two of the firings to come, the first such place.
std::vector<std::string> window_warnings(const rules::Timetable& timetable,
                                         const schedule::Schedule& schedule, UtcTime now);

}  // namespace nightjar::cli
