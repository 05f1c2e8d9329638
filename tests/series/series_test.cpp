#include <nightjar/series/series.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace nightjar::series {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

constexpr UtcTime night{sys_days{std::chrono::year{2026} / 11 / 30} + 2h};
constexpr UtcTime now = night + 10min;

const rules::RetryRule built_in = rules::Describe<rules::RetryFields>::built_in();
const Dice no_dice = []() -> double {
  ADD_FAILURE() << "dice thrown by a rule without jitter";
  return 0;
};

constexpr event::Failed refused_connection{FailureClass::unreachable};
constexpr event::Failed refused_password{FailureClass::auth};

Series opened() {
  return {.scheduled_for = night, .window_start = night, .due = night};
}

Series running(int attempt = 1, int counted = 0) {
  return {.state = State::running,
          .scheduled_for = night,
          .window_start = night,
          .attempts = attempt,
          .counted = counted};
}

Series waiting() {
  return {.state = State::retry_wait,
          .scheduled_for = night,
          .window_start = night,
          .due = now + 5min,
          .attempts = 1,
          .counted = 1,
          .previous_wait = 5min};
}

Series failed(End end) {
  return {.state = State::failed,
          .end = end,
          .scheduled_for = night,
          .window_start = night,
          .attempts = 3,
          .counted = 3,
          .interruptions = 2,
          .previous_wait = 15min};
}

Step take(const Series& s, const Event& e, const rules::RetryRule& rule = built_in, UtcTime at = now) {
  auto next = step(s, e, rule, at, no_dice);
  if (!next) {
    ADD_FAILURE() << next.error().reason;
    return {s, {}};
  }
  return *next;
}

void expect_end(const Step& next, State state, std::optional<End> end = {}) {
  EXPECT_EQ(to_text(next.series.state), to_text(state));
  EXPECT_EQ(next.series.end, end);
  EXPECT_EQ(next.decision.action, Action::end);
  EXPECT_FALSE(next.series.due);
  EXPECT_FALSE(next.decision.next_attempt_at);
}

void expect_retry(const Step& next, UtcTime at, Milliseconds wait) {
  EXPECT_EQ(to_text(next.series.state), "retry_wait");
  EXPECT_EQ(next.series.due, at);
  EXPECT_EQ(next.decision.action, Action::retry);
  EXPECT_EQ(next.decision.next_attempt_at, at);
  EXPECT_EQ(next.decision.wait, wait);
}

TEST(Start, RunsTheFirstAttemptOfAPendingSeries) {
  const auto next = take(opened(), event::Start{});
  EXPECT_EQ(next.series, running(1));
  EXPECT_EQ(next.decision.action, Action::run);
}

TEST(Start, GivesTheNextNumberAfterAWait) {
  const auto next = take(waiting(), event::Start{});
  EXPECT_EQ(next.series.attempts, 2);
  EXPECT_EQ(next.series.counted, 1);
  EXPECT_FALSE(next.series.due);
}

TEST(Succeeded, EndsTheSeries) {
  expect_end(take(running(2, 1), event::Succeeded{}), State::succeeded);
}

TEST(Succeeded, WinsOverACancelOrAnOvertakingNotedMeanwhile) {
  Series s = running();
  s.cancel_requested = s.overtaken = true;
  expect_end(take(s, event::Succeeded{}), State::succeeded);
}

TEST(Failed, IsTriedAgainAfterTheFirstDelay) {
  const auto next = take(running(), refused_connection);
  expect_retry(next, now + 5min, 5min);
  EXPECT_EQ(next.series.counted, 1);
  EXPECT_EQ(next.series.previous_wait, 5min);
}

TEST(Failed, WaitsLongerTheSecondTime) {
  expect_retry(take(running(2, 1), refused_connection), now + 15min, 15min);
}

TEST(Failed, EndsExhaustedWhenTheAttemptsAreUsedUp) {
  const auto next = take(running(3, 2), refused_connection);
  expect_end(next, State::failed, End::exhausted);
  EXPECT_EQ(next.series.counted, 3);
}

TEST(Failed, EndsPermanentAtOnceForAClassThatIsNotRetried) {
  expect_end(take(running(), refused_password), State::failed, End::permanent);
}

TEST(Failed, IsPermanentRatherThanExhaustedOnTheLastAttempt) {
  expect_end(take(running(3, 2), refused_password), State::failed, End::permanent);
}

TEST(Failed, AsksTheRuleWhichClassesAreRetried) {
  auto rule = built_in;
  rule.retry_on = *FailureClasses::parse("auth");
  expect_retry(take(running(), refused_password, rule), now + 5min, 5min);
  expect_end(take(running(), refused_connection, rule), State::failed, End::permanent);
}

TEST(Failed, OneAttemptMeansNoRetry) {
  auto rule = built_in;
  rule.attempts = 1;
  expect_end(take(running(), refused_connection, rule), State::failed, End::exhausted);
}

TEST(Failed, UsesTheRuleInForceAtThatMoment) {
  auto edited = built_in;
  edited.attempts = 2;
  expect_end(take(running(2, 1), refused_connection, edited), State::failed, End::exhausted);
  edited.attempts = 5;
  edited.delay = 10s;
  expect_retry(take(running(3, 2), refused_connection, edited), now + 90s, 90s);
}

TEST(Failed, EndsExhaustedWhenTheNextTryWouldStartAfterGivingUp) {
  auto rule = built_in;
  rule.give_up_after = {15min};
  expect_retry(take(running(), refused_connection, rule, night + 10min), night + 15min, 5min);
  expect_end(take(running(), refused_connection, rule, night + 10min + 1ms), State::failed, End::exhausted);
}

TEST(Failed, RecordsTheJitterThatWasDrawnAndHandsTheWaitOn) {
  auto rule = built_in;
  rule.jitter = rules::Jitter::decorrelated;
  const Dice half = [] { return 0.5; };
  const auto first = step(running(), refused_connection, rule, now, half);
  ASSERT_TRUE(first);
  expect_retry(*first, now + 10min, 10min);
  EXPECT_EQ(first->decision.jitter, 5min);
  auto second_attempt = take(first->series, event::Start{}).series;
  const auto second = step(second_attempt, refused_connection, rule, now, half);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->decision.wait, 1050s) << "halfway from 5 min to three times 10 min";
}

TEST(Failed, EndsAsOvertakenWhenTheNextScheduledTimeCameMeanwhile) {
  Series s = running();
  s.overtaken = true;
  expect_end(take(s, refused_connection), State::failed, End::overtaken);
  expect_end(take(s, refused_password), State::failed, End::overtaken);
}

TEST(Failed, EndsAsCancelledWhenAnOperatorSaidSoMeanwhileEvenIfOvertaken) {
  Series s = running();
  s.cancel_requested = true;
  expect_end(take(s, refused_connection), State::cancelled);
  s.overtaken = true;
  expect_end(take(s, refused_connection), State::cancelled);
}

TEST(Interrupted, IsTriedAgainAtOnceAndDoesNotCount) {
  Series s = running(2, 1);
  s.previous_wait = 5min;
  const auto next = take(s, event::Interrupted{});
  expect_retry(next, now, 0s);
  EXPECT_EQ(next.series.counted, 1);
  EXPECT_EQ(next.series.attempts, 2);
  EXPECT_EQ(next.series.interruptions, 1);
  EXPECT_EQ(next.series.previous_wait, 5min);
}

TEST(Interrupted, CountsAsAFailedAttemptFromTheThirdTimeOn) {
  Series s = running(3, 0);
  s.interruptions = 2;
  const auto third = take(s, event::Interrupted{});
  expect_retry(third, now + 5min, 5min);
  EXPECT_EQ(third.series.counted, 1);
  const auto fourth = take(take(third.series, event::Start{}).series, event::Interrupted{});
  expect_retry(fourth, now + 15min, 15min);
  const auto fifth = take(take(fourth.series, event::Start{}).series, event::Interrupted{});
  expect_end(fifth, State::failed, End::exhausted);
}

TEST(Interrupted, EndsPermanentAtTheThirdTimeWhenOurOwnFaultsAreNotRetried) {
  auto rule = built_in;
  rule.retry_on = *FailureClasses::parse("timeout");
  Series s = running(3, 0);
  s.interruptions = 2;
  expect_end(take(s, event::Interrupted{}, rule), State::failed, End::permanent);
}

TEST(Interrupted, EndsACancelledOrOvertakenSeries) {
  Series s = running();
  s.overtaken = true;
  expect_end(take(s, event::Interrupted{}), State::failed, End::overtaken);
  s.cancel_requested = true;
  expect_end(take(s, event::Interrupted{}), State::cancelled);
}

TEST(Interrupted, IsNotRefusedByGivingUp) {
  auto rule = built_in;
  rule.give_up_after = {60s};
  expect_retry(take(running(), event::Interrupted{}, rule), now, 0s);
}

TEST(Cancel, EndsASeriesThatWaits) {
  expect_end(take(opened(), event::Cancel{}), State::cancelled);
  expect_end(take(waiting(), event::Cancel{}), State::cancelled);
}

TEST(Cancel, IsNotedUnderARunningAttempt) {
  const auto next = take(running(), event::Cancel{});
  EXPECT_TRUE(next.series.cancel_requested);
  EXPECT_EQ(next.series.state, State::running);
  EXPECT_EQ(next.decision.action, Action::wait);
  EXPECT_EQ(take(next.series, event::Cancel{}).series, next.series) << "asking twice changes nothing";
}

TEST(Overtake, FailsASeriesThatWaitsSoThatItIsNotSilentForEver) {
  expect_end(take(waiting(), event::Overtake{}), State::failed, End::overtaken);
  expect_end(take(opened(), event::Overtake{}), State::failed, End::overtaken);
}

TEST(Overtake, IsNotedUnderARunningAttempt) {
  const auto next = take(running(), event::Overtake{});
  EXPECT_TRUE(next.series.overtaken);
  EXPECT_EQ(next.series.state, State::running);
  EXPECT_EQ(next.decision.action, Action::wait);
}

TEST(Rerun, GoesOnWithTheNumbersAndCountsAfresh) {
  const auto next = take(failed(End::exhausted), event::Rerun{});
  const Series wanted{.scheduled_for = night, .window_start = now, .due = now, .attempts = 3};
  EXPECT_EQ(next.series, wanted);
  EXPECT_EQ(next.decision.action, Action::retry);
  EXPECT_EQ(next.decision.next_attempt_at, now);
  EXPECT_EQ(take(next.series, event::Start{}).series.attempts, 4);
}

TEST(Rerun, MeasuresGivingUpFromTheRerun) {
  auto rule = built_in;
  rule.give_up_after = {10min};
  const auto later = night + 24h;
  auto s = take(failed(End::exhausted), event::Rerun{}, rule, later).series;
  s = take(s, event::Start{}, rule, later).series;
  expect_retry(take(s, refused_connection, rule, later + 5min), later + 10min, 5min);
}

TEST(Rerun, ForgetsWhatWasNotedBefore) {
  Series s = failed(End::overtaken);
  s.overtaken = s.cancel_requested = true;
  const auto next = take(s, event::Rerun{}).series;
  EXPECT_FALSE(next.overtaken);
  EXPECT_FALSE(next.cancel_requested);
  EXPECT_FALSE(next.end);
}

TEST(Miss, EndsASeriesThatNeverRan) {
  expect_end(take(opened(), event::Miss{}), State::missed);
}

TEST(Miss, IsRefusedOnceASeriesHasRun) {
  const auto rerun = take(failed(End::exhausted), event::Rerun{}).series;
  EXPECT_FALSE(step(rerun, event::Miss{}, built_in, now, no_dice));
}

TEST(Refusal, NamesTheEventAndTheState) {
  const auto next = step(running(), event::Rerun{}, built_in, now, no_dice);
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().failure_class, FailureClass::setup);
  EXPECT_EQ(next.error().reason, "rerun refused: the series is running");
}

TEST(Series, AFullNightFailsTwiceThenWorksInOneSeriesOfThreeAttempts) {
  auto s = take(opened(), event::Start{}, built_in, night).series;
  s = take(s, refused_connection, built_in, night).series;
  EXPECT_EQ(s.due, night + 5min);
  s = take(s, event::Start{}, built_in, night + 5min).series;
  s = take(s, event::Failed{FailureClass::timeout}, built_in, night + 5min).series;
  EXPECT_EQ(s.due, night + 20min);
  s = take(s, event::Start{}, built_in, night + 20min).series;
  const auto last = take(s, event::Succeeded{}, built_in, night + 21min);
  expect_end(last, State::succeeded);
  EXPECT_EQ(last.series.attempts, 3);
  EXPECT_EQ(last.series.scheduled_for, night);
}

TEST(SeriesText, EveryNameReadsBack) {
  for (const State s : {State::pending, State::running, State::retry_wait, State::succeeded, State::failed,
                        State::cancelled, State::missed})
    EXPECT_EQ(parse_state(to_text(s)), s);
  for (const End e : {End::exhausted, End::permanent, End::overtaken}) EXPECT_EQ(parse_end(to_text(e)), e);
  for (const Trigger t : {Trigger::schedule, Trigger::manual}) EXPECT_EQ(parse_trigger(to_text(t)), t);
  for (const Outcome o : {Outcome::success, Outcome::failure, Outcome::interrupted, Outcome::cancelled})
    EXPECT_EQ(parse_outcome(to_text(o)), o);
  EXPECT_FALSE(parse_state("waiting"));
  EXPECT_FALSE(parse_end(""));
}

}  // namespace
}  // namespace nightjar::series
