#include "schedule/given.hpp"

#include <gmock/gmock.h>

#include <random>

namespace nightjar::schedule {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr std::string_view some_day = "2026-02-11T10:07:00Z";  // a Wednesday

Texts next_three(std::string_view expression) {
  return fires(expression, "UTC", some_day, 3);
}

std::string refusal(std::string_view text) {
  const auto parsed = Cron::parse(text);
  if (parsed) return "accepted";
  EXPECT_EQ(parsed.error().failure_class, FailureClass::setup);
  return parsed.error().reason;
}

TEST(CronText, NamesMeanTheirNumbersInAnyCase) {
  EXPECT_EQ(next_three("0 6 * jan-MAR Mon"), next_three("0 6 * 1-3 1"));
  EXPECT_EQ(next_three("0 6 * DEC sat,SUN"), next_three("0 6 * 12 6,0"));
}

TEST(CronText, SevenIsSunday) {
  EXPECT_EQ(next_three("0 6 * * 7"), next_three("0 6 * * 0"));
  EXPECT_EQ(next_three("0 6 * * 5-7"), next_three("0 6 * * 5,6,0"));
}

TEST(CronText, ARangeOfWeekdaysMayEndWithSunday) {
  EXPECT_EQ(next_three("0 6 * * fri-sun"), next_three("0 6 * * 5,6,0"));
  EXPECT_EQ(next_three("0 6 * * sat-0"), next_three("0 6 * * 6,0"));
}

TEST(CronText, StepsGoOverARangeOrAll) {
  EXPECT_EQ(next_three("*/20 10 * * *"), next_three("0,20,40 10 * * *"));
  EXPECT_EQ(next_three("10-50/20 10 * * *"), next_three("10,30,50 10 * * *"));
  EXPECT_EQ(next_three("5-20/60 * * * *"), next_three("5 * * * *"));
}

TEST(CronText, ListsJoinEveryForm) {
  EXPECT_EQ(next_three("1,5-6,50-59/9 10 * * *"), next_three("1,5,6,50,59 10 * * *"));
  EXPECT_EQ(next_three("1,* * * * *"), next_three("* * * * *"));
}

TEST(CronText, AQuestionMarkIsAStar) {
  EXPECT_EQ(next_three("0 6 ? * mon"), next_three("0 6 * * mon"));
  EXPECT_EQ(next_three("0 6 13 * ?"), next_three("0 6 13 * *"));
}

TEST(CronText, NicknamesMeanTheirExpressions) {
  const std::vector<std::pair<std::string, std::string>> meanings{
      {"@hourly", "0 * * * *"},   {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
      {"@weekly", "0 0 * * 0"},   {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"},
      {"@annually", "0 0 1 1 *"}, {"@Daily", "0 0 * * *"}};
  for (const auto& [nickname, meaning] : meanings)
    EXPECT_EQ(next_three(nickname), next_three(meaning)) << nickname;
}

TEST(CronText, IsAsWrittenWithSingleBlanks) {
  EXPECT_EQ(cron("  0\t2  * *   MON ").text(), "0 2 * * MON");
  EXPECT_EQ(cron(" @daily ").text(), "@daily");
  EXPECT_EQ(to_text(cron("*/5 * * * *")), "*/5 * * * *");
}

TEST(CronText, TellsExpressionsApart) {
  EXPECT_EQ(cron("0 2 * * *"), cron(" 0  2 * * * "));
  EXPECT_NE(cron("0 2 * * *"), cron("0 3 * * *"));
  EXPECT_NE(cron("@daily"), cron("0 0 * * *"));
}

TEST(CronText, ADefaultExpressionIsMidnight) {
  EXPECT_EQ(Cron{}, cron("0 0 * * *"));
  EXPECT_EQ(texts(next_times(Cron{}, Zone{}, utc(some_day), 3)), next_three("@daily"));
}

TEST(CronText, ARefusalNamesFieldFindingAndWhatIsAllowed) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"60 * * * *", "minute '60': a number from 0 to 59 is wanted"},
      {"-1 * * * *", "minute '-1': a number from 0 to 59 is wanted"},
      {"0 24 * * *", "hour '24': a number from 0 to 23 is wanted"},
      {"0 2 0 * *", "day of month '0': a number from 1 to 31 is wanted"},
      {"0 2 32 * *", "day of month '32': a number from 1 to 31 is wanted"},
      {"0 2 L * *", "day of month 'L': a number from 1 to 31 is wanted"},
      {"0 2 * 13 *", "month '13': a number from 1 to 12 or a name from jan to dec is wanted"},
      {"0 2 * janvier *", "month 'janvier': a number from 1 to 12 or a name from jan to dec is wanted"},
      {"0 2 * * 8",
       "day of week '8': a number from 0 to 7 (0 and 7 are Sunday) or a name from sun to sat is wanted"},
      {"0 2 * jan-jam *", "month 'jan-jam': a number from 1 to 12 or a name from jan to dec is wanted"},
      {"0 2 mon * *", "day of month 'mon': a number from 1 to 31 is wanted"},
      {"1,,2 * * * *", "minute '': a number from 0 to 59 is wanted"},
      {"1, * * * *", "minute '': a number from 0 to 59 is wanted"},
      {"1-2-3 * * * *", "minute '1-2-3': a number from 0 to 59 is wanted"},
      {"5- * * * *", "minute '5-': a number from 0 to 59 is wanted"},
      {"99999999999999999999 * * * *", "minute '99999999999999999999': a number from 0 to 59 is wanted"},
      {"0x5 * * * *", "minute '0x5': a number from 0 to 59 is wanted"},
      {"50-10 * * * *", "minute '50-10': the range runs backwards; write it as two, with a comma"},
      {"0 2 * * sat-mon", "day of week 'sat-mon': the range runs backwards; write it as two, with a comma"},
      {"5/15 * * * *", "minute '5/15': a step goes over a range or *, such as 5-59/2"},
      {"*/0 * * * *", "minute '*/0': a step from 1 to 60 is wanted"},
      {"*/90 * * * *", "minute '*/90': a step from 1 to 60 is wanted"},
      {"*/ * * * *", "minute '*/': a step from 1 to 60 is wanted"},
      {"*/5/5 * * * *", "minute '*/5/5': a step from 1 to 60 is wanted"},
      {"0 0 30 2 *", "it never comes: day of month '30' is in no month of '2'"},
      {"0 0 31 feb,4,6,sep,11 *", "it never comes: day of month '31' is in no month of 'feb,4,6,sep,11'"},
      {"", "five fields are wanted: minute, hour, day of month, month, day of week; this has 0"},
      {" \t ", "this has 0"},
      {"0 2 * *", "five fields are wanted: minute, hour, day of month, month, day of week; this has 4"},
      {"0 0 2 * * *", "this has 6, and seconds or years cannot be given"},
      {"0 0 2 * * * 2026", "this has 7, and seconds or years cannot be given"},
      {"1 2 3 4 5 6 7 8", "this has 8"},
      {"@reboot",
       "@reboot is no time: what was missed while nothing ran is caught up at the next start, and other "
       "schedules name a time"},
      {"@dayly", "'@dayly' is unknown; did you mean @daily?"},
      {"@", "'@' is unknown; there are @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually"},
      {"@daily 5", "this has 2"}};
  for (const auto& [text, reason] : wrong) EXPECT_THAT(refusal(text), EndsWith(reason)) << text;
}

TEST(CronText, ARefusalQuotesTheWholeExpression) {
  EXPECT_EQ(refusal("0 25 * * *"),
            "'0 25 * * *' is not a schedule: hour '25': a number from 0 to 23 is wanted");
}

TEST(CronText, AnOverlongTextIsRefusedWithoutQuotingIt) {
  const std::string text = std::string(100'000, '1') + " * * * *";
  EXPECT_EQ(refusal(text), "a text of 100008 characters is not a schedule: it has at most 500");
}

TEST(CronText, EveryNumberSpeltOutFits) {
  const auto all = [](int from, int to) {
    std::string list;
    for (int i = from; i <= to; ++i) list.append(list.empty() ? "" : ",").append(std::to_string(i));
    return list;
  };
  const std::string text =
      all(0, 59) + " " + all(0, 23) + " " + all(1, 31) + " " + all(1, 12) + " " + all(0, 7);
  EXPECT_EQ(next_three(text), next_three("* * * * *"));
}

TEST(CronText, WhateverIsTypedIsReadOrRefused) {
  std::mt19937 random{20260211};
  constexpr std::string_view likely = "0123456789*/-,? @jansuncdhourly\t\x00\xff;#LW";
  int accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (auto length = random() % 24; length > 0; --length) text += likely[random() % likely.size()];
    if (i % 2 == 0) text += " * * * *";
    const auto parsed = Cron::parse(text);
    if (!parsed) {
      ASSERT_FALSE(parsed.error().reason.empty());
      continue;
    }
    ++accepted;
    const auto again = Cron::parse(parsed->text());
    ASSERT_TRUE(again && *again == *parsed) << parsed->text();
    const auto next = parsed->next(wall("2026-02-11T10:07"));
    ASSERT_TRUE(next) << parsed->text();
    ASSERT_EQ(again->next(wall("2026-02-11T10:07")), next);
  }
  EXPECT_GT(accepted, 1'000);
}

}  // namespace
}  // namespace nightjar::schedule
