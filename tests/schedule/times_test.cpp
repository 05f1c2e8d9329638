#include "schedule/given.hpp"

namespace nightjar::schedule {
namespace {

TEST(NextTime, IsStrictlyAfter) {
  EXPECT_EQ(fires("0 2 * * *", "UTC", "2026-11-30T01:59:59.999Z", 1), Texts{"2026-11-30T02:00:00Z"});
  EXPECT_EQ(fires("0 2 * * *", "UTC", "2026-11-30T02:00:00Z", 1), Texts{"2026-12-01T02:00:00Z"});
  EXPECT_EQ(fires("* * * * *", "UTC", "2026-11-30T02:00:00.001Z", 1), Texts{"2026-11-30T02:01:00Z"});
}

TEST(NextTime, IsOnTheWallClockOfTheZone) {
  EXPECT_EQ(fires("0 2 * * *", "Europe/Paris", "2026-11-30T02:00:00Z", 1), Texts{"2026-12-01T01:00:00Z"});
  EXPECT_EQ(fires("0 2 * * *", "Europe/Paris", "2026-07-01T02:00:00Z", 1), Texts{"2026-07-02T00:00:00Z"});
  EXPECT_EQ(fires("0 2 * * mon", "Pacific/Kiritimati", "2026-11-27T00:00:00Z", 1),
            Texts{"2026-11-29T12:00:00Z"});
  EXPECT_EQ(fires("0 2 * * *", "Asia/Kathmandu", "2026-11-30T00:00:00Z", 1), Texts{"2026-11-30T20:15:00Z"});
}

TEST(NextTime, ASkippedTimeRunsOnceRightAfterTheGap) {
  EXPECT_EQ(fires("30 2 * * *", "Europe/Paris", "2027-03-27T00:00:00Z", 3),
            (Texts{"2027-03-27T01:30:00Z", "2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"}));
}

TEST(NextTime, ATimeThatOccursTwiceRunsOnceTheFirstTime) {
  EXPECT_EQ(fires("30 2 * * *", "Europe/Paris", "2027-10-30T00:00:00Z", 3),
            (Texts{"2027-10-30T00:30:00Z", "2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"}));
}

TEST(NextTime, AllThatAGapSwallowsRunsOnceAtItsEnd) {
  EXPECT_EQ(fires("*/15 * * * *", "Europe/Paris", "2027-03-28T00:30:00Z", 4),
            (Texts{"2027-03-28T00:45:00Z", "2027-03-28T01:00:00Z", "2027-03-28T01:15:00Z",
                   "2027-03-28T01:30:00Z"}));
  EXPECT_EQ(fires("10-50/20 * * * *", "Europe/Paris", "2027-03-28T00:30:00Z", 3),
            (Texts{"2027-03-28T00:50:00Z", "2027-03-28T01:00:00Z", "2027-03-28T01:10:00Z"}));
}

TEST(NextTime, ARepeatedHourIsSilentTheSecondTime) {
  EXPECT_EQ(fires("*/30 * * * *", "Europe/Paris", "2027-10-30T23:45:00Z", 4),
            (Texts{"2027-10-31T00:00:00Z", "2027-10-31T00:30:00Z", "2027-10-31T02:00:00Z",
                   "2027-10-31T02:30:00Z"}));
  EXPECT_EQ(fires("30 2 * * *", "Europe/Paris", "2027-10-31T01:10:00Z", 1), Texts{"2027-11-01T01:30:00Z"});
}

TEST(NextTime, TheEdgesOfAChangeBelongToTheDay) {
  EXPECT_EQ(fires("0 2 * * *", "Europe/Paris", "2027-03-27T12:00:00Z", 2),
            (Texts{"2027-03-28T01:00:00Z", "2027-03-29T00:00:00Z"}));
  EXPECT_EQ(fires("0 3 * * *", "Europe/Paris", "2027-03-27T12:00:00Z", 2),
            (Texts{"2027-03-28T01:00:00Z", "2027-03-29T01:00:00Z"}));
  EXPECT_EQ(fires("0 2 * * *", "Europe/Paris", "2027-10-30T12:00:00Z", 2),
            (Texts{"2027-10-31T00:00:00Z", "2027-11-01T01:00:00Z"}));
  EXPECT_EQ(fires("0 3 * * *", "Europe/Paris", "2027-10-30T12:00:00Z", 2),
            (Texts{"2027-10-31T02:00:00Z", "2027-11-01T02:00:00Z"}));
}

TEST(NextTime, SummerIsInJanuaryInTheSouth) {
  EXPECT_EQ(fires("30 2 * * *", "Australia/Sydney", "2026-10-02T17:00:00Z", 2),
            (Texts{"2026-10-03T16:00:00Z", "2026-10-04T15:30:00Z"}));
  EXPECT_EQ(fires("30 2 * * *", "Australia/Sydney", "2027-04-03T00:00:00Z", 2),
            (Texts{"2027-04-03T15:30:00Z", "2027-04-04T16:30:00Z"}));
}

TEST(NextTime, LordHowePutsItsClocksByHalfAnHour) {
  EXPECT_EQ(fires("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", 2),
            (Texts{"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"}));
  EXPECT_EQ(fires("45 1 * * *", "Australia/Lord_Howe", "2027-04-03T00:00:00Z", 2),
            (Texts{"2027-04-03T14:45:00Z", "2027-04-04T15:15:00Z"}));
}

TEST(NextTime, TheDayThatApiaSkippedRunsAtTheNextMidnight) {
  EXPECT_EQ(fires("0 2 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", 3),
            (Texts{"2011-12-29T12:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T12:00:00Z"}));
  EXPECT_EQ(fires("*/10 * * * *", "Pacific/Apia", "2011-12-30T09:45:00Z", 3),
            (Texts{"2011-12-30T09:50:00Z", "2011-12-30T10:00:00Z", "2011-12-30T10:10:00Z"}));
  EXPECT_EQ(fires("0 2 30 12 *", "Pacific/Apia", "2011-12-29T00:00:00Z", 1), Texts{"2011-12-30T10:00:00Z"});
}

TEST(NextTime, TrollPutsItsClocksByTwoHours) {
  EXPECT_EQ(fires("30 1,2 * * *", "Antarctica/Troll", "2026-03-28T12:00:00Z", 2),
            (Texts{"2026-03-29T01:00:00Z", "2026-03-29T23:30:00Z"}));
  EXPECT_EQ(fires("30 1,2 * * *", "Antarctica/Troll", "2026-10-24T12:00:00Z", 4),
            (Texts{"2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z",
                   "2026-10-26T02:30:00Z"}));
}

TEST(NextTime, AGapAtMidnightMovesTheRunNotTheDay) {
  EXPECT_EQ(fires("0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00Z", 2),
            (Texts{"2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"}));
}

TEST(NextTime, RareDaysAreFound) {
  EXPECT_EQ(fires("0 0 29 2 */7", "Europe/Paris", "2032-03-01T00:00:00Z", 1), Texts{"2060-02-28T23:00:00Z"});
}

TEST(NextTime, IsEmptyAfterTheLastYear) {
  EXPECT_EQ(next_time(cron("* * * * *"), zone("Europe/Paris"), UtcTime::max()), std::nullopt);
  EXPECT_EQ(next_time(cron("* * * * *"), Zone{}, utc("9999-12-31T23:59:00Z")), std::nullopt);
  EXPECT_EQ(last_time(cron("0 0 * * *"), Zone{}, UtcTime::max()), utc("9999-12-31T00:00:00Z"));
  EXPECT_EQ(last_time(cron("* * * * *"), Zone{}, UtcTime::min()), std::nullopt);
  EXPECT_TRUE(next_time(cron("* * * * *"), zone("Europe/Paris"), UtcTime::min()));
}

TEST(NextTimes, AreAsManyAsAsked) {
  EXPECT_TRUE(fires("0 2 * * *", "UTC", "2026-11-30T00:00:00Z", 0).empty());
  EXPECT_EQ(fires("@yearly", "UTC", "9997-06-01T00:00:00Z", 5),
            (Texts{"9998-01-01T00:00:00Z", "9999-01-01T00:00:00Z"}));
}

TEST(LastTime, IsAtOrBefore) {
  const Cron c = cron("30 2 * * *");
  const Zone paris = zone("Europe/Paris");
  EXPECT_EQ(last_time(c, paris, utc("2027-03-28T01:00:00Z")), utc("2027-03-28T01:00:00Z"));
  EXPECT_EQ(last_time(c, paris, utc("2027-03-28T00:59:59.999Z")), utc("2027-03-27T01:30:00Z"));
  EXPECT_EQ(last_time(c, paris, utc("2027-10-31T01:30:00Z")), utc("2027-10-31T00:30:00Z"));
}

TEST(CountTimes, CountsAGapOnceAndARepeatedHourOnce) {
  const Zone paris = zone("Europe/Paris");
  const auto in_day = [&](const char* expression, const char* from, const char* to) {
    return count_times(cron(expression), paris, utc(from), utc(to));
  };
  EXPECT_EQ(in_day("* * * * *", "2027-03-27T22:59:00Z", "2027-03-28T21:59:00Z"), 23u * 60);
  EXPECT_EQ(in_day("* * * * *", "2027-10-30T21:59:00Z", "2027-10-31T22:59:00Z"), 24u * 60);
  EXPECT_EQ(in_day("30 2 * * *", "2026-01-01T00:00:00Z", "2028-01-01T00:00:00Z"), 730u);
  EXPECT_EQ(in_day("* * * * *", "2027-03-28T21:59:00Z", "2027-03-28T21:59:00Z"), 0u);
  EXPECT_EQ(in_day("* * * * *", "2027-03-28T21:59:00Z", "2027-03-27T21:59:00Z"), 0u);
}

}  // namespace
}  // namespace nightjar::schedule
