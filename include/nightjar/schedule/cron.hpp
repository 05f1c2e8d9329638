// A cron expression: which minutes of the wall clock it means. It knows no time zone and no daylight saving
// (see times.hpp), and has neither seconds nor years.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/schedule/local.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nightjar::schedule {

class Cron {
 public:
  Cron() = default;  // 0 0 * * *

  // Five fields: minute, hour, day of month, month, day of week. In a field: *, numbers, the names jan-dec
  // and sun-sat in any case, ranges, lists, and steps over a range or * (10-50/10, */5). 0 and 7 are Sunday,
  // a range may end with Sunday (fri-sun), ? is *. When day of month and day of week are both restricted,
  // either is enough; a field that begins with * restricts nothing by itself, and then both must match. Or
  // one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually.
  // Anything else, and an expression that never comes (30 February), is class setup; the reason quotes the
  // expression and names the field, what stands there and what is allowed.
  static Result<Cron> parse(std::string_view text);

  // As it was written, with single blanks between the fields.
  const std::string& text() const { return text_; }

  // The first minute at or after `from` that matches, the last at or before `until`; empty where there is
  // none in the years of local.hpp. The work is bounded by the months of 41 years whatever the expression.
  std::optional<LocalMinute> next(LocalMinute from) const;
  std::optional<LocalMinute> last(LocalMinute until) const;

  // How many minutes of [from, to) match. The work grows with the months in between, not with the minutes.
  std::size_t count(LocalMinute from, LocalMinute to) const;

  // By text: "@daily" and "0 0 * * *" mean the same and are not equal.
  bool operator==(const Cron& other) const { return text_ == other.text_; }

 private:
  std::uint32_t days_of(std::chrono::year_month) const;  // bit d: day d of that month matches
  std::size_t times_a_day() const;
  std::size_t count_before(std::chrono::minutes time_of_day) const;
  std::optional<std::chrono::minutes> first_at_or_after(std::chrono::minutes time_of_day) const;
  std::optional<std::chrono::minutes> last_at_or_before(std::chrono::minutes time_of_day) const;

  std::string text_ = "0 0 * * *";
  std::uint64_t minutes_ = 1;                  // bit m: minute m
  std::uint32_t hours_ = 1;                    // bit h: hour h
  std::uint32_t days_ = ~1u;                   // bit d: day d of the month, from 1
  std::uint16_t months_ = 0b1'1111'1111'1110;  // bit m: month m, from 1
  std::uint8_t weekdays_ = 0b111'1111;         // bit w: weekday w, Sunday is 0
  bool either_day_ = false;                    // one of days_ and weekdays_ is enough
};

std::string to_text(const Cron&);

}  // namespace nightjar::schedule
