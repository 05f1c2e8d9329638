#include "store/night_rows.hpp"

#include <nightjar/store/night_book.hpp>

#include <algorithm>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;
using std::chrono::days;

struct Place {
  std::string customer_name;  // "": the platform
  schedule::Cron cron;
  schedule::Zone zone;
};

Result<Place> place_of(Database& db, std::optional<CustomerId> customer) {
  const Scope scope = customer ? Scope{rules::Level::customer, *customer, {}} : Scope{};
  Settings settings{db};
  const auto report = settings.in_force<report::ReportFields>(scope);
  if (!report) return report.error();
  const auto schedule = settings.in_force<schedule::ScheduleFields>(scope);
  if (!schedule) return schedule.error();
  return Place{report->customer_name, report->rule.cron.value, schedule->rule.timezone.value};
}

bool anything_due(Connection& c, std::optional<CustomerId> customer, const report::Night& night) {
  const Asked asked{customer, night, {}, {}};
  Statement row(c, "SELECT 1 FROM series s WHERE " + in_night(asked) + " LIMIT 1", night.begin, night.end,
                customer);
  return row.step();
}

}  // namespace

Result<report::Input> NightBook::input(std::optional<CustomerId> customer, report::Date date, UtcTime now) {
  return reading(db_, [&](Connection& c) -> Result<report::Input> {
    auto place = place_of(db_, customer);
    if (!place) return std::move(place).error();
    const auto schedules = Settings{db_}.all<schedule::ScheduleFields>();
    if (!schedules) return schedules.error();
    const auto reports = Settings{db_}.all<report::ReportFields>();
    if (!reports) return reports.error();
    const Schedules settings{*schedules, *reports};

    report::Input in;
    in.customer_name = std::move(place->customer_name);
    in.zone = place->zone;
    in.night = report::night_of(date, place->cron, place->zone);
    in.now = now;
    for (int ago = nights_of_trend - 1; ago >= 0; --ago)
      in.nights.push_back(report::before(in.night, ago, place->cron, place->zone));

    const Asked asked{customer, in.night, now, std::min(now, in.night.end)};
    Tally counted =
        tally(c, asked,
              place->zone.latest_shown(in.night.end).time_since_epoch() - in.night.end.time_since_epoch());
    in.counts = counted.counts;
    in.hours = std::move(counted.hours);
    if (in.counts.failed > 0) in.failed = failed_devices(c, asked);
    in.past = failures(c, asked, in.nights.front().begin);
    in.breakers = breakers(c, asked);
    if (in.counts.retrying > 0) in.retrying = retrying(c, asked);
    if (in.counts.cancelled > 0) in.cancelled = cancelled(c, asked);
    read_runs(c, asked, settings, counted.missed, in);
    read_devices(c, asked, settings, in);
    return in;
  });
}

Result<report::Date> NightBook::newest(std::optional<CustomerId> customer, UtcTime now) {
  return reading(db_, [&](Connection& c) -> Result<report::Date> {
    const auto place = place_of(db_, customer);
    if (!place) return place.error();
    const report::Date today{std::chrono::floor<days>(place->zone.latest_shown(now))};
    const report::Night under_way = report::night_around(now, place->cron, place->zone);
    const report::Night newest = report::night_of(today, place->cron, place->zone);
    const bool is_empty = newest.end < now && !anything_due(c, customer, newest);
    return is_empty && anything_due(c, customer, under_way) ? under_way.date : today;
  });
}

}  // namespace nightjar::store
