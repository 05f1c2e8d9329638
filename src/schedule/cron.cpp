#include <nightjar/schedule/cron.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace nightjar::schedule {
namespace {

namespace chrono = std::chrono;
using chrono::days;
using chrono::hours;
using chrono::local_days;
using chrono::minutes;
using chrono::months;
using chrono::year_month;

// The rarest day there is, 29 February on one weekday, stays away for 40 years at most (over 2100, 2200 and
// 2300, which are no leap years).
constexpr months longest_absence{41 * 12};

constexpr LocalMinute earliest = local_days{first_year / 1 / 1};
constexpr LocalMinute latest = local_days{last_year / 12 / 31} + hours{23} + minutes{59};

// The bits at and above n, below it, and at and below it; n < the width.
template <class Bits>
constexpr Bits from_bit(Bits bits, unsigned n) {
  return bits & static_cast<Bits>(~Bits{0} << n);
}
template <class Bits>
constexpr Bits below_bit(Bits bits, unsigned n) {
  return bits & static_cast<Bits>(~(~Bits{0} << n));
}
template <class Bits>
constexpr Bits up_to_bit(Bits bits, unsigned n) {
  return bits & static_cast<Bits>(~Bits{0} >> (std::numeric_limits<Bits>::digits - 1 - static_cast<int>(n)));
}
template <class Bits>
constexpr unsigned lowest(Bits bits) {
  return static_cast<unsigned>(std::countr_zero(bits));
}
template <class Bits>
constexpr unsigned highest(Bits bits) {
  return static_cast<unsigned>(std::bit_width(bits)) - 1;
}
template <class Bits>
constexpr std::size_t number_of(Bits bits) {
  return static_cast<std::size_t>(std::popcount(bits));
}

struct TimeOfDay {
  unsigned hour, minute;
  explicit TimeOfDay(minutes since_midnight)
      : hour(static_cast<unsigned>(since_midnight / hours{1})),
        minute(static_cast<unsigned>(since_midnight % hours{1} / minutes{1})) {}
};

minutes at(unsigned hour, unsigned minute) {
  return hours{hour} + minutes{minute};
}

unsigned day_of(const chrono::year_month_day& date) {
  return static_cast<unsigned>(date.day());
}

local_days day_in(year_month month, unsigned day) {
  return local_days{month / chrono::day{day}};
}

year_month month_of(const chrono::year_month_day& date) {
  return date.year() / date.month();
}

}  // namespace

std::uint32_t Cron::days_of(year_month month) const {
  if ((months_ >> static_cast<unsigned>(month.month()) & 1u) == 0) return 0;
  const std::uint32_t existing = up_to_bit(~1u, day_of(month / chrono::last));
  // The weekdays from that of the 1st on, five times over.
  const unsigned first = chrono::weekday{day_in(month, 1)}.c_encoding();
  const std::uint64_t from_sunday = weekdays_;
  const std::uint64_t week = (from_sunday >> first | from_sunday << (7 - first)) & 0b111'1111;
  const std::uint64_t weeks = week | week << 7 | week << 14 | week << 21 | week << 28;
  const auto by_weekday = static_cast<std::uint32_t>(weeks << 1);
  return existing & (either_day_ ? days_ | by_weekday : days_ & by_weekday);
}

std::size_t Cron::times_a_day() const {
  return number_of(hours_) * number_of(minutes_);
}

std::size_t Cron::count_before(minutes time_of_day) const {
  const TimeOfDay time{time_of_day};
  const auto whole_hours = number_of(below_bit(hours_, time.hour));
  auto count = whole_hours * number_of(minutes_);
  if ((hours_ >> time.hour & 1u) != 0) count += number_of(below_bit(minutes_, time.minute));
  return count;
}

std::optional<minutes> Cron::first_at_or_after(minutes time_of_day) const {
  const TimeOfDay time{time_of_day};
  if ((hours_ >> time.hour & 1u) != 0)
    if (const auto left = from_bit(minutes_, time.minute)) return at(time.hour, lowest(left));
  if (const auto left = from_bit(hours_, time.hour + 1)) return at(lowest(left), lowest(minutes_));
  return std::nullopt;
}

std::optional<minutes> Cron::last_at_or_before(minutes time_of_day) const {
  const TimeOfDay time{time_of_day};
  if ((hours_ >> time.hour & 1u) != 0)
    if (const auto left = up_to_bit(minutes_, time.minute)) return at(time.hour, highest(left));
  if (const auto left = below_bit(hours_, time.hour)) return at(highest(left), highest(minutes_));
  return std::nullopt;
}

std::optional<LocalMinute> Cron::next(LocalMinute from) const {
  if (from > latest) return std::nullopt;
  from = std::max(from, earliest);
  const auto today = chrono::floor<days>(from);
  const chrono::year_month_day date{today};
  year_month month = month_of(date);
  std::uint32_t left = from_bit(days_of(month), day_of(date));
  if ((left >> day_of(date) & 1u) != 0) {
    if (const auto time = first_at_or_after(from - today)) return today + *time;
    left &= left - 1;  // no more today
  }
  for (const year_month end = month + longest_absence; left == 0;) {
    month += months{1};
    if (month > end || month.year() > last_year) return std::nullopt;
    left = days_of(month);
  }
  return day_in(month, lowest(left)) + at(lowest(hours_), lowest(minutes_));
}

std::optional<LocalMinute> Cron::last(LocalMinute until) const {
  if (until < earliest) return std::nullopt;
  until = std::min(until, latest);
  const auto today = chrono::floor<days>(until);
  const chrono::year_month_day date{today};
  year_month month = month_of(date);
  std::uint32_t left = up_to_bit(days_of(month), day_of(date));
  if ((left >> day_of(date) & 1u) != 0) {
    if (const auto time = last_at_or_before(until - today)) return today + *time;
    left &= ~(1u << day_of(date));
  }
  for (const year_month end = month - longest_absence; left == 0;) {
    month -= months{1};
    if (month < end || month.year() < first_year) return std::nullopt;
    left = days_of(month);
  }
  return day_in(month, highest(left)) + at(highest(hours_), highest(minutes_));
}

std::size_t Cron::count(LocalMinute from, LocalMinute to) const {
  from = std::clamp(from, earliest, latest + minutes{1});
  to = std::clamp(to, earliest, latest + minutes{1});
  if (from >= to) return 0;
  // Matching minutes since the 1st of the month of `from`: those before `to`, less those before `from`.
  const auto from_day = chrono::floor<days>(from);
  const auto to_day = chrono::floor<days>(to);
  const chrono::year_month_day first{from_day}, end{to_day};
  const auto within_month = [this](const chrono::year_month_day& date, minutes time_of_day) {
    const std::uint32_t matching = days_of(month_of(date));
    auto count = number_of(below_bit(matching, day_of(date))) * times_a_day();
    if ((matching >> day_of(date) & 1u) != 0) count += count_before(time_of_day);
    return count;
  };
  std::size_t whole_days = 0;
  for (year_month month = month_of(first); month < month_of(end); month += months{1})
    whole_days += number_of(days_of(month));
  return whole_days * times_a_day() + within_month(end, to - to_day) - within_month(first, from - from_day);
}

std::string to_text(const Cron& cron) {
  return cron.text();
}

}  // namespace nightjar::schedule
