// Which night a report is about: the day up to the report's time of a date, in its time zone. Every moment is
// in exactly one night, whatever the clocks do. A report that is not made every day is still about one night.
#pragma once
#include <nightjar/base/time.hpp>
#include <nightjar/schedule/cron.hpp>
#include <nightjar/schedule/zone.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace nightjar::report {

using Date = std::chrono::year_month_day;

// 2026-11-30, and nothing else.
std::string to_text(Date);
std::optional<Date> parse_date(std::string_view text);

struct Night {
  Date date{};
  UtcTime begin{}, end{};  // (begin, end]: what was scheduled for the begin belongs to the night before
  bool holds(UtcTime t) const { return t > begin && t <= end; }
  bool operator==(const Night&) const = default;
};

// `cron` is the report's: its first time of a day counts.
Night night_of(Date, const schedule::Cron& cron, const schedule::Zone&);
Night night_around(UtcTime, const schedule::Cron& cron, const schedule::Zone&);
Night before(const Night&, int nights, const schedule::Cron& cron, const schedule::Zone&);

}  // namespace nightjar::report
