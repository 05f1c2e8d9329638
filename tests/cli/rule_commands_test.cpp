// rule show, set and timetable: shapes of the contract and the known answers.
#include "cli/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace nightjar::cli {
namespace {

using ::testing::HasSubstr;

class RuleCommands : public Cli {
 protected:
  void SetUp() override { set_up_acme(); }
  nlohmann::json timetable(std::vector<std::string> assignments) {
    assignments.insert(assignments.begin(), {"rule", "timetable", "--platform", "--json"});
    return nightjar(assignments).json();
  }
  static std::vector<int> waits(const nlohmann::json& timetable) {
    std::vector<int> seconds;
    for (const auto& row : timetable.at("attempts")) seconds.push_back(row.at("wait_seconds").get<int>());
    return seconds;
  }
};

TEST_F(RuleCommands, ACustomersAttemptsAreItsOwnAndTheDelaysBuiltIn) {
  ASSERT_EQ(nightjar({"rule", "set", "--customer", "acme", "attempts=5"}).exit, 0);
  const auto rule = nightjar({"rule", "show", "--customer", "acme", "--json"}).json();
  EXPECT_EQ(rule.at("attempts"),
            nlohmann::json::parse(R"({"value":5,"origin":"customer","origin_name":"acme"})"));
  EXPECT_EQ(rule.at("delay_seconds"),
            nlohmann::json::parse(R"({"value":300,"origin":"built-in","origin_name":null})"));
  EXPECT_EQ(rule.at("backoff").at("value"), 3.0);
  EXPECT_EQ(rule.at("give_up_after_seconds").at("value"), "none");
  EXPECT_EQ(rule.at("retry_on").at("value"),
            nlohmann::json::parse(R"(["unreachable","dropped","timeout","busy","incomplete","local"])"));
}

TEST_F(RuleCommands, PeopleSeeWhereEachValueComesFrom) {
  ASSERT_EQ(nightjar({"rule", "set", "--customer", "acme", "attempts=5"}).exit, 0);
  const std::string table = nightjar({"rule", "show", "--customer", "acme"}).out;
  EXPECT_THAT(table, HasSubstr("customer acme"));
  EXPECT_THAT(table, HasSubstr("300 (5 min)"));
}

TEST_F(RuleCommands, TheBuiltInRuleTellsAfterTwentyMinutes) {
  const auto table = timetable({});
  EXPECT_EQ(waits(table), (std::vector<int>{0, 300, 900}));
  EXPECT_EQ(table.at("attempts")[2].at("since_scheduled_seconds"), 1200);
  EXPECT_EQ(table.at("told_after_seconds"), 1200);
  EXPECT_EQ(table.at("told_after_seconds_with_timeouts"), 2100);
  EXPECT_TRUE(table.at("warnings").is_array());
}

TEST_F(RuleCommands, FiveAttemptsMeetTheCeiling) {
  const auto table = timetable({"attempts=5"});
  EXPECT_EQ(waits(table), (std::vector<int>{0, 300, 900, 2700, 3600}));
  EXPECT_EQ(table.at("told_after_seconds"), 7500);
}

TEST_F(RuleCommands, APreviewStoresNothing) {
  EXPECT_EQ(timetable({"attempts=1"}).at("told_after_seconds"), 0);
  EXPECT_EQ(waits(timetable({"attempts=4", "spacing=linear", "delay_seconds=10"})),
            (std::vector<int>{0, 10, 20, 30}));
  EXPECT_EQ(nightjar({"rule", "show", "--platform", "--json"}).json().at("attempts").at("value"), 3);
}

TEST_F(RuleCommands, AnEmptyValueInheritsAgain) {
  ASSERT_EQ(nightjar({"rule", "set", "--customer", "acme", "attempts=5"}).exit, 0);
  ASSERT_EQ(nightjar({"rule", "set", "--customer", "acme", "attempts="}).exit, 0);
  EXPECT_EQ(nightjar({"rule", "show", "--customer", "acme", "--json"}).json().at("attempts").at("origin"),
            "built-in");
  EXPECT_EQ(nightjar({"rule", "set", "--customer", "acme", "attempts="}).exit, 0);
}

TEST_F(RuleCommands, OneBadFieldLeavesTheOthersUnset) {
  const Answer answer = nightjar({"rule", "set", "--customer", "acme", "attempts=5", "delay_seconds=0"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("delay_seconds"));
  EXPECT_THAT(answer.err, HasSubstr("86400"));
  EXPECT_EQ(nightjar({"rule", "show", "--customer", "acme", "--json"}).json().at("attempts").at("value"), 3);
}

TEST_F(RuleCommands, AnUnknownFieldGetsTheNearestOne) {
  EXPECT_THAT(nightjar({"rule", "set", "--platform", "atempts=5"}).err, HasSubstr("attempts"));
  EXPECT_EQ(nightjar({"rule", "set", "--platform", "attempts"}).exit, 3);
}

TEST_F(RuleCommands, AScopeIsExactlyOneLevel) {
  EXPECT_EQ(nightjar({"rule", "show"}).exit, 3);
  EXPECT_EQ(nightjar({"rule", "show", "--platform", "--customer", "acme"}).exit, 3);
}

}  // namespace
}  // namespace nightjar::cli
