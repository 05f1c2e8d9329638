#include <nightjar/admission/retry_budget.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace nightjar::admission {
namespace {

using namespace std::chrono_literals;

constexpr MonoTime start{100h};

int retries_that_go(RetryBudget& budget, MonoTime at, int wanted) {
  int gone = 0;
  for (int i = 0; i < wanted; ++i) gone += budget.take_retry(at) ? 1 : 0;
  return gone;
}

void first_attempts(RetryBudget& budget, MonoTime at, int count) {
  for (int i = 0; i < count; ++i) budget.first(at);
}

TEST(RetryBudget, LetsTenGoInEachSecondOfAQuietPlatform) {
  RetryBudget budget;
  EXPECT_EQ(retries_that_go(budget, start, 100), 10);
  EXPECT_EQ(retries_that_go(budget, start + 999ms, 100), 0);
  EXPECT_EQ(retries_that_go(budget, start + 1s, 100), 10);
  EXPECT_EQ(retries_that_go(budget, start + 10min, 100), 10) << "what was not used is gone";
}

TEST(RetryBudget, AddsAFifthOfTheFirstAttemptsOfTheLastMinute) {
  RetryBudget budget;
  first_attempts(budget, start, 104);
  EXPECT_EQ(retries_that_go(budget, start, 100), 10 + 20);
  EXPECT_EQ(retries_that_go(budget, start + 30s, 100), 10) << "the share is used up";
  first_attempts(budget, start + 30s, 5);
  EXPECT_EQ(retries_that_go(budget, start + 30s, 100), 1);
}

TEST(RetryBudget, ForgetsFirstAttemptsAfterAMinuteHoweverLongItSleeps) {
  RetryBudget awake;
  first_attempts(awake, start, 100);
  EXPECT_EQ(retries_that_go(awake, start + 59s, 100), 30);
  for (Seconds slept = 60s; slept < 200s; ++slept) {
    RetryBudget budget;
    first_attempts(budget, start, 100);
    EXPECT_EQ(retries_that_go(budget, start + slept, 100), 10) << slept.count() << " s";
  }
}

TEST(RetryBudget, ForgetsAfterAMinuteWhatWasDrawnOnTheShare) {
  RetryBudget budget;
  first_attempts(budget, start, 100);
  EXPECT_EQ(retries_that_go(budget, start, 100), 30);
  first_attempts(budget, start + 60s, 100);
  EXPECT_EQ(retries_that_go(budget, start + 60s, 100), 30);
}

TEST(RetryBudget, CountsEachTimeThatItPutsOneOff) {
  RetryBudget budget;
  retries_that_go(budget, start, 13);
  EXPECT_EQ(budget.put_off(), 3U);
  retries_that_go(budget, start + 1s, 11);
  EXPECT_EQ(budget.put_off(), 4U);
}

TEST(RetryBudget, SaysWhenToAskAgain) {
  RetryBudget budget;
  EXPECT_EQ(budget.next_retry_at(start + 300ms), start + 300ms);
  retries_that_go(budget, start + 300ms, 10);
  EXPECT_EQ(budget.next_retry_at(start + 400ms), start + 1s);
  EXPECT_TRUE(budget.take_retry(start + 1s));
  EXPECT_EQ(budget.put_off(), 0U);
}

TEST(RetryBudget, TakesATimeBeforeTheNewestAsTheNewest) {
  RetryBudget budget;
  retries_that_go(budget, start, 10);
  EXPECT_FALSE(budget.take_retry(start - 5s));
  EXPECT_EQ(budget.next_retry_at(start - 5s), start + 1s);
}

TEST(RetryBudget, KeepsOtherAllowances) {
  RetryBudget none{{.percent = 0, .per_second = 0}};
  first_attempts(none, start, 1000);
  EXPECT_EQ(retries_that_go(none, start, 10), 0);
  RetryBudget all{{.percent = 100, .per_second = 0}};
  first_attempts(all, start, 1000);
  EXPECT_EQ(retries_that_go(all, start, 2000), 1000);
}

TEST(AnyNight, HasNoMinuteWithMoreRetriesThanTheRuleAllows) {
  std::mt19937_64 random{4};
  RetryBudget budget;
  struct Second {
    std::int64_t number, firsts, retries;
  };
  std::deque<Second> minute;
  MonoTime now = start;
  for (int step = 0; step < 100'000; ++step) {
    now += random() % 500 == 0 ? 90s : Milliseconds{random() % 400};
    const std::int64_t number = std::chrono::floor<Seconds>(now.time_since_epoch()).count();
    if (minute.empty() || minute.back().number != number) minute.push_back({number, 0, 0});
    while (minute.front().number <= number - 60) minute.pop_front();
    std::int64_t firsts = 0;
    std::int64_t retries = 0;
    for (const Second& s : minute) {
      firsts += s.firsts;
      retries += s.retries;
    }

    if (random() % 4 != 0) {
      const auto more = static_cast<int>(random() % 20);
      first_attempts(budget, now, more);
      minute.back().firsts += more;
      continue;
    }
    const bool promised = budget.next_retry_at(now) == now;
    const bool went = budget.take_retry(now);
    ASSERT_EQ(went, promised) << "step " << step;
    if (went) {
      ++minute.back().retries;
      ASSERT_LE((retries + 1 - 600) * 5, firsts) << "step " << step;
    } else {
      ASSERT_GE(minute.back().retries, 10) << "put off within the second's own, step " << step;
    }
  }
}

}  // namespace
}  // namespace nightjar::admission
