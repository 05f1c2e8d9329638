#include "schedule/given.hpp"

#include <nightjar/schedule/cron.hpp>

#include <random>

namespace nightjar::schedule {
namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::year;

Texts days_of(std::string_view expression, std::string_view from, std::size_t count) {
  Texts found;
  LocalMinute at = wall(std::string{from} + "T00:00");
  const Cron c = cron(expression);
  for (auto next = c.next(at); next && found.size() < count; next = c.next(*next + minutes{1}))
    found.push_back(to_rfc3339(UtcTime{next->time_since_epoch()}).substr(0, 10));
  return found;
}

TEST(Cron, ItsOwnMinuteIsTheNextAndTheLast) {
  EXPECT_EQ(cron("30 2 * * *").next(wall("2026-02-11T02:30")), wall("2026-02-11T02:30"));
  EXPECT_EQ(cron("30 2 * * *").last(wall("2026-02-11T02:30")), wall("2026-02-11T02:30"));
}

TEST(Cron, GoesOnOverTheEndOfHourDayMonthAndYear) {
  EXPECT_EQ(cron("15 * * * *").next(wall("2026-02-11T09:16")), wall("2026-02-11T10:15"));
  EXPECT_EQ(cron("15 9 * * *").next(wall("2026-02-11T09:16")), wall("2026-02-12T09:15"));
  EXPECT_EQ(cron("15 9 * * *").next(wall("2026-02-28T09:16")), wall("2026-03-01T09:15"));
  EXPECT_EQ(cron("* * * * *").next(wall("2026-12-31T23:59")), wall("2026-12-31T23:59"));
  EXPECT_EQ(cron("0 0 * * *").next(wall("2026-12-31T00:01")), wall("2027-01-01T00:00"));
}

TEST(Cron, GoesBackOverTheStartOfHourDayMonthAndYear) {
  EXPECT_EQ(cron("15 * * * *").last(wall("2026-02-11T10:14")), wall("2026-02-11T09:15"));
  EXPECT_EQ(cron("15 9 * * *").last(wall("2026-02-11T09:14")), wall("2026-02-10T09:15"));
  EXPECT_EQ(cron("15 9 * * *").last(wall("2026-03-01T00:00")), wall("2026-02-28T09:15"));
  EXPECT_EQ(cron("59 23 * * *").last(wall("2027-01-01T00:00")), wall("2026-12-31T23:59"));
}

TEST(Cron, AMonthWithoutTheDayIsLeftOut) {
  EXPECT_EQ(days_of("0 0 31 * *", "2026-01-01", 4),
            (Texts{"2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31"}));
  EXPECT_EQ(days_of("0 0 30 1-3 *", "2026-01-31", 2), (Texts{"2026-03-30", "2027-01-30"}));
}

TEST(Cron, LeapDaysComeInLeapYears) {
  EXPECT_EQ(days_of("0 0 29 2 *", "2026-01-01", 2), (Texts{"2028-02-29", "2032-02-29"}));
  EXPECT_EQ(days_of("0 0 29 2 *", "2097-01-01", 1), (Texts{"2104-02-29"}));  // 2100 is no leap year
  EXPECT_EQ(days_of("0 0 28-31 2 *", "2026-01-01", 3), (Texts{"2026-02-28", "2027-02-28", "2028-02-28"}));
}

TEST(Cron, EitherDayIsEnoughWhenBothAreRestricted) {
  EXPECT_EQ(days_of("0 0 13 * fri", "2026-02-01", 5),
            (Texts{"2026-02-06", "2026-02-13", "2026-02-20", "2026-02-27", "2026-03-06"}));
  EXPECT_EQ(days_of("0 0 1,15 * wed", "2026-02-10", 4),
            (Texts{"2026-02-11", "2026-02-15", "2026-02-18", "2026-02-25"}));
  EXPECT_EQ(days_of("0 0 29 2 mon", "2028-02-20", 3), (Texts{"2028-02-21", "2028-02-28", "2028-02-29"}));
}

TEST(Cron, BothDaysMustMatchWhenOneBeginsWithAStar) {
  EXPECT_EQ(days_of("0 0 13 * *", "2026-02-01", 2), (Texts{"2026-02-13", "2026-03-13"}));
  EXPECT_EQ(days_of("0 0 * * fri", "2026-02-01", 2), (Texts{"2026-02-06", "2026-02-13"}));
  EXPECT_EQ(days_of("0 0 */10 * mon", "2026-01-01", 3), (Texts{"2026-05-11", "2026-06-01", "2026-08-31"}));
}

TEST(Cron, TheRarestDaysAreFoundOverALeaplessCentury) {
  // 29 February on a Sunday: the star makes both days count.
  EXPECT_EQ(days_of("0 0 29 2 */7", "2026-01-01", 2), (Texts{"2032-02-29", "2060-02-29"}));
  EXPECT_EQ(days_of("0 0 29 2 */7", "2088-03-01", 1),
            (Texts{"2128-02-29"}));  // 40 years: the longest there is
  EXPECT_EQ(cron("0 0 29 2 */7").last(wall("2128-02-28T23:59")), wall("2088-02-29T00:00"));
}

TEST(Cron, HasNoTimeOutsideOfItsYears) {
  EXPECT_EQ(cron("* * * * *").next(LocalMinute::max()), std::nullopt);
  EXPECT_EQ(cron("* * * * *").last(LocalMinute::min()), std::nullopt);
  EXPECT_EQ(cron("* * * * *").next(LocalMinute::min()), LocalMinute{local_days{first_year / 1 / 1}});
  EXPECT_EQ(cron("59 23 * * *").last(LocalMinute::max()), wall("9999-12-31T23:59"));
  EXPECT_EQ(cron("0 0 1 1 *").next(wall("9999-01-01T00:01")), std::nullopt);
  EXPECT_EQ(cron("0 0 1 6 *").last(wall("0001-05-31T00:00")), std::nullopt);
}

TEST(Cron, CountsTheMinutesThatMatch) {
  EXPECT_EQ(cron("* * * * *").count(wall("2026-01-01T00:00"), wall("2027-01-01T00:00")), 365u * 1440);
  EXPECT_EQ(cron("* * * * *").count(wall("2028-01-01T00:00"), wall("2029-01-01T00:00")), 366u * 1440);
  EXPECT_EQ(cron("*/15 8-17 * * 1-5").count(wall("2026-02-11T08:15"), wall("2026-02-12T08:01")), 40u);
  EXPECT_EQ(cron("0 2 * * *").count(wall("2026-02-11T02:00"), wall("2026-02-11T02:00")), 0u);
  EXPECT_EQ(cron("0 2 * * *").count(wall("2026-02-12T02:00"), wall("2026-02-11T02:00")), 0u);
  EXPECT_EQ(cron("0 0 * * *").count(LocalMinute::min(), LocalMinute::max()), 3'652'059u);
}

TEST(Cron, NextLastAndCountAgree) {
  std::mt19937 random{4};
  for (const char* expression :
       {"*/7 3-5 * * *", "0 0 13 * fri", "59 23 31 * *", "30 6 1-7 */2 1", "0 12 29 2 *"}) {
    const Cron c = cron(expression);
    for (int i = 0; i < 200; ++i) {
      const LocalMinute from = wall("2023-11-01T00:00") + minutes{random() % 2'000'000};
      const auto next = c.next(from);
      ASSERT_TRUE(next);
      EXPECT_EQ(c.count(from, *next), 0u) << expression;
      EXPECT_EQ(c.count(from, *next + minutes{1}), 1u) << expression;
      EXPECT_EQ(c.last(*next), next) << expression;
      const auto last = c.last(from - minutes{1});
      ASSERT_TRUE(last);
      EXPECT_EQ(c.next(*last + minutes{1}), next) << expression;
    }
  }
}

}  // namespace
}  // namespace nightjar::schedule
