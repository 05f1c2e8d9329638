// Literals for the schedule's tests: expressions, zones and times as text.
#pragma once
#include <nightjar/schedule/times.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace nightjar::schedule {

inline Cron cron(std::string_view text) {
  const auto parsed = Cron::parse(text);
  EXPECT_TRUE(parsed) << parsed.error().reason;
  return parsed ? *parsed : Cron{};
}

inline Zone zone(std::string_view name) {
  const auto found = Zone::find(name);
  EXPECT_TRUE(found) << found.error().reason;
  return found ? *found : Zone{};
}

inline UtcTime utc(std::string_view text) {
  const auto time = parse_rfc3339(text);
  EXPECT_TRUE(time) << text;
  return time.value_or(UtcTime{});
}

// "2027-03-28T02:30" on the wall.
inline LocalMinute wall(std::string_view text) {
  return std::chrono::floor<std::chrono::minutes>(
      LocalTime{utc(std::string{text} + ":00Z").time_since_epoch()});
}

inline std::vector<std::string> texts(const std::vector<UtcTime>& times) {
  std::vector<std::string> all;
  for (const UtcTime time : times) all.push_back(to_rfc3339(time));
  return all;
}

using Texts = std::vector<std::string>;

// The first `count` times after `after`, as UTC text.
inline Texts fires(std::string_view expression, std::string_view zone_name, std::string_view after,
                   std::size_t count) {
  return texts(next_times(cron(expression), zone(zone_name), utc(after), count));
}

}  // namespace nightjar::schedule
