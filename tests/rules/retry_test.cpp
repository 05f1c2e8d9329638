#include <nightjar/rules/retry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace nightjar::rules {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Waits = std::vector<Milliseconds>;

constexpr UtcTime night{sys_days{std::chrono::year{2026} / 11 / 30} + 2h};

RetryRule rule_of(int attempts, Seconds delay, double backoff, Seconds ceiling) {
  RetryRule rule = Describe<RetryFields>::built_in();
  rule.attempts = attempts;
  rule.delay = delay;
  rule.backoff = backoff;
  rule.max_delay = ceiling;
  return rule;
}

RetryRule with(RetryRule rule, Jitter jitter) {
  rule.jitter = jitter;
  return rule;
}

// The waits before the second attempt and each later one.
Waits waits(const RetryRule& rule) {
  Waits out;
  for (int n = 2; n <= rule.attempts; ++n) out.push_back(longest_wait(rule, n));
  return out;
}

Dice loaded(double draw) {
  return [draw] { return draw; };
}

TEST(BuiltInRule, HasTheValuesOfTheBook) {
  const RetryRule rule = Describe<RetryFields>::built_in();
  EXPECT_EQ(rule.attempts, 3);
  EXPECT_EQ(rule.delay, 300s);
  EXPECT_EQ(rule.backoff, 3.0);
  EXPECT_EQ(rule.spacing, Spacing::geometric);
  EXPECT_EQ(rule.max_delay, 3600s);
  EXPECT_EQ(rule.jitter, Jitter::none);
  EXPECT_EQ(rule.attempt_timeout, 300s);
  EXPECT_EQ(rule.give_up_after, GiveUpAfter{});
  EXPECT_EQ(rule.retry_on, FailureClasses::retried_by_default());
}

TEST(Timetable, ThreeAttemptsWaitFiveAndFifteenMinutesAndAreKnownAfterTwenty) {
  const auto rule = rule_of(3, 300s, 3.0, 3600s);
  EXPECT_EQ(waits(rule), (Waits{5min, 15min}));
  EXPECT_EQ(timetable(rule).told_after, 20min);
  EXPECT_EQ(timetable(rule).told_after_with_timeouts, 35min);
}

TEST(Timetable, FiveAttemptsAreCutAtTheCeilingAndKnownAfterTwoHoursFive) {
  const auto rule = rule_of(5, 300s, 3.0, 3600s);
  EXPECT_EQ(waits(rule), (Waits{5min, 15min, 45min, 60min}));
  EXPECT_EQ(timetable(rule).told_after, 2h + 5min);
}

TEST(Timetable, OneAttemptWaitsForNothingAndIsKnownAtOnce) {
  const auto table = timetable(rule_of(1, 300s, 3.0, 3600s));
  EXPECT_THAT(table.rows, SizeIs(1));
  EXPECT_EQ(table.told_after, 0s);
  EXPECT_EQ(table.told_after_with_timeouts, 300s);
}

TEST(LongestWait, AFactorOfOneGivesConstantWaits) {
  EXPECT_EQ(waits(rule_of(5, 300s, 1.0, 3600s)), (Waits{5min, 5min, 5min, 5min}));
}

TEST(LongestWait, LinearSpacingAddsTheFirstDelayEachTimeAndIgnoresTheFactor) {
  auto rule = rule_of(4, 10s, 10.0, 3600s);
  rule.spacing = Spacing::linear;
  EXPECT_EQ(waits(rule), (Waits{10s, 20s, 30s}));
}

TEST(LongestWait, LinearSpacingIsCutAtTheCeilingToo) {
  auto rule = rule_of(4, 10s, 1.0, 25s);
  rule.spacing = Spacing::linear;
  EXPECT_EQ(waits(rule), (Waits{10s, 20s, 25s}));
}

TEST(LongestWait, AMinuteDoubledUpToFiveMinutes) {
  EXPECT_EQ(waits(rule_of(5, 60s, 2.0, 300s)), (Waits{1min, 2min, 4min, 5min}));
}

TEST(LongestWait, AFirstDelayAboveTheCeilingIsCutAsWell) {
  EXPECT_EQ(waits(rule_of(3, 600s, 2.0, 300s)), (Waits{300s, 300s}));
}

TEST(LongestWait, BrokenFactorsKeepTheirFractions) {
  EXPECT_EQ(waits(rule_of(4, 10s, 1.5, 3600s)), (Waits{10s, 15s, 22500ms}));
}

TEST(LongestWait, IsNothingBeforeTheFirstAttempt) {
  EXPECT_EQ(longest_wait(rule_of(3, 300s, 3.0, 3600s), 1), 0s);
  EXPECT_EQ(longest_wait(rule_of(3, 300s, 3.0, 3600s), 0), 0s);
  EXPECT_EQ(longest_wait(rule_of(3, 300s, 3.0, 3600s), -7), 0s);
}

TEST(LongestWait, StaysAtTheCeilingAtTheExtremes) {
  auto rule = rule_of(20, 86400s, 10.0, 86400s);
  EXPECT_EQ(longest_wait(rule, 20), 24h);
  EXPECT_EQ(longest_wait(rule, std::numeric_limits<int>::max()), 24h);
  EXPECT_EQ(timetable(rule).told_after, 19 * 24h);
  rule.spacing = Spacing::linear;
  EXPECT_EQ(longest_wait(rule, std::numeric_limits<int>::max()), 24h);
  EXPECT_EQ(longest_wait(rule_of(20, 1s, 1.0, 86400s), std::numeric_limits<int>::max()), 1s);
}

TEST(DrawWait, WithoutJitterIsTheLongestWaitAndThrowsNoDice) {
  const Dice never = []() -> double {
    ADD_FAILURE() << "dice thrown";
    return 0;
  };
  const auto drawn = draw_wait(rule_of(3, 300s, 3.0, 3600s), 3, 5min, never);
  EXPECT_EQ(drawn.wait, 15min);
  EXPECT_EQ(drawn.jitter, 0s);
}

TEST(DrawWait, EqualJitterLiesBetweenHalfAndAll) {
  const auto rule = with(rule_of(3, 300s, 3.0, 3600s), Jitter::equal);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0)).wait, 150s);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0)).jitter, -150s);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0.5)).wait, 225s);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0.999999)).wait, 299999ms);
}

TEST(DrawWait, FullJitterLiesBetweenNothingAndAll) {
  const auto rule = with(rule_of(3, 300s, 3.0, 3600s), Jitter::full);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0)).wait, 0s);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0)).jitter, -300s);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0.5)).wait, 150s);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0.999999)).wait, 299999ms);
}

TEST(DrawWait, DecorrelatedJitterLiesBetweenTheFirstDelayAndThreeTimesThePreviousWait) {
  const auto rule = with(rule_of(5, 300s, 3.0, 3600s), Jitter::decorrelated);
  EXPECT_EQ(draw_wait(rule, 3, 400s, loaded(0)).wait, 300s);
  EXPECT_EQ(draw_wait(rule, 3, 400s, loaded(0)).jitter, 0s);
  EXPECT_EQ(draw_wait(rule, 3, 400s, loaded(0.5)).wait, 750s);
  EXPECT_EQ(draw_wait(rule, 3, 400s, loaded(0.5)).jitter, 450s);
  EXPECT_EQ(draw_wait(rule, 3, 400s, loaded(0.999999)).wait, 1199999ms);
}

TEST(DrawWait, DecorrelatedJitterStartsFromTheFirstDelay) {
  const auto rule = with(rule_of(5, 300s, 3.0, 3600s), Jitter::decorrelated);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0)).wait, 300s);
  EXPECT_EQ(draw_wait(rule, 2, 0s, loaded(0.5)).wait, 600s);
}

TEST(DrawWait, DecorrelatedJitterIsCutAtTheCeiling) {
  const auto rule = with(rule_of(5, 300s, 3.0, 3600s), Jitter::decorrelated);
  EXPECT_EQ(draw_wait(rule, 4, 3600s, loaded(0.999999)).wait, 3600s);
  EXPECT_EQ(draw_wait(with(rule_of(5, 300s, 3.0, 60s), Jitter::decorrelated), 2, 0s, loaded(0.5)).wait, 60s);
}

TEST(DrawWait, BeforeTheFirstAttemptIsNothing) {
  for (const Jitter jitter : {Jitter::none, Jitter::equal, Jitter::full, Jitter::decorrelated})
    EXPECT_EQ(draw_wait(with(rule_of(3, 300s, 3.0, 3600s), jitter), 1, 0s, loaded(0.5)).wait, 0s);
}

TEST(DrawWait, IsNeverLongerThanTheLongestWaitNorNegativeForAnyRule) {
  std::mt19937_64 random{20261130};
  const auto pick = [&](int least, int most) { return std::uniform_int_distribution{least, most}(random); };
  std::uniform_real_distribution<double> draw{0, 1}, factor{1, 10};
  const Dice dice = [&] { return draw(random); };
  for (int i = 0; i < 100'000; ++i) {
    RetryRule rule = rule_of(pick(1, 20), Seconds{pick(1, 86400)}, factor(random), Seconds{pick(1, 86400)});
    rule.spacing = pick(0, 1) ? Spacing::linear : Spacing::geometric;
    rule.jitter = static_cast<Jitter>(pick(0, 3));
    const int attempt = pick(2, 20);
    const Milliseconds previous{pick(0, 86'400'000)};
    const auto drawn = draw_wait(rule, attempt, previous, dice);
    const auto longest = longest_wait(rule, attempt);
    ASSERT_LE(drawn.wait, longest) << to_text(rule.jitter) << " attempt " << attempt;
    ASSERT_GE(drawn.wait, 0s);
    ASSERT_LE(longest, rule.max_delay);
    if (rule.jitter == Jitter::equal) {
      ASSERT_GE(drawn.wait, longest / 2);
    }
    if (rule.jitter == Jitter::decorrelated) {
      ASSERT_GE(drawn.wait, std::min(rule.delay, rule.max_delay));
    }
  }
}

TEST(Timetable, CountsTheWaitsSinceTheScheduledTimeAndMarksThoseThatWereCut) {
  const auto rows = timetable(rule_of(5, 300s, 3.0, 3600s)).rows;
  ASSERT_THAT(rows, SizeIs(5));
  Waits since;
  std::vector<bool> cut;
  for (const auto& row : rows) {
    EXPECT_EQ(row.attempt, static_cast<int>(since.size()) + 1);
    since.push_back(row.since_scheduled);
    cut.push_back(row.capped);
  }
  EXPECT_EQ(since, (Waits{0min, 5min, 20min, 65min, 125min}));
  EXPECT_THAT(cut, ElementsAre(false, false, false, false, true));
}

TEST(Timetable, AWaitThatMeetsTheCeilingExactlyIsNotCut) {
  EXPECT_FALSE(timetable(rule_of(2, 300s, 3.0, 300s)).rows.back().capped);
}

TEST(Timetable, CountsTheCeilingForEachWaitOfDecorrelatedJitter) {
  const auto table = timetable(with(rule_of(3, 300s, 3.0, 3600s), Jitter::decorrelated));
  EXPECT_EQ(table.told_after, 2h);
}

TEST(Timetable, IsTheSameForJitterThatOnlyShortens) {
  for (const Jitter jitter : {Jitter::equal, Jitter::full})
    EXPECT_EQ(timetable(with(rule_of(5, 300s, 3.0, 3600s), jitter)).told_after, 2h + 5min);
}

TEST(Timetable, EndsWhereGivingUpComesBeforeTheAttemptsAreUsed) {
  auto rule = rule_of(5, 300s, 3.0, 3600s);
  rule.give_up_after = {20min};
  const auto table = timetable(rule);
  EXPECT_THAT(table.rows, SizeIs(3)) << "a try exactly at the limit still starts";
  EXPECT_EQ(table.ended_by, WindowEnd::give_up);
  EXPECT_EQ(table.told_after, 20min);
  EXPECT_EQ(table.told_after_with_timeouts, 25min) << "the last try starts at 20 min at the latest";
}

TEST(Timetable, GivingUpAfterTheLastAttemptChangesNothing) {
  auto rule = rule_of(3, 300s, 3.0, 3600s);
  rule.give_up_after = {1h};
  EXPECT_EQ(timetable(rule).ended_by, WindowEnd::attempts);
  EXPECT_EQ(timetable(rule).told_after_with_timeouts, 35min);
}

TEST(Timetable, JitterThatBringsACutTryForwardIsStillWithinWhatWasTold) {
  auto rule = with(rule_of(5, 300s, 3.0, 3600s), Jitter::full);
  rule.give_up_after = {30min};
  const auto table = timetable(rule);
  EXPECT_EQ(table.told_after, 30min);
  EXPECT_EQ(table.told_after_with_timeouts, 35min);
}

TEST(WindowWarnings, AreEmptyWhenTheWindowEndsBeforeTheNextRunAndTheReport) {
  const auto table = timetable(rule_of(3, 300s, 3.0, 3600s));
  EXPECT_THAT(window_warnings(table, night, night + 24h, night + 5h), IsEmpty());
  EXPECT_THAT(window_warnings(table, night, night + 35min, night + 35min), IsEmpty());
}

TEST(WindowWarnings, SayWhenTheWindowOutlastsTheTimeToTheNextRun) {
  const auto warnings = window_warnings(timetable(rule_of(3, 300s, 3.0, 3600s)), night, night + 15min, {});
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0],
              HasSubstr("the window of 35 min (waits and timeouts) is longer than the 15 min to the "
                        "next run at 2026-11-30T02:15:00Z"));
}

TEST(WindowWarnings, SayWhenTheWindowReachesPastTheMorningReport) {
  const auto warnings = window_warnings(timetable(rule_of(5, 300s, 3.0, 3600s)), night + 4h, {}, night + 5h);
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0],
              HasSubstr("ends at 2026-11-30T08:30:00Z, after the morning report at 2026-11-30T07:00:00Z"));
}

TEST(WindowWarnings, AreSilentAboutTimesThatAreNotKnownOrNotAhead) {
  const auto table = timetable(rule_of(20, 86400s, 10.0, 86400s));
  EXPECT_THAT(window_warnings(table, night, {}, {}), IsEmpty());
  EXPECT_THAT(window_warnings(table, night, night, night - 1h), IsEmpty());
}

}  // namespace
}  // namespace nightjar::rules
