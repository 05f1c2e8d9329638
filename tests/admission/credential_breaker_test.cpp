#include <nightjar/admission/credential_breaker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace nightjar::admission {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr UtcTime night{std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 2h};

constexpr UtcTime long_after = night + 24h;

CredentialBreaker after(const CredentialBreaker& b, Login login, std::int64_t device, UtcTime at = night) {
  return observe(b, {.device = {device}, .login = login, .edition = b.edition, .at = at}, long_after);
}

CredentialBreaker rejected_by(std::initializer_list<std::int64_t> devices, CredentialBreaker b = {}) {
  for (const auto device : devices) b = after(b, Login::rejected, device);
  return b;
}

std::vector<std::int64_t> row_of(const CredentialBreaker& b) {
  std::vector<std::int64_t> devices;
  for (const Rejection& r : b.in_a_row) devices.push_back(r.device.value);
  return devices;
}

TEST(CredentialBreaker, TripsAtTheThirdDeviceInARow) {
  EXPECT_FALSE(is_tripped({}));
  EXPECT_FALSE(is_tripped(rejected_by({1, 2})));
  const CredentialBreaker b = rejected_by({1, 2, 3});
  EXPECT_TRUE(is_tripped(b));
  EXPECT_EQ(b.tripped_at, night);
  EXPECT_THAT(row_of(b), ElementsAre(1, 2, 3));
}

TEST(CredentialBreaker, CountsADeviceOnce) {
  EXPECT_FALSE(is_tripped(rejected_by({1, 1, 1, 2, 1, 2})));
  EXPECT_TRUE(is_tripped(rejected_by({1, 1, 2, 1, 3})));
}

TEST(CredentialBreaker, CountsAfreshFromADeviceThatAccepts) {
  const CredentialBreaker b = rejected_by({3, 4}, after(rejected_by({1, 2}), Login::accepted, 9));
  EXPECT_FALSE(is_tripped(b));
  EXPECT_TRUE(is_tripped(rejected_by({5}, b)));
}

TEST(CredentialBreaker, IsNotChangedByAttemptsThatNeverCameToTheLogin) {
  EXPECT_EQ(after(rejected_by({1, 2}), Login::none, 3), rejected_by({1, 2}));
}

TEST(CredentialBreaker, DoesNotCountDevicesWithoutAnIdentity) {
  EXPECT_EQ(rejected_by({0, 0, 0}), CredentialBreaker{});
}

TEST(TrippedBreaker, HoldsWhileAnswersAreOnTheirWayAndRefusesThen) {
  EXPECT_EQ(admit(rejected_by({1, 2}), 0), Admission::go);
  EXPECT_EQ(admit(rejected_by({1, 2}), 50), Admission::go);
  EXPECT_EQ(admit(rejected_by({1, 2, 3}), 50), Admission::hold);
  EXPECT_EQ(admit(rejected_by({1, 2, 3}), 0), Admission::refuse);
}

TEST(TrippedBreaker, IsClearedByADeviceThatAcceptedAfterwards) {
  EXPECT_EQ(after(count_refusal(rejected_by({1, 2, 3})), Login::accepted, 4, night + 1s),
            CredentialBreaker{});
}

TEST(TrippedBreaker, IsNotMovedByAnAcceptanceFromBeforeTheRow) {
  const CredentialBreaker tripped = count_refusal(rejected_by({1, 2, 3}));
  EXPECT_EQ(after(tripped, Login::accepted, 4, night - 1ms), tripped);
}

TEST(TrippedBreaker, IsNoLongerTrippedWhenAnAcceptanceWasInTheMiddleOfTheRow) {
  CredentialBreaker b;
  for (const int second : {1, 2, 4}) b = after(b, Login::rejected, second, night + Seconds{second});
  ASSERT_TRUE(is_tripped(b));
  b = after(b, Login::accepted, 9, night + 3s);
  EXPECT_FALSE(is_tripped(b));
  EXPECT_THAT(row_of(b), ElementsAre(4));
}

TEST(TrippedBreaker, KnowsTheNewestThreeAndSinceWhen) {
  const CredentialBreaker b = after(rejected_by({1, 2, 3}), Login::rejected, 4, night + 10s);
  EXPECT_THAT(row_of(b), ElementsAre(2, 3, 4));
  EXPECT_EQ(b.tripped_at, night);
}

TEST(TrippedBreaker, IsClearedByAnAcceptanceAlsoWhenTheClockWasSetBack) {
  const UtcTime back = night - 10h;
  EXPECT_EQ(
      observe(rejected_by({1, 2, 3}), {.device = {4}, .login = Login::accepted, .at = back}, back + 1min),
      CredentialBreaker{});
}

TEST(TrippedBreaker, CountsWhatItRefuses) {
  EXPECT_EQ(count_refusal(count_refusal(rejected_by({1, 2, 3}))).refused, 2);
}

TEST(TrippedBreaker, IsOpenedByAReset) {
  EXPECT_EQ(reset(count_refusal(rejected_by({1, 2, 3}))), CredentialBreaker{.edition = 1});
}

TEST(Reset, MakesAnswersToTheOldSecretCountForNothing) {
  const CredentialBreaker edited = reset(rejected_by({1, 2, 3}));
  CredentialBreaker b = edited;
  for (const std::int64_t device : {4, 5, 6})
    b = observe(b, {.device = {device}, .login = Login::rejected, .edition = 0, .at = night + 1s},
                long_after);
  EXPECT_EQ(b, edited);
  b = rejected_by({4, 5, 6}, b);
  EXPECT_TRUE(is_tripped(b));
  const Answer old{.device = {7}, .login = Login::accepted, .edition = 0, .at = night + 1h};
  EXPECT_EQ(observe(b, old, long_after), b);
}

TEST(Refusal, NamesTheCredentialAndIsNoAnswerOfADevice) {
  const Failure f = refusal("core-ro");
  EXPECT_EQ(f.reason, "credential core-ro rejected by 3 devices; not tried on this one");
  EXPECT_EQ(f.failure_class, FailureClass::auth);
  EXPECT_EQ(login_of(f), Login::none);
  EXPECT_EQ(contact_of(f), Contact::none);
}

}  // namespace
}  // namespace nightjar::admission
