// The parts of a night as NightBook puts them together. All functions throw DatabaseFault.
#pragma once
#include "store/connection.hpp"

#include <nightjar/report/model.hpp>
#include <nightjar/report/settings.hpp>
#include <nightjar/store/settings.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightjar::store {

struct Asked {
  std::optional<CustomerId> customer;
  report::Night night;
  UtcTime now{}, as_of{};  // as_of: now, or the end of the night
};

// Every statement about a night binds these first: ?1 and ?2 its begin and end, ?3 the customer or NULL.
std::string scope_of(const Asked& asked, std::string_view alias);
// "s.scheduled_for_ms > ?1 AND ..." with the scope.
std::string in_night(const Asked& asked);

struct Tally {
  report::Counts counts;
  std::vector<report::Hour> hours;
  std::map<RunId, std::size_t> missed;  // series of each run
};
Tally tally(Database::Connection& c, const Asked& asked, Milliseconds offset);

std::vector<report::FailedDevice> failed_devices(Database::Connection& c, const Asked& asked);
// From `from` to the end of the night.
std::vector<report::Failing> failures(Database::Connection& c, const Asked& asked, UtcTime from);
std::vector<report::Retrying> retrying(Database::Connection& c, const Asked& asked);
std::vector<report::CancelledSeries> cancelled(Database::Connection& c, const Asked& asked);
std::vector<report::Breaker> breakers(Database::Connection& c, const Asked& asked);

// Of devices that are disabled, have no copy or an old one.
struct Schedules {
  const AllLayers<schedule::ScheduleFields>& schedules;
  const AllLayers<report::ReportFields>& reports;
};
void read_devices(Database::Connection& c, const Asked& asked, const Schedules& settings,
                  report::Input& into);

// Runs that were missed or came late, and those that nobody has started.
void read_runs(Database::Connection& c, const Asked& asked, const Schedules& settings,
               const std::map<RunId, std::size_t>& missed, report::Input& into);

}  // namespace nightjar::store
