#include <nightjar/admission/pace.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace nightjar::admission {
namespace {

using namespace std::chrono_literals;

constexpr MonoTime start{100h};

TEST(Pace, BeginsWithOneAndHoldsATwentiethOfASecondsWorth) {
  EXPECT_EQ(Pace(50, start).available(start), 1U);
  EXPECT_EQ(Pace(50, start).available(start + 1h), 2U);
  EXPECT_EQ(Pace(1'000, start).available(start + 1h), 50U);
  EXPECT_EQ(Pace(1, start).available(start + 1h), 1U);
}

TEST(Pace, TakesARateBelowOneAsOne) {
  Pace pace{0, start};
  pace.take(1, start);
  EXPECT_EQ(pace.next(start), start + 1s);
  EXPECT_EQ(Pace(-5, start).available(start), 1U);
}

TEST(Pace, RefillsOneByOne) {
  Pace pace{10, start};
  pace.take(1, start);
  EXPECT_EQ(pace.available(start + 99ms), 0U);
  EXPECT_EQ(pace.available(start + 100ms), 1U);
}

TEST(Pace, HasNothingBeforeItsTime) {
  EXPECT_EQ(Pace(1'000, start).available(start - 1h), 0U);
}

TEST(Pace, LetsThoseAfterPayForWhatWasTakenAhead) {
  Pace pace{10, start};
  pace.take(5, start);
  EXPECT_EQ(pace.available(start + 499ms), 0U);
  EXPECT_EQ(pace.available(start + 500ms), 1U);
  EXPECT_EQ(pace.next(start), start + 500ms);
}

TEST(Pace, IsWorthAskingAgainForAQuarterOfABucket) {
  Pace pace{1'000, start + 1h};
  pace.take(1, start + 1h);
  const MonoTime next = pace.next(start + 1h);
  EXPECT_EQ(pace.available(next), 12U);
  EXPECT_EQ(pace.available(next - 1ns), 11U);
  EXPECT_EQ(pace.next(next + 1s), next + 1s);
}

// A loop that wakes when told, sometimes late, and takes all or some of what there is.
TEST(AnyLoop, StartsNoMoreThanTheRateInAnySecondAndNearlyThatMuch) {
  std::mt19937_64 random{5};
  for (const int per_second : {1, 2, 3, 7, 19, 20, 39, 40, 50, 100, 333, 1'000, 10'000}) {
    Pace pace{per_second, start};
    std::deque<MonoTime> second;  // of the starts of the last second
    MonoTime now = start;
    std::size_t started = 0;
    const MonoTime end = start + 60s;
    while (now < end) {
      if (random() % 300 == 0) now += Milliseconds{random() % 200};  // busy elsewhere
      const std::size_t all = pace.available(now);
      const std::size_t some = random() % 5 == 0 ? all / 2 : all;
      pace.take(some, now);
      started += some;
      second.insert(second.end(), some, now);
      while (!second.empty() && second.front() + 1s <= now) second.pop_front();
      ASSERT_LE(second.size(), static_cast<std::size_t>(per_second));
      now = std::max(pace.next(now), now + 100us);
    }
    EXPECT_GT(static_cast<double>(started), 60 * per_second * 0.85) << per_second << " a second";
  }
}

}  // namespace
}  // namespace nightjar::admission
