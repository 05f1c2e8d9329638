#include "delivery/retry_after.hpp"

#include <nightjar/delivery/retry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::delivery {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr UtcTime first{Seconds{1'606'701'600}};  // 2020-11-30T02:00:00Z

std::optional<Seconds> wait_after(int tries, UtcTime now = first,
                                  std::optional<Seconds> asked = std::nullopt) {
  const auto next = next_try(tries, first, now, asked);
  return next ? std::optional(std::chrono::duration_cast<Seconds>(*next - now)) : std::nullopt;
}

TEST(RetryPlan, WaitsGrowToAnHourAndStayThere) {
  EXPECT_EQ(wait_after(1), Seconds{5});
  EXPECT_EQ(wait_after(2), Seconds{30});
  EXPECT_EQ(wait_after(3), minutes{2});
  EXPECT_EQ(wait_after(4), minutes{10});
  EXPECT_EQ(wait_after(5), hours{1});
  EXPECT_EQ(wait_after(6), hours{1});
  EXPECT_EQ(wait_after(1'000'000), hours{1});
}

TEST(RetryPlan, AnHourOfErrorsIsLivedThroughAndADayIsNot) {
  int tries = 1;
  UtcTime now = first;
  while (const auto next = next_try(tries, first, now, std::nullopt)) {
    now = *next;
    ++tries;
  }
  EXPECT_EQ(tries, 28);
  EXPECT_EQ(now, first + Seconds{5 + 30 + 120 + 600} + hours{23});
}

TEST(RetryPlan, TheLastTryIsAtMostADayAfterTheFirst) {
  EXPECT_EQ(wait_after(20, first + hours{23}), hours{1});
  EXPECT_EQ(wait_after(20, first + hours{23} + Milliseconds{1}), std::nullopt);
}

TEST(RetryPlan, ALongerWaitThatIsAskedForIsGranted) {
  EXPECT_EQ(wait_after(1, first, Seconds{120}), Seconds{120});
  EXPECT_EQ(wait_after(4, first, Seconds{120}), minutes{10});
  EXPECT_EQ(wait_after(1, first, Seconds{0}), Seconds{5});
}

TEST(RetryPlan, ADaysRestKillsNoMessage) {
  EXPECT_EQ(wait_after(1, first + Seconds{1}, hours{24}), hours{24});
  EXPECT_EQ(wait_after(2, first + hours{24} + Seconds{1}, hours{24}), std::nullopt);
}

TEST(RetryAfter, IsSecondsOrADate) {
  EXPECT_EQ(retry_after("120", first), Seconds{120});
  EXPECT_EQ(retry_after(" 0 ", first), Seconds{0});
  EXPECT_EQ(retry_after("Mon, 30 Nov 2020 02:10:00 GMT", first), minutes{10});
  EXPECT_EQ(retry_after("Mon, 30 Nov 2020 02:10:00 GMT", first + Milliseconds{1}), minutes{10});
  EXPECT_EQ(retry_after("Monday, 30-Nov-20 02:10:00 GMT", first), minutes{10});
}

TEST(RetryAfter, IsADayAtMostAndNeverNegative) {
  EXPECT_EQ(retry_after("86401", first), hours{24});
  EXPECT_EQ(retry_after("999999999999999999999999", first), hours{24});
  EXPECT_EQ(retry_after("Mon, 30 Nov 2099 02:10:00 GMT", first), hours{24});
  EXPECT_EQ(retry_after("Mon, 30 Nov 1998 02:10:00 GMT", first), Seconds{0});
}

TEST(RetryAfter, WhatIsNeitherIsNothing) {
  for (const char* value : {"", "soon", "-5", "12 s", "1e3", "\xFF"})
    EXPECT_EQ(retry_after(value, first), std::nullopt) << value;
}

}  // namespace
}  // namespace nightjar::delivery
