#include "report/phrases.hpp"

#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace nightjar::report {
namespace {

constexpr std::array months{"January", "February", "March",     "April",   "May",      "June",
                            "July",    "August",   "September", "October", "November", "December"};
constexpr std::array weekdays{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

std::string_view month(Date date) {
  return months.at(static_cast<unsigned>(date.month()) - 1);
}

std::string_view weekday(Date date) {
  return weekdays.at(std::chrono::weekday{std::chrono::sys_days{date}}.c_encoding());
}

// Zone::local_text is "2026-12-01 02:00 CET".
Date local_date(const schedule::Zone& zone, UtcTime t) {
  return parse_date(zone.local_text(t).substr(0, 10)).value_or(Date{});
}

// Europe/Paris is Paris, America/New_York New York.
std::string city(const schedule::Zone& zone) {
  std::string name{zone.name()};
  name.erase(0, name.rfind('/') + 1);
  std::ranges::replace(name, '_', ' ');
  return name;
}

// A copy some days old, without hours.
std::string days_text(Milliseconds age) {
  const auto days = std::chrono::floor<std::chrono::days>(age);
  return days.count() > 0 ? fmt::format("{} d", days.count()) : to_span(age);
}

std::vector<Group> grouped_rows(std::vector<Group> rows) {
  std::vector<Group> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (Group& row : rows) {
    const auto [at, added] = known.try_emplace({row.customer_name, row.what}, groups.size());
    if (added)
      groups.push_back(std::move(row));
    else
      groups[at->second].names.push_back(std::move(row.names.front()));
  }
  for (Group& group : groups)
    if (group.names.size() > most_rows) {
      const std::size_t left_out = group.names.size() - most_rows;
      group.names.resize(most_rows);
      group.names.push_back(more_text(left_out));
    }
  return groups;
}

}  // namespace

std::string Clock::time(UtcTime t) const {
  return zone_.local_text(t).substr(11, 5);
}

std::string Clock::seconds(UtcTime t) const {
  return fmt::format("{}:{:02}", time(t), std::chrono::floor<Seconds>(t).time_since_epoch().count() % 60);
}

std::string Clock::day(UtcTime t) const {
  return day_text(local_date(zone_, t));
}

std::string Clock::moment(UtcTime t) const {
  return local_date(zone_, t) == date_ ? time(t) : fmt::format("{} {}", day(t), time(t));
}

std::string day_text(Date date) {
  return fmt::format("{} {}", static_cast<unsigned>(date.day()), month(date).substr(0, 3));
}

std::string long_date(Date date) {
  return fmt::format("{} {} {} {}", weekday(date), static_cast<unsigned>(date.day()), month(date),
                     static_cast<int>(date.year()));
}

std::string title(const Report& report) {
  const Date date = report.night.date;
  return fmt::format("{} {} {}, {}{} {}", weekday(date).substr(0, 3), day_text(date),
                     static_cast<int>(date.year()), report.so_far ? "so far, " : "",
                     report.so_far ? Clock{report}.moment(report.as_of) : Clock{report}.time(report.as_of),
                     city(report.zone));
}

std::string scope_text(const Report& report) {
  return report.customer_name.empty() ? "all customers" : printable(report.customer_name);
}

std::string class_of(const std::optional<Failure>& failure) {
  return failure ? std::string{to_text(failure->failure_class)} : "overtaken";
}

std::string reason_of(const FailedDevice& device) {
  if (!device.failure) return "its next run came before it was tried";
  return printable(device.failure->reason);
}

std::string tries(const FailedDevice& device) {
  std::string text;
  if (device.tries == 0 || device.failing.evidence == Evidence::refused)
    text = "not tried";
  else if (device.allowed > 0)
    text = fmt::format("{} of {}", device.tries, device.allowed);
  else
    text = counted(static_cast<std::size_t>(device.tries), "attempt");
  if (text == "not tried") return text;
  switch (device.end) {
    case series::End::permanent:
      return text + ", not retried";
    case series::End::overtaken:
      return text + ", overtaken by the next run";
    case series::End::exhausted:
      break;
  }
  return device.tries < device.allowed ? text + ", out of time" : text;
}

std::string since(const Report& report, const FailedDevice& device) {
  std::string more;
  if (!device.earlier.empty()) more = fmt::format(", {} times tonight", device.earlier.size() + 1);
  if (device.nights <= 1) return "new tonight" + more;
  const Date first{std::chrono::sys_days{report.night.date} - std::chrono::days{device.nights - 1}};
  return fmt::format("since {}, {} nights{}", day_text(first), device.nights, more);
}

std::string last_good(const Report& report, const FailedDevice& device) {
  if (!device.last_good) return "never backed up";
  if (*device.last_good > device.failing.ended_at)
    return "backed up since, " + Clock{report}.moment(*device.last_good);
  return "last good " + to_span(report.as_of - *device.last_good);
}

std::string next_try(const Report& report, const Retrying& series) {
  const std::string of = series.allowed > 0 ? fmt::format(" of {}", series.allowed) : "";
  return fmt::format("try {}{} at {}", series.tries + 1, of, Clock{report}.seconds(series.next_at));
}

std::string who(const SharedCause& cause) {
  return cause.customer_name.empty() ? "several customers" : printable(cause.customer_name);
}

std::string class_of(const SharedCause& cause) {
  return cause.kind == SharedCause::Kind::breaker ? "unreachable" : "auth";
}

std::string reason_of(const Report& report, const SharedCause& cause) {
  if (cause.kind == SharedCause::Kind::credential) {
    const std::size_t refused = cause.devices.size() - cause.rejected;
    const std::string name = printable(cause.credential);
    if (cause.rejected == 0)
      return fmt::format("credential {} rejected before; not tried on {}", name, grouped(refused));
    std::string text = fmt::format("credential {} rejected by {}", name, counted(cause.rejected, "device"));
    if (refused > 0) text += fmt::format("; not tried on {}", grouped(refused));
    return text;
  }
  const Clock clock{report};
  std::string text = "breaker was open";
  if (cause.open_since && cause.open_until)
    text += fmt::format(" {} to {}", clock.moment(*cause.open_since), clock.moment(*cause.open_until));
  else if (cause.open_since)
    text = "breaker open since " + clock.moment(*cause.open_since);
  return text + ": none of them was reached";
}

std::string details(const Report& report, const SharedCause& cause) {
  const FailedDevice& first = cause.devices.front();
  std::set<std::string> all_tries;
  std::size_t fresh = 0;
  for (const FailedDevice& device : cause.devices) {
    if (const auto text = tries(device); text != "not tried") all_tries.insert(text);
    if (device.nights <= 1) ++fresh;
  }
  std::vector<std::string> parts;
  if (all_tries.size() == 1) parts.push_back(*all_tries.begin());
  if (fresh == cause.devices.size())
    parts.emplace_back("new tonight");
  else
    parts.push_back(since(report, first) + (cause.devices.size() > 1 ? " the longest" : ""));
  return joined(parts, "; ");
}

std::string last_good(const Report& report, const SharedCause& cause) {
  std::optional<UtcTime> oldest;
  for (const FailedDevice& device : cause.devices) {
    if (!device.last_good) continue;
    if (!oldest || *device.last_good < *oldest) oldest = device.last_good;
  }
  return oldest ? "last good " + to_span(report.as_of - *oldest) : "never backed up";
}

std::string missed_text(const Report& report, const MissedRun& run) {
  const Clock clock{report};
  std::string text = fmt::format("{}, {}, scheduled {}: ", printable(run.customer_name),
                                 counted(run.devices, "device"), clock.moment(run.scheduled_for));
  text += run.noticed_at
              ? fmt::format("Nightjar was not running; noticed {}, later than the {} it catches up.",
                            clock.moment(*run.noticed_at), to_span(run.catch_up))
              : "nothing has started it; is the daemon running?";
  if (run.next) text += fmt::format(" Next run {}.", clock.moment(*run.next));
  return text;
}

std::string caught_up_text(const Report& report, const CaughtUpRun& run) {
  const Clock clock{report};
  return fmt::format("{}, {}, scheduled {}: caught up at {}, {} late; not counted as missed.",
                     printable(run.customer_name), counted(run.devices, "device"),
                     clock.moment(run.scheduled_for), clock.moment(run.started_at),
                     to_span(run.started_at - run.scheduled_for));
}

std::string stale_text(const Report& report, const StaleCopy& copy) {
  std::string text = days_text(report.as_of - copy.last_good);
  if (!copy.enabled)
    text += ", device disabled";
  else if (!copy.scheduled)
    text += ", schedule disabled";
  if (copy.failed) text += ", fails, see above";
  return text;
}

std::string cancelled_text(const Report& report, const CancelledSeries& series) {
  std::string text = "at " + Clock{report}.seconds(series.at);
  if (series.attempts > 0) text += fmt::format(" after attempt {}", series.attempts);
  return text;
}

std::string under_way(const Report& report) {
  std::vector<std::string> parts;
  if (report.counts.running > 0) parts.push_back(grouped(report.counts.running) + " running");
  if (report.counts.pending > 0) parts.push_back(grouped(report.counts.pending) + " pending");
  return joined(parts);
}

std::vector<Group> never_groups(const Report& report) {
  const Clock clock{report};
  std::vector<Group> rows;
  for (const NeverBackedUp& device : report.never) {
    std::string what = device.added_at ? "added " + clock.day(*device.added_at) : "added long ago";
    if (!device.enabled)
      what += ", still disabled";
    else if (device.failed)
      what += ", fails, see above";
    else if (device.next_run)
      what += ", next run " + clock.moment(*device.next_run);
    else
      what += ", no run to come";
    rows.push_back({{printable(device.place.name)}, printable(device.place.customer_name), std::move(what)});
  }
  return grouped_rows(std::move(rows));
}

std::vector<Group> disabled_groups(const Report& report) {
  std::vector<Group> rows;
  for (const DisabledDevice& device : report.disabled)
    rows.push_back(
        {{printable(device.place.name)},
         printable(device.place.customer_name),
         device.last_good ? "last good " + days_text(report.as_of - *device.last_good) : "never backed up"});
  return grouped_rows(std::move(rows));
}

std::string more_text(std::size_t left_out) {
  return fmt::format("and {} more: in the report as CSV or JSON", grouped(left_out));
}

std::string headline(const Report& report) {
  const std::size_t things = report.own.size() + report.shared.size();
  if (things > 0) return counted(things, "thing") + " to look at";
  if (due(report.counts) == 0 && report.missed.empty()) return "Nothing was due";
  if (is_quiet(report)) return fmt::format("All {} are backed up", counted(report.counts.devices, "device"));
  return "Nothing failed";
}

std::string sentence(const Report& report) {
  const Counts& counts = report.counts;
  if (!report.own.empty() || !report.shared.empty()) {
    const std::string causes = counted(report.shared.size(), "shared cause");
    const std::size_t by_causes = devices_by_shared_causes(report);
    if (report.shared.empty()) return counted(report.own.size(), "device") + " failed.";
    if (report.own.empty()) return fmt::format("{} took {}.", causes, counted(by_causes, "device"));
    return fmt::format("{} failed on their own, {} took {} more.", counted(report.own.size(), "device"),
                       causes, grouped(by_causes));
  }
  if (is_quiet(report) && due(counts) > 0) {
    if (counts.repaired == 0) return headline(report) + ".";
    return fmt::format("{}; {} needed a retry.", headline(report), grouped(counts.repaired));
  }
  std::vector<std::string> parts;
  const auto part = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", grouped(count), what));
  };
  part(counts.retrying, "still retrying");
  part(counts.running, "running");
  part(counts.pending, "pending");
  std::size_t missed = 0;
  for (const MissedRun& run : report.missed) missed += run.devices;
  part(missed, "missed");
  part(report.caught_up.size(), report.caught_up.size() == 1 ? "run caught up" : "runs caught up");
  part(counts.cancelled, "cancelled");
  part(report.never.size(), "never backed up");
  part(report.stale.size(), "stale");
  part(report.open_breakers.size(), report.open_breakers.size() == 1 ? "breaker open" : "breakers open");
  return parts.empty() ? headline(report) + "." : fmt::format("{}; {}.", headline(report), joined(parts));
}

}  // namespace nightjar::report
