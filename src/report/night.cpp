#include <nightjar/report/night.hpp>

#include <fmt/format.h>

namespace nightjar::report {
namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::minutes;

constexpr minutes half_past_seven{7 * 60 + 30};

// The first time of every day on which the expression comes is the same.
minutes time_of_day(Date date, const schedule::Cron& cron) {
  const auto first = cron.next(schedule::LocalMinute{local_days{date}});
  return first ? *first - std::chrono::floor<days>(*first) : half_past_seven;
}

UtcTime end_of(local_days date, minutes time, const schedule::Zone& zone) {
  return zone.first_shown(schedule::LocalMinute{date} + time);
}

}  // namespace

std::string to_text(Date date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::optional<Date> parse_date(std::string_view text) {
  if (text.size() != 10) return std::nullopt;
  const auto midnight = parse_rfc3339(std::string{text} + "T00:00:00Z");
  if (!midnight) return std::nullopt;
  return Date{std::chrono::floor<days>(*midnight)};
}

Night night_of(Date date, const schedule::Cron& cron, const schedule::Zone& zone) {
  const auto time = time_of_day(date, cron);
  const local_days day{date};
  return {date, end_of(day - days{1}, time, zone), end_of(day, time, zone)};
}

Night night_around(UtcTime t, const schedule::Cron& cron, const schedule::Zone& zone) {
  // The wall clock never lags the day of `t` by more than the repeated hour: look a day back, and go on.
  const auto shown = std::chrono::floor<days>(zone.latest_shown(t));
  Night night = night_of(Date{shown - days{1}}, cron, zone);
  while (t > night.end) night = before(night, -1, cron, zone);
  return night;
}

Night before(const Night& night, int nights, const schedule::Cron& cron, const schedule::Zone& zone) {
  return night_of(Date{local_days{night.date} - days{nights}}, cron, zone);
}

}  // namespace nightjar::report
