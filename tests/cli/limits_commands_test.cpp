// limits show and set.
#include "cli/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace nightjar::cli {
namespace {

using ::testing::HasSubstr;

class LimitsCommands : public Cli {
 protected:
  void SetUp() override { set_up_acme(); }
  nlohmann::json show() { return nightjar({"limits", "show", "--customer", "acme", "--json"}).json(); }
};

TEST_F(LimitsCommands, ACustomerInheritsWhatItDoesNotSay) {
  ASSERT_EQ(nightjar({"limits", "set", "--platform", "breaker_failures=50", "sessions=20"}).exit, 0);
  ASSERT_EQ(nightjar({"limits", "set", "--customer", "acme", "sessions=10"}).exit, 0);
  EXPECT_EQ(show(), nlohmann::json::parse(R"({
    "sessions": {"value": 10, "origin": "customer", "origin_name": "acme"},
    "breaker_failures": {"value": 50, "origin": "platform", "origin_name": null},
    "breaker_cooldown_seconds": {"value": 60, "origin": "built-in", "origin_name": null}})"));
  ASSERT_EQ(nightjar({"limits", "set", "--customer", "acme", "sessions="}).exit, 0);
  EXPECT_EQ(show().at("sessions").at("value"), 20);
}

TEST_F(LimitsCommands, ADeviceHasNoneAndIsToldWhy) {
  const Answer answer = nightjar({"limits", "set", "--device", "acme/core-01", "sessions=2"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("a device has no limits of its own"));
  EXPECT_THAT(answer.err, HasSubstr("--customer acme"));
  EXPECT_EQ(nightjar({"limits", "show", "--device", "acme/core-01"}).exit, 3);
}

TEST_F(LimitsCommands, AValueOutOfBoundsIsRefusedWithTheBounds) {
  const Answer answer = nightjar({"limits", "set", "--customer", "acme", "sessions=0"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("sessions: '0' is not a whole number from 1 to 10000"));
}

TEST_F(LimitsCommands, AnUnknownFieldGetsTheNearestOne) {
  EXPECT_THAT(nightjar({"limits", "set", "--platform", "breaker_failure=3"}).err,
              HasSubstr("did you mean breaker_failures?"));
}

TEST_F(LimitsCommands, PeopleSeeSecondsInWords) {
  const std::string table = nightjar({"limits", "show", "--platform", "breaker_cooldown_seconds=300"}).out;
  EXPECT_THAT(table, HasSubstr("300 (5 min)"));
  EXPECT_THAT(table, HasSubstr("platform"));
}

}  // namespace
}  // namespace nightjar::cli
