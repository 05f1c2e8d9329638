#include "schedule/given.hpp"

#include <nightjar/schedule/catch_up.hpp>

namespace nightjar::schedule {
namespace {

constexpr Seconds six_hours{6 * 3600};

Due due(std::string_view expression, std::string_view handled, std::string_view now,
        Seconds catch_up = six_hours, std::size_t most_missed = 100) {
  return due_times(cron(expression), zone("UTC"), utc(handled), utc(now), catch_up, most_missed);
}

std::vector<UtcTime> at(std::initializer_list<std::string_view> all) {
  std::vector<UtcTime> times;
  for (const auto text : all) times.push_back(utc(text));
  return times;
}

TEST(DueTimes, NothingIsDueBeforeTheNextTime) {
  EXPECT_EQ(due("0 2 * * *", "2026-11-30T02:00:00Z", "2026-12-01T01:59:59Z"), Due{});
}

TEST(DueTimes, ATimeThatHasJustComeRunsOnTime) {
  const Due found = due("0 2 * * *", "2026-11-30T02:00:00Z", "2026-12-01T02:00:00.250Z");
  EXPECT_EQ(found.run, utc("2026-12-01T02:00:00Z"));
  EXPECT_FALSE(found.late);
  EXPECT_TRUE(found.missed.empty());
}

TEST(DueTimes, ATimeThatWasHandledIsNotDueAgain) {
  EXPECT_EQ(due("0 2 * * *", "2026-12-01T02:00:00Z", "2026-12-01T02:00:00.250Z"), Due{});
}

TEST(DueTimes, LateIsMoreThanAMinute) {
  EXPECT_FALSE(due("0 2 * * *", "2026-11-30T02:00:00Z", "2026-12-01T02:01:00Z").late);
  EXPECT_TRUE(due("0 2 * * *", "2026-11-30T02:00:00Z", "2026-12-01T02:01:00.001Z").late);
}

TEST(DueTimes, ATimeNotOlderThanCatchUpStillRuns) {
  const Due found = due("0 2 * * *", "2026-11-30T02:00:00Z", "2026-12-01T08:00:00Z");
  EXPECT_EQ(found.run, utc("2026-12-01T02:00:00Z"));
  EXPECT_TRUE(found.late);
  EXPECT_TRUE(found.missed.empty());
}

TEST(DueTimes, ATimeOlderThanCatchUpIsMissed) {
  const Due found = due("0 2 * * *", "2026-11-30T02:00:00Z", "2026-12-01T08:00:00.001Z");
  EXPECT_EQ(found.run, std::nullopt);
  EXPECT_FALSE(found.late);
  EXPECT_EQ(found.missed, at({"2026-12-01T02:00:00Z"}));
}

TEST(DueTimes, WithoutCatchUpATimeOfThisMinuteStillRuns) {
  EXPECT_EQ(due("0 2 * * *", "2026-11-30T02:00:00Z", "2026-12-01T02:00:30Z", Seconds{0}).run,
            utc("2026-12-01T02:00:00Z"));
  EXPECT_EQ(due("0 2 * * *", "2026-11-30T02:00:00Z", "2026-12-01T02:01:30Z", Seconds{0}).run, std::nullopt);
}

TEST(DueTimes, OfSeveralOnlyTheNewestRunsAndTheOthersAreMissedOldestFirst) {
  const Due found = due("0 * * * *", "2026-12-01T02:00:00Z", "2026-12-01T05:30:00Z");
  EXPECT_EQ(found.run, utc("2026-12-01T05:00:00Z"));
  EXPECT_EQ(found.missed, at({"2026-12-01T03:00:00Z", "2026-12-01T04:00:00Z"}));
  EXPECT_EQ(found.uncounted, 0u);
}

TEST(DueTimes, TheNewestMissedAreListedAndTheOthersCounted) {
  const Due found = due("0 * * * *", "2026-12-01T02:00:00Z", "2026-12-02T02:30:00Z", six_hours, 2);
  EXPECT_EQ(found.run, utc("2026-12-02T02:00:00Z"));
  EXPECT_EQ(found.missed, at({"2026-12-02T00:00:00Z", "2026-12-02T01:00:00Z"}));
  EXPECT_EQ(found.uncounted, 21u);
}

TEST(DueTimes, WithNothingToListAllAreCounted) {
  const Due found = due("0 2 * * *", "2026-11-25T02:00:00Z", "2026-12-01T12:00:00Z", six_hours, 0);
  EXPECT_EQ(found.run, std::nullopt);
  EXPECT_TRUE(found.missed.empty());
  EXPECT_EQ(found.uncounted, 6u);
}

TEST(DueTimes, AYearOfMinutesIsCountedNotWalked) {
  const Due found = due("* * * * *", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", six_hours, 10);
  EXPECT_EQ(found.run, utc("2027-01-01T00:00:00Z"));
  EXPECT_EQ(found.missed.size(), 10u);
  EXPECT_EQ(found.uncounted, 365u * 1440 - 11);
}

TEST(DueTimes, ADeviceThatWasNeverLookedAtIsCountedFromTheEpoch) {
  const Due found = due_times(cron("* * * * *"), zone("Europe/Paris"), UtcTime{}, utc("2027-01-01T00:00:00Z"),
                              six_hours, 0);
  EXPECT_EQ(found.run, utc("2027-01-01T00:00:00Z"));
  EXPECT_GT(found.uncounted, 29'000'000u);
}

TEST(DueTimes, AClockThatWentBackwardsMakesNothingDue) {
  EXPECT_EQ(due("* * * * *", "2026-12-01T02:00:00Z", "2026-12-01T01:00:00Z"), Due{});
}

TEST(DueTimes, ASkippedTimeIsDueOnceAtTheEndOfTheGap) {
  const Due found = due_times(cron("*/15 * * * *"), zone("Europe/Paris"), utc("2027-03-28T00:45:00Z"),
                              utc("2027-03-28T01:00:10Z"), six_hours, 10);
  EXPECT_EQ(found.run, utc("2027-03-28T01:00:00Z"));
  EXPECT_TRUE(found.missed.empty());
  EXPECT_EQ(found.uncounted, 0u);
}

}  // namespace
}  // namespace nightjar::schedule
