#include "report/given.hpp"

namespace nightjar::report {
namespace {

const schedule::Cron half_past_seven = cron("30 7 * * *");

TEST(Night, ItIsTheDayUpToTheReportsTime) {
  const Night night = night_of(date("2026-11-30"), half_past_seven, paris());
  EXPECT_EQ(night.begin, utc("2026-11-29T06:30:00Z"));
  EXPECT_EQ(night.end, utc("2026-11-30T06:30:00Z"));
  EXPECT_FALSE(night.holds(night.begin));
  EXPECT_TRUE(night.holds(night.end));
}

TEST(Night, TheNightOfAChangeOfClocksIsAnHourShorterOrLonger) {
  const Night spring = night_of(date("2027-03-28"), half_past_seven, paris());
  EXPECT_EQ(spring.end - spring.begin, std::chrono::hours{23});
  const Night autumn = night_of(date("2026-10-25"), half_past_seven, paris());
  EXPECT_EQ(autumn.end - autumn.begin, std::chrono::hours{25});
  EXPECT_EQ(before(autumn, 1, half_past_seven, paris()).end, autumn.begin);
}

TEST(Night, EveryMomentIsInExactlyOneNight) {
  for (const char* expression : {"30 7 * * *", "0 0 * * *", "59 23 * * *", "30 2 * * *"})
    for (UtcTime t = utc("2026-10-24T00:00:00Z"); t < utc("2026-10-27T00:00:00Z");
         t += std::chrono::minutes{15}) {
      const Night night = night_around(t, cron(expression), paris());
      EXPECT_TRUE(night.holds(t)) << expression << ' ' << to_rfc3339(t);
      EXPECT_EQ(night_of(night.date, cron(expression), paris()), night);
    }
}

TEST(Night, AReportThatIsNotMadeEveryDayHasTheSameTimeOnTheDaysBetween) {
  const Night sunday = night_of(date("2026-11-29"), cron("15 6 * * mon-fri"), schedule::Zone{});
  EXPECT_EQ(sunday.end, utc("2026-11-29T06:15:00Z"));
}

TEST(Night, OfSeveralTimesADayTheFirstCounts) {
  EXPECT_EQ(night_of(date("2026-11-30"), cron("0 6,18 * * *"), schedule::Zone{}).end,
            utc("2026-11-30T06:00:00Z"));
}

TEST(Night, ADateIsReadInOneForm) {
  EXPECT_EQ(to_text(date("2026-11-30")), "2026-11-30");
  for (const char* text : {"", "today", "2026-13-01", "2026-02-29", "30.11.2026", "2026-11-30T", "2026-1-1"})
    EXPECT_FALSE(parse_date(text)) << text;
}

}  // namespace
}  // namespace nightjar::report
