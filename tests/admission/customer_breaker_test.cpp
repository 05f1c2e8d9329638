#include <nightjar/admission/customer_breaker.hpp>
#include <nightjar/admission/hold.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace nightjar::admission {
namespace {

using namespace std::chrono_literals;
using Verdict = Gate::Verdict;

constexpr UtcTime night{std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 2h};
constexpr BreakerRule rule{.failures = 3, .cooldown = 60s};
constexpr SeriesId other{7};
constexpr SeriesId probing{8};

CustomerBreaker after(CustomerBreaker b, Contact contact, SeriesId series = other, UtcTime at = night) {
  return observe(std::move(b), series, contact, rule, at);
}

CustomerBreaker opened() {
  CustomerBreaker b;
  for (int i = 0; i < rule.failures; ++i) b = after(b, Contact::unreachable);
  return b;
}

CustomerBreaker under_probe() {
  return begin_probe(opened(), probing);
}

Gate hold_until(UtcTime t) {
  return {.verdict = Verdict::hold, .until = t};
}

TEST(ClosedBreaker, LetsEverythingGo) {
  EXPECT_EQ(gate({}, rule, night).verdict, Verdict::go);
}

TEST(ClosedBreaker, OpensAtTheTwentiethUnreachableAttemptInARowByDefault) {
  CustomerBreaker b;
  for (int i = 0; i < 19; ++i) b = observe(b, other, Contact::unreachable, {}, night);
  EXPECT_FALSE(is_open(b));
  b = observe(b, other, Contact::unreachable, {}, night);
  EXPECT_TRUE(is_open(b));
  EXPECT_EQ(b.opened_at, night);
  EXPECT_EQ(gate(b, {}, night), hold_until(night + 60s));
}

TEST(ClosedBreaker, CountsAfreshFromAnyDeviceThatWasReached) {
  for (const Contact contact : {Contact::reached, Contact::lost}) {
    CustomerBreaker b = after(after({}, Contact::unreachable), Contact::unreachable);
    b = after(after(b, contact), Contact::unreachable);
    EXPECT_EQ(b.unreachable, 1);
    EXPECT_FALSE(is_open(b));
  }
}

TEST(ClosedBreaker, IsNotChangedByAttemptsThatTouchedNothing) {
  const CustomerBreaker b = after({}, Contact::unreachable);
  EXPECT_EQ(after(b, Contact::none), b);
}

TEST(OpenBreaker, HoldsForOneCooldownThenAsksForAProbe) {
  EXPECT_EQ(gate(opened(), rule, night), hold_until(night + 60s));
  EXPECT_EQ(gate(opened(), rule, night + 60s - 1ms), hold_until(night + 60s));
  EXPECT_EQ(gate(opened(), rule, night + 60s).verdict, Verdict::probe);
}

TEST(OpenBreaker, IsClosedByAnAttemptThatBeganBeforeItOpenedAndGotAnAnswer) {
  EXPECT_EQ(after(opened(), Contact::reached), CustomerBreaker{});
}

TEST(OpenBreaker, IsNotClosedBySessionsThatTheOutageCutOff) {
  EXPECT_EQ(after(opened(), Contact::lost), opened());
}

TEST(OpenBreaker, IsNotHeldOpenForLongerByAttemptsThatEndLate) {
  const CustomerBreaker b = after(opened(), Contact::unreachable, other, night + 59s);
  EXPECT_EQ(b.unreachable, rule.failures + 1);
  EXPECT_EQ(b.opened_at, night);
  EXPECT_EQ(gate(b, rule, night + 60s).verdict, Verdict::probe);
}

TEST(OpenBreaker, CountsNoFurtherThanItCan) {
  CustomerBreaker b = opened();
  b.unreachable = std::numeric_limits<int>::max();
  EXPECT_EQ(after(b, Contact::unreachable), b);
}

TEST(OpenBreaker, AsksForAProbeAtOnceWhenTheClockWasSetBack) {
  EXPECT_EQ(gate(opened(), rule, night - 1ms).verdict, Verdict::probe);
  EXPECT_EQ(gate(opened(), rule, night - 10h).verdict, Verdict::probe);
}

TEST(OpenBreaker, AsksForAProbeAtOnceWhenTheCooldownWasShortened) {
  EXPECT_EQ(gate(opened(), {.failures = 3, .cooldown = 10s}, night + 5s).verdict, Verdict::probe);
  EXPECT_EQ(gate(opened(), {.failures = 3, .cooldown = 10s}, night + 55s), hold_until(night + 60s));
}

TEST(Probe, HoldsAllOthersHoweverLongItTakes) {
  EXPECT_EQ(gate(under_probe(), rule, night + 61s), hold_until(night + 121s));
  EXPECT_EQ(gate(under_probe(), rule, night + 10h), hold_until(night + 10h + 60s));
  EXPECT_EQ(gate(under_probe(), rule, night - 10h), hold_until(night - 10h + 60s));
}

TEST(Probe, IsRefusedBesideAnotherOrThroughAClosedBreaker) {
  EXPECT_THROW(begin_probe(under_probe(), other), std::logic_error);
  EXPECT_THROW(begin_probe({}, other), std::logic_error);
}

TEST(Probe, ClosesTheBreakerWhenTheDeviceWasReached) {
  EXPECT_EQ(after(under_probe(), Contact::reached, probing), CustomerBreaker{});
  EXPECT_EQ(after(under_probe(), Contact::lost, probing), CustomerBreaker{});
}

TEST(Probe, LeavesItOpenForAnotherCooldownWhenNobodyAnswered) {
  const CustomerBreaker b = after(under_probe(), Contact::unreachable, probing, night + 90s);
  EXPECT_EQ(b.opened_at, night);
  EXPECT_EQ(gate(b, rule, night + 90s), hold_until(night + 150s));
  EXPECT_EQ(gate(b, rule, night + 150s).verdict, Verdict::probe);
}

TEST(Probe, LetsAnotherGoWhenItTouchedNothing) {
  const CustomerBreaker b = after(under_probe(), Contact::none, probing, night + 61s);
  EXPECT_EQ(gate(b, rule, night + 61s).verdict, Verdict::probe);
}

TEST(Probe, IsNotOverWhenAnotherAttemptEnds) {
  for (const Contact contact : {Contact::unreachable, Contact::lost, Contact::none})
    EXPECT_EQ(after(under_probe(), contact, other).probe, probing);
}

TEST(Probe, OfAnEarlierOpeningIsAnAttemptLikeAnyOther) {
  CustomerBreaker b = after(under_probe(), Contact::reached, other);
  for (int i = 0; i < rule.failures; ++i) b = after(b, Contact::unreachable);
  b = begin_probe(b, SeriesId{9});
  b = after(b, Contact::unreachable, probing, night + 5min);
  EXPECT_EQ(b.probe, SeriesId{9});
  EXPECT_EQ(b.probe_at, night + 60s);
}

TEST(Probe, OfAProcessThatDiedDoesNotBlockTheNextOne) {
  const CustomerBreaker b = recovered(under_probe());
  EXPECT_EQ(b, opened());
  EXPECT_EQ(gate(b, rule, night + 60s).verdict, Verdict::probe);
}

TEST(HeldBack, IsASeriesForItsLongestDelayInAll) {
  EXPECT_EQ(hold_limit(night, 0s, 3600s), night + 1h);
  EXPECT_EQ(hold_limit(night, 45min, 3600s), night + 15min);
  EXPECT_EQ(hold_limit(night, 2h, 3600s), night);
  EXPECT_EQ(hold_limit(night, -2h, 3600s), night + 1h);
}

TEST(HeldBack, EndsAtTheLimitThoughTheBreakerStaysOpen) {
  const Gate hold = hold_until(night + 60s);
  EXPECT_EQ(held_until(hold, night + 1h, night), hold);
  EXPECT_EQ(held_until(hold, night + 30s, night), hold_until(night + 30s));
  EXPECT_EQ(held_until(hold, night, night).verdict, Verdict::go);
  EXPECT_EQ(held_until({.verdict = Verdict::probe}, night, night).verdict, Verdict::probe);
  EXPECT_EQ(held_until({.verdict = Verdict::go}, night + 1h, night).verdict, Verdict::go);
}

}  // namespace
}  // namespace nightjar::admission
