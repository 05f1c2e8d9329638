// schedule show and set, and what schedules mean to customers and rules.
#include "cli/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace nightjar::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ScheduleCommands : public Cli {
 protected:
  void SetUp() override { set_up_acme(); }
  nlohmann::json show(std::vector<std::string> words) {
    words.insert(words.begin(), {"schedule", "show", "--json"});
    return nightjar(words).json();
  }
  void add_device(const std::string& name) {
    ASSERT_EQ(nightjar({"device", "add", name, "--address", "192.0.2.1", "--driver", "ios", "--credential",
                        "acme/core"})
                  .exit,
              0);
  }
};

TEST_F(ScheduleCommands, EachFieldSaysWhichLevelItComesFrom) {
  ASSERT_EQ(nightjar({"schedule", "set", "--platform", "timezone=Europe/Paris"}).exit, 0);
  ASSERT_EQ(nightjar({"schedule", "set", "--customer", "acme", "cron=30 1 * * mon-fri"}).exit, 0);
  const auto schedule = show({"--customer", "acme"});
  EXPECT_EQ(
      schedule.at("cron"),
      nlohmann::json::parse(R"({"value":"30 1 * * mon-fri","origin":"customer","origin_name":"acme"})"));
  EXPECT_EQ(schedule.at("timezone"),
            nlohmann::json::parse(R"({"value":"Europe/Paris","origin":"platform","origin_name":null})"));
  EXPECT_EQ(schedule.at("enabled"),
            nlohmann::json::parse(R"({"value":true,"origin":"built-in","origin_name":null})"));
  EXPECT_EQ(schedule.at("catch_up_seconds").at("value"), 21600);
}

TEST_F(ScheduleCommands, TheNextFiveRunsAreShownInUtcAndOnTheCustomersClocks) {
  const auto schedule = show({"--customer", "acme", "cron=0 12 * * *", "timezone=Asia/Tokyo"});
  ASSERT_EQ(schedule.at("next").size(), 5u);
  for (const auto& run : schedule.at("next")) {
    EXPECT_THAT(run.at("at").get<std::string>(), EndsWith("T03:00:00Z"));
    EXPECT_THAT(run.at("local").get<std::string>(), EndsWith(" 12:00 JST"));
  }
}

TEST_F(ScheduleCommands, PeopleSeeFieldsAndRunsInOneAnswer) {
  ASSERT_EQ(nightjar({"customer", "set", "acme", "--timezone", "Asia/Tokyo"}).exit, 0);
  const std::string table = nightjar({"schedule", "show", "--customer", "acme"}).out;
  EXPECT_THAT(table, HasSubstr("customer acme"));
  EXPECT_THAT(table, HasSubstr("21600 (6 h 00)"));
  EXPECT_THAT(table, HasSubstr(" 02:00 JST"));
  EXPECT_THAT(table, HasSubstr(" 17:00:00"));
}

TEST_F(ScheduleCommands, APreviewStoresNothing) {
  EXPECT_EQ(show({"--platform", "enabled=false"}).at("enabled").at("value"), false);
  EXPECT_EQ(show({"--platform"}).at("enabled").at("value"), true);
}

TEST_F(ScheduleCommands, ADisabledScheduleHasNoRuns) {
  EXPECT_THAT(show({"--customer", "acme", "enabled=false"}).at("next"), IsEmpty());
  EXPECT_THAT(nightjar({"schedule", "show", "--customer", "acme", "enabled=false"}).out,
              HasSubstr("No runs: the schedule is disabled."));
}

TEST_F(ScheduleCommands, ADisabledDeviceHasNoRuns) {
  add_device("acme/core-01");
  ASSERT_EQ(nightjar({"device", "disable", "acme/core-01"}).exit, 0);
  EXPECT_THAT(show({"--device", "acme/core-01"}).at("next"), IsEmpty());
  EXPECT_THAT(nightjar({"schedule", "show", "--device", "acme/core-01"}).out,
              HasSubstr("No runs: device acme/core-01 is disabled."));
}

TEST_F(ScheduleCommands, ADeviceMayHaveAScheduleOfItsOwnAndGiveItUp) {
  add_device("acme/core-01");
  ASSERT_EQ(nightjar({"schedule", "set", "--device", "acme/core-01", "cron=@hourly"}).exit, 0);
  EXPECT_EQ(show({"--device", "acme/core-01"}).at("cron").at("origin_name"), "core-01");
  ASSERT_EQ(nightjar({"schedule", "set", "--device", "acme/core-01", "cron="}).exit, 0);
  EXPECT_EQ(show({"--device", "acme/core-01"}).at("cron").at("origin"), "built-in");
}

TEST_F(ScheduleCommands, WhatIsSoAlreadyIsSaidToBe) {
  const Answer answer = nightjar({"schedule", "set", "--customer", "acme", "cron="});
  EXPECT_EQ(answer.exit, 0);
  EXPECT_THAT(answer.err, HasSubstr("the schedule of customer acme is so already; nothing changed"));
}

TEST_F(ScheduleCommands, ABadCronIsQuotedWithItsFieldAndStoresNothing) {
  const Answer answer =
      nightjar({"schedule", "set", "--customer", "acme", "enabled=false", "cron=0 25 * * *"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("cron: "));
  EXPECT_THAT(answer.err, HasSubstr("hour"));
  EXPECT_THAT(answer.err, HasSubstr("25"));
  EXPECT_EQ(show({"--customer", "acme"}).at("enabled").at("value"), true);
}

TEST_F(ScheduleCommands, AnUnknownZoneGetsTheNearestOne) {
  const Answer answer = nightjar({"schedule", "set", "--platform", "timezone=Europe/Pariss"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err,
              HasSubstr("timezone: 'Europe/Pariss' is not a time zone; did you mean Europe/Paris?"));
}

TEST_F(ScheduleCommands, AnUnknownFieldOrCustomerGetsTheNearestOne) {
  EXPECT_THAT(nightjar({"schedule", "set", "--platform", "timezon=UTC"}).err,
              HasSubstr("unknown field 'timezon'; did you mean timezone?"));
  const Answer answer = nightjar({"schedule", "show", "--customer", "acmee"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("did you mean \"acme\"?"));
}

TEST_F(ScheduleCommands, ACustomersTimeZoneIsThatOfItsSchedule) {
  EXPECT_EQ(nightjar({"customer", "show", "acme", "--json"}).json().at("timezone"), nullptr);
  EXPECT_THAT(nightjar({"customer", "list"}).out, HasSubstr("inherited"));
  ASSERT_EQ(nightjar({"customer", "set", "acme", "--timezone", "Asia/Tokyo"}).exit, 0);
  EXPECT_EQ(show({"--customer", "acme"}).at("timezone").at("value"), "Asia/Tokyo");
  ASSERT_EQ(nightjar({"schedule", "set", "--customer", "acme", "timezone=UTC"}).exit, 0);
  EXPECT_EQ(nightjar({"customer", "show", "acme", "--json"}).json().at("timezone"), "UTC");
  ASSERT_EQ(nightjar({"customer", "set", "acme", "--timezone", ""}).exit, 0);
  EXPECT_EQ(nightjar({"customer", "show", "acme", "--json"}).json().at("timezone"), nullptr);
}

TEST_F(ScheduleCommands, AWindowLongerThanTheTimeToTheNextRunIsWarnedAboutOnBothSides) {
  const Answer schedule = nightjar({"schedule", "set", "--customer", "acme", "cron=*/5 * * * *"});
  EXPECT_EQ(schedule.exit, 0);
  EXPECT_THAT(schedule.err, HasSubstr("warning: the window of 35 min"));
  EXPECT_THAT(nightjar({"rule", "show", "--customer", "acme"}).err, HasSubstr("the 5 min to the next run"));
  EXPECT_THAT(nightjar({"rule", "set", "--customer", "acme", "attempts=2"}).err, HasSubstr("warning: "));
  EXPECT_EQ(nightjar({"rule", "timetable", "--customer", "acme", "--json"}).json().at("warnings").size(), 1u);
  EXPECT_THAT(
      nightjar({"rule", "show", "--customer", "acme", "attempts=1", "attempt_timeout_seconds=60"}).err,
      IsEmpty());
}

TEST_F(ScheduleCommands, TheShortestGapBetweenRunsCountsAndNotTheNextOne) {
  EXPECT_THAT(nightjar({"schedule", "show", "--customer", "acme", "cron=0,10 12 * * sun"}).err,
              HasSubstr("the 10 min to the next run"));
}

TEST_F(ScheduleCommands, ATimetableSaysWhenThatIsOnTheNextRun) {
  ASSERT_EQ(
      nightjar({"schedule", "set", "--customer", "acme", "cron=0 12 * * *", "timezone=Asia/Tokyo"}).exit, 0);
  const auto table = nightjar({"rule", "timetable", "--customer", "acme", "--json"}).json();
  EXPECT_THAT(table.at("next_run_at").get<std::string>(), EndsWith("T03:00:00Z"));
  EXPECT_THAT(table.at("told_at").get<std::string>(), EndsWith("T03:20:00Z"));
  EXPECT_THAT(table.at("told_at_with_timeouts").get<std::string>(), EndsWith("T03:35:00Z"));
  EXPECT_THAT(nightjar({"rule", "timetable", "--customer", "acme"}).out,
              HasSubstr(" 12:20 JST at the latest"));
  ASSERT_EQ(nightjar({"schedule", "set", "--customer", "acme", "enabled=false"}).exit, 0);
  EXPECT_EQ(nightjar({"rule", "timetable", "--customer", "acme", "--json"}).json().at("told_at"), nullptr);
}

TEST_F(ScheduleCommands, FiringsCountFromTheEditOnWithoutADaemon) {
  ASSERT_EQ(nightjar({"schedule", "set", "--customer", "acme", "enabled=false"}).exit, 0);
  EXPECT_EQ(nightjar({"status", "--json"}).json().at("next_run_at"), nullptr);
  ASSERT_EQ(nightjar({"schedule", "set", "--customer", "acme", "enabled=true", "cron=0 12 * * *"}).exit, 0);
  EXPECT_THAT(nightjar({"status", "--json"}).json().at("next_run_at").get<std::string>(),
              EndsWith("T12:00:00Z"));
}

}  // namespace
}  // namespace nightjar::cli
