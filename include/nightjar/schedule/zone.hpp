// A time zone of the system's tz database (the package tzdata). Nothing is read after `find`, so a zone that
// was found never fails, and a database that is replaced is noticed at the next start of the process.
//
// The database lists every change of the clocks up to 2037; from 2038 on the last one stands. Times before
// the year 1 count as its beginning, times after 9999 as its end.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/schedule/local.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace date {
class time_zone;  // NOLINT(readability-identifier-naming)
}

namespace nightjar::schedule {

class Zone {
 public:
  Zone() = default;  // UTC, which needs no database

  // By its IANA name, in the spelling of the database: Europe/Paris. An unknown one (the nearest is
  // suggested) and a machine without the database are class setup.
  static Result<Zone> find(std::string_view iana);

  std::string_view name() const;

  // For people: 2026-12-01 02:00 CET.
  std::string local_text(UtcTime) const;

  // The latest wall time that clocks there have shown up to `t`: the local time, except that after they were
  // put back they have shown all of the repeated hour already (its last millisecond is returned).
  LocalTime latest_shown(UtcTime t) const;

  // When clocks there first show `time` or, where they are put forward over it, a later one: the first of two
  // for a time that occurs twice, the end of the gap for one that is skipped.
  UtcTime first_shown(LocalMinute time) const;

  // The next instant after `t` from which another offset or abbreviation holds; empty when none is known.
  std::optional<UtcTime> next_change(UtcTime t) const;

  bool operator==(const Zone&) const = default;

 private:
  explicit Zone(const date::time_zone* zone) : zone_(zone) {}
  const date::time_zone* zone_ = nullptr;  // of the database, which lives as long as the process; null: UTC
};

std::string to_text(const Zone&);

}  // namespace nightjar::schedule
