#include <nightjar/base/nearest.hpp>
#include <nightjar/schedule/zone.hpp>

#include <date/tz.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace nightjar::schedule {
namespace {

namespace chrono = std::chrono;

constexpr std::string_view utc = "UTC";

constexpr UtcTime earliest = chrono::sys_days{first_year / 1 / 1};
constexpr UtcTime latest = chrono::sys_days{last_year / 12 / 31} + chrono::days{1} - Milliseconds{1};

constexpr std::size_t longest_quoted = 100;  // the longest name has 32 characters

// No place ever put its clocks back by more than a day.
constexpr chrono::hours longest_repeat{25};

UtcTime in_range(UtcTime t) {
  return std::clamp(t, earliest, latest);
}

date::sys_info info_at(const date::time_zone& zone, UtcTime t) {
  return zone.get_info(chrono::floor<Seconds>(t));
}

LocalTime local(UtcTime t, Seconds offset) {
  return LocalTime{t.time_since_epoch() + offset};
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The database's folder holds other files as well, and all of those begin with a small letter: localtime.
bool is_zone(std::string_view file) {
  return !file.empty() && file.front() >= 'A' && file.front() <= 'Z';
}

// The zone a person most likely meant; one spelt the same but for capitals before any other.
std::string_view meant_by(std::string_view name, const std::vector<date::time_zone>& zones) {
  std::vector<std::string_view> names;
  names.reserve(zones.size());
  for (const auto& zone : zones)
    if (is_zone(zone.name())) names.emplace_back(zone.name());
  const auto same = std::ranges::find_if(
      names, [&](std::string_view known) { return std::ranges::equal(known, name, {}, lower, lower); });
  return same != names.end() ? *same : nearest(name, names);
}

Failure unknown(std::string_view name, const std::vector<date::time_zone>& zones) {
  if (name.size() > longest_quoted)
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("a name of {} characters is not a time zone", name.size()));
  const auto meant = meant_by(name, zones);
  const auto hint = meant.empty() ? std::string{": an IANA name such as Europe/Paris is wanted"}
                                  : fmt::format("; did you mean {}?", meant);
  return failure(FailureClass::setup, Stage::none, fmt::format("'{}' is not a time zone{}", name, hint));
}

Failure no_database(std::string_view name, std::string_view why) {
  return failure(FailureClass::setup, Stage::none,
                 fmt::format("the time zone '{}' cannot be looked up: {}", name, why));
}

}  // namespace

// The date library throws; it stops at this function.
Result<Zone> Zone::find(std::string_view iana) {
  if (iana == utc) return Zone{};
  try {
    const auto& zones = date::get_tzdb().zones;
    if (zones.empty())
      return no_database(iana, "this machine has no time zone database; install the package tzdata");
    const auto found = std::ranges::lower_bound(
        zones, iana, {}, [](const auto& zone) { return std::string_view{zone.name()}; });
    if (found == zones.end() || found->name() != iana || !is_zone(iana)) return unknown(iana, zones);
    found->get_info(date::sys_seconds{});  // reads the zone's file: from now on all is in memory
    return Zone{&*found};
  } catch (const std::exception& e) {
    return no_database(iana, e.what());
  }
}

std::string_view Zone::name() const {
  return zone_ ? std::string_view{zone_->name()} : utc;
}

std::string Zone::local_text(UtcTime t) const {
  t = in_range(t);
  LocalTime shown{t.time_since_epoch()};
  std::string abbreviation{utc};
  if (zone_) {
    auto info = info_at(*zone_, t);
    shown = local(t, info.offset);
    abbreviation = std::move(info.abbrev);
  }
  const auto day = chrono::floor<chrono::days>(shown);
  const chrono::year_month_day date{day};
  const chrono::hh_mm_ss time{shown - day};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} {}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), abbreviation);
}

LocalTime Zone::latest_shown(UtcTime t) const {
  t = in_range(t);
  if (!zone_) return LocalTime{t.time_since_epoch()};
  const auto info = info_at(*zone_, t);
  const LocalTime now = local(t, info.offset);
  if (info.begin < t - longest_repeat) return now;
  const auto before = zone_->get_info(info.begin - Seconds{1});
  return std::max(now, local(info.begin, before.offset) - Milliseconds{1});
}

UtcTime Zone::first_shown(LocalMinute time) const {
  if (!zone_) return UtcTime{time.time_since_epoch()};
  const auto info = zone_->get_info(date::local_seconds{time.time_since_epoch()});
  if (info.result == date::local_info::nonexistent) return info.first.end;
  return UtcTime{time.time_since_epoch() - info.first.offset};
}

std::optional<UtcTime> Zone::next_change(UtcTime t) const {
  if (!zone_) return std::nullopt;
  const auto end = info_at(*zone_, in_range(t)).end;
  if (end > latest) return std::nullopt;
  return end;
}

std::string to_text(const Zone& zone) {
  return std::string{zone.name()};
}

}  // namespace nightjar::schedule
