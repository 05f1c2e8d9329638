#include <nightjar/schedule/times.hpp>
#include <nightjar/schedule/windows.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace nightjar::schedule {
namespace {

constexpr Seconds shortest{60};
constexpr Seconds longest{7 * 86400};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Failure wrong(std::string_view window, std::string_view why) {
  return failure(FailureClass::setup, Stage::none,
                 fmt::format("'{}' is not a maintenance window: {}", window, why));
}

std::optional<int> number(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// 2026-12-24 18:00, or with a T.
std::optional<LocalMinute> wall_time(std::string_view text) {
  if (text.size() != 16 || text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') ||
      text[13] != ':')
    return std::nullopt;
  const auto year = number(text.substr(0, 4)), month = number(text.substr(5, 2)),
             day = number(text.substr(8, 2)), hour = number(text.substr(11, 2)),
             minute = number(text.substr(14, 2));
  if (!year || !month || !day || !hour || !minute || *month < 1 || *day < 1 || *hour < 0 || *hour > 23 ||
      *minute < 0 || *minute > 59)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || date.year() < first_year) return std::nullopt;
  return std::chrono::local_days{date} + std::chrono::hours{*hour} + std::chrono::minutes{*minute};
}

std::string wall_text(LocalMinute time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const auto of_day = (time - day).count();
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), of_day / 60,
                     of_day % 60);
}

std::string span_text(Seconds length) {
  const auto seconds = length.count();
  if (seconds % 3600 == 0) return fmt::format("{}h", seconds / 3600);
  return seconds % 60 == 0 ? fmt::format("{}m", seconds / 60) : fmt::format("{}s", seconds);
}

Result<Recurring> recurring(std::string_view window, std::size_t at) {
  auto cron = Cron::parse(trimmed(window.substr(0, at)));
  if (!cron) return wrong(window, cron.error().reason);
  const auto length = parse_span(trimmed(window.substr(at + 5)));
  if (!length || *length < shortest || *length > longest)
    return wrong(window, "after 'for' stands how long it is, from 1m to 7d, as in 90m or 6h");
  return Recurring{*std::move(cron), *length};
}

Result<Once> once(std::string_view window, std::size_t at) {
  const auto from = wall_time(trimmed(window.substr(0, at)));
  const auto to = wall_time(trimmed(window.substr(at + 4)));
  if (!from || !to)
    return wrong(window, "its ends are local times, as in 2026-12-24 18:00 to 2026-12-27 06:00");
  if (*to <= *from) return wrong(window, "it ends before it begins");
  return Once{*from, *to};
}

bool is_open(const Recurring& window, UtcTime t, const Zone& zone) {
  const auto opened = last_time(window.opens, zone, t);
  return opened && t < *opened + window.length;
}

bool is_open(const Once& window, UtcTime t, const Zone& zone) {
  return zone.first_shown(window.from) <= t && t < zone.first_shown(window.to);
}

}  // namespace

Result<Windows> Windows::parse(std::string_view text) {
  Windows all;
  if (trimmed(text) == "none") return all;
  while (true) {
    const auto end = text.find(';');
    const auto window = trimmed(text.substr(0, end));
    if (const auto length = window.find(" for "); length != std::string_view::npos) {
      auto parsed = recurring(window, length);
      if (!parsed) return std::move(parsed).error();
      all.windows_.emplace_back(*std::move(parsed));
    } else if (const auto to = window.find(" to "); to != std::string_view::npos) {
      auto parsed = once(window, to);
      if (!parsed) return std::move(parsed).error();
      all.windows_.emplace_back(*parsed);
    } else {
      return wrong(window, "write CRON for HOW-LONG, or FROM to TO");
    }
    if (end == std::string_view::npos) return all;
    text.remove_prefix(end + 1);
  }
}

std::string Windows::text() const {
  if (windows_.empty()) return "none";
  std::string all;
  for (const auto& window : windows_) {
    if (!all.empty()) all += "; ";
    if (const auto* again = std::get_if<Recurring>(&window))
      all += again->opens.text() + " for " + span_text(again->length);
    else if (const auto* span = std::get_if<Once>(&window))
      all += wall_text(span->from) + " to " + wall_text(span->to);
  }
  return all;
}

bool Windows::open_at(UtcTime t, const Zone& zone) const {
  for (const auto& window : windows_)
    if (std::visit([&](const auto& kind) { return is_open(kind, t, zone); }, window)) return true;
  return false;
}

std::string to_text(const Windows& windows) {
  return windows.text();
}

}  // namespace nightjar::schedule
