#include <nightjar/base/time.hpp>

#include <fmt/format.h>

#include <charconv>

namespace nightjar {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;

// Reads exactly `width` digits at `at` and moves past them.
std::optional<int> digits(std::string_view text, std::size_t& at, std::size_t width) {
  if (at + width > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const char c = text[at + i];
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  at += width;
  return value;
}

bool skip(std::string_view text, std::size_t& at, std::string_view any_of) {
  if (at >= text.size() || any_of.find(text[at]) == std::string_view::npos) return false;
  ++at;
  return true;
}

Milliseconds fraction(std::string_view text, std::size_t& at) {
  Milliseconds value{0};
  for (int scale = 100; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, scale /= 10)
    value += Milliseconds{(text[at] - '0') * scale};
  return value;
}

std::optional<minutes> offset(std::string_view text, std::size_t& at) {
  if (skip(text, at, "Zz")) return minutes{0};
  const bool west = at < text.size() && text[at] == '-';
  if (!skip(text, at, "+-")) return std::nullopt;
  const auto h = digits(text, at, 2);
  if (!h || !skip(text, at, ":")) return std::nullopt;
  const auto m = digits(text, at, 2);
  if (!m || *h > 23 || *m > 59) return std::nullopt;
  const minutes east{*h * 60 + *m};
  return west ? -east : east;
}

}  // namespace

std::string to_rfc3339(UtcTime time) {
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{floor<Seconds>(time - day)};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::optional<UtcTime> parse_rfc3339(std::string_view text) {
  std::size_t at = 0;
  const auto year = digits(text, at, 4);
  if (!year || !skip(text, at, "-")) return std::nullopt;
  const auto month = digits(text, at, 2);
  if (!month || !skip(text, at, "-")) return std::nullopt;
  const auto day = digits(text, at, 2);
  if (!day || !skip(text, at, "Tt ")) return std::nullopt;
  const auto hour = digits(text, at, 2);
  if (!hour || !skip(text, at, ":")) return std::nullopt;
  const auto minute = digits(text, at, 2);
  if (!minute || !skip(text, at, ":")) return std::nullopt;
  const auto second = digits(text, at, 2);
  if (!second) return std::nullopt;
  const Milliseconds part = skip(text, at, ".") ? fraction(text, at) : Milliseconds{0};
  const auto east = offset(text, at);
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!east || at != text.size() || !date.ok() || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  return UtcTime{std::chrono::sys_days{date}.time_since_epoch() + hours{*hour} + minutes{*minute} +
                 Seconds{*second} + part - *east};
}

std::string to_span(Milliseconds span) {
  if (span < Milliseconds{0}) span = Milliseconds{0};
  if (span > Milliseconds{0} && span < Seconds{1}) return fmt::format("{} ms", span.count());
  const auto s = std::chrono::round<Seconds>(span).count();
  if (s < 60) return fmt::format("{} s", s);
  if (s <= 3600) return s % 60 ? fmt::format("{} min {} s", s / 60, s % 60) : fmt::format("{} min", s / 60);
  if (s < 86400) return fmt::format("{} h {:02}", s / 3600, s % 3600 / 60);
  return fmt::format("{} d {} h", s / 86400, s % 86400 / 3600);
}

std::optional<Seconds> parse_span(std::string_view text) {
  long count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count < 0 || count > 1'000'000'000 || end + 1 != text.data() + text.size())
    return std::nullopt;
  switch (*end) {
    case 's':
      return Seconds{count};
    case 'm':
      return Seconds{count * 60};
    case 'h':
      return Seconds{count * 3600};
    case 'd':
      return Seconds{count * 86400};
    default:
      return std::nullopt;
  }
}

}  // namespace nightjar
