#include <nightjar/rules/retry.hpp>

#include <fmt/format.h>

namespace nightjar::rules {

std::vector<std::string> window_warnings(const Timetable& table, UtcTime scheduled_for,
                                         std::optional<UtcTime> next_run,
                                         std::optional<UtcTime> morning_report) {
  std::vector<std::string> warnings;
  const Milliseconds window = table.told_after_with_timeouts;
  const UtcTime end = scheduled_for + window;
  if (next_run && *next_run > scheduled_for && end > *next_run)
    warnings.push_back(fmt::format(
        "the window of {} (waits and timeouts) is longer than the {} to the next run at {}: a series "
        "that still waits then ends as overtaken",
        to_span(window), to_span(*next_run - scheduled_for), to_rfc3339(*next_run)));
  if (morning_report && *morning_report > scheduled_for && end > *morning_report)
    warnings.push_back(fmt::format(
        "the window of {} (waits and timeouts) ends at {}, after the morning report at {}: the report "
        "may come before the last try",
        to_span(window), to_rfc3339(end), to_rfc3339(*morning_report)));
  return warnings;
}

}  // namespace nightjar::rules
