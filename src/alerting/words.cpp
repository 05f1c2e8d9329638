#include "alerting/words.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace nightjar::alerting {
namespace {

constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

// Zone::local_text is 2026-12-01 02:00 CET.
std::string date_text(const Alert& alert, UtcTime time) {
  const auto text = alert.zone.local_text(time);
  if (text.size() < 16 || text[4] != '-') return text;
  const auto month = static_cast<std::size_t>((text[5] - '0') * 10 + text[6] - '0');
  const int day = (text[8] - '0') * 10 + text[9] - '0';
  if (month < 1 || month > months.size()) return text;
  return fmt::format("{} {} {}", day, months.at(month - 1), text.substr(11, 5));
}

std::string clock_text(const Alert& alert, UtcTime time) {
  const auto text = alert.zone.local_text(time);
  if (text.size() < 16) return text;
  const auto seconds = std::chrono::floor<Seconds>(time) - std::chrono::floor<std::chrono::minutes>(time);
  return fmt::format("{}:{:02}", text.substr(11, 5), seconds.count());
}

std::string tries(const Item& item) {
  auto text = item.counted == 1 ? std::string{"1 attempt"} : fmt::format("{} attempts", item.counted);
  if (item.end) text += fmt::format(", {}", series::to_text(*item.end));
  if (!item.transport.empty()) text += fmt::format(", over {}", item.transport);
  return text;
}

std::string good_copy(const Alert& alert, const Item& item) {
  if (!item.last_good) return "never backed up";
  return fmt::format("last good copy {} old", to_span(alert.at - *item.last_good));
}

std::string rule_line(const Item& item) {
  std::string line;
  for (const RuleField& field : item.rule)
    line += fmt::format("{}{} {} ({})", line.empty() ? "" : ", ", field.name, field.value, field.origin);
  return line;
}

std::string attempt_line(const Alert& alert, const Attempt& attempt) {
  const auto head = fmt::format("{}  {}  after {}", attempt.number, clock_text(alert, attempt.started_at),
                                to_span(attempt.duration));
  if (!attempt.failure) return fmt::format("{}  {}", head, series::to_text(attempt.outcome));
  return fmt::format("{}  {} at {}: {}", head, to_text(attempt.failure->failure_class),
                     to_text(attempt.failure->stage), attempt.failure->reason);
}

}  // namespace nightjar::alerting
