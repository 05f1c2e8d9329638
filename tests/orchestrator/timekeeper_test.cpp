#include "orchestrator/desk_fixture.hpp"

namespace nightjar::orchestrator {
namespace {

class TimekeeperTest : public DeskTest {
 protected:
  void schedule(std::string_view cron, std::string_view zone) {
    schedule::ScheduleLayer layer;
    ASSERT_TRUE(rules::assign<schedule::ScheduleFields>(layer, "cron", cron));
    ASSERT_TRUE(rules::assign<schedule::ScheduleFields>(layer, "timezone", zone));
    ASSERT_TRUE(store::Settings{*db_}.set_layer<schedule::ScheduleFields>({rules::Level::customer, acme_, {}},
                                                                          layer));
    keeper_.settings_changed();
  }
  Timekeeper::Step work() { return keeper_.work(*db_, clock_.now(), 1000).value(); }
  // Looks once a minute, as a daemon does more often, and tells what fired.
  std::vector<std::string> fired_between(std::string_view from, std::string_view to) {
    clock_.set(*parse_rfc3339(from));
    work();
    std::vector<std::string> fired;
    while (clock_.now() < *parse_rfc3339(to)) {
      clock_.pass(std::chrono::minutes{1});
      for (const auto& run : work().fired) fired.push_back(to_rfc3339(run.scheduled_for));
    }
    return fired;
  }
  std::vector<store::SeriesRow> all_series() { return store::SeriesBook{*db_}.list({}).value(); }

  Timekeeper keeper_{[] { return 0.0; }};
};

using testing::ElementsAre;

TEST_F(TimekeeperTest, ATimeThatIsSkippedFiresOnceRightAfterTheGap) {
  add_device("sw-1");
  schedule("30 2 * * *", "Europe/Paris");
  EXPECT_THAT(fired_between("2027-03-27T12:00:00Z", "2027-03-28T12:00:00Z"),
              ElementsAre("2027-03-28T01:00:00Z"));
  EXPECT_EQ(all_series().size(), 1u);
}

TEST_F(TimekeeperTest, ATimeThatComesTwiceFiresTheFirstTime) {
  add_device("sw-1");
  schedule("30 2 * * *", "Europe/Paris");
  EXPECT_THAT(fired_between("2027-10-30T12:00:00Z", "2027-10-31T12:00:00Z"),
              ElementsAre("2027-10-31T00:30:00Z"));
  EXPECT_EQ(all_series().size(), 1u);
}

TEST_F(TimekeeperTest, ARunThatIsOpenedInStepsGoesOnAfterARestart) {
  for (int i = 0; i < 5; ++i) add_device("sw-" + std::to_string(i));
  clock_.set(*parse_rfc3339("2027-01-10T01:00:00Z"));
  schedule("0 2 * * *", "UTC");
  work();
  clock_.set(*parse_rfc3339("2027-01-10T02:00:00Z"));
  EXPECT_TRUE(keeper_.work(*db_, clock_.now(), 2).value().more);
  EXPECT_EQ(all_series().size(), 2u);
  Timekeeper after{[] { return 0.0; }};
  EXPECT_FALSE(after.work(*db_, clock_.now(), 1000).value().more);
  EXPECT_EQ(all_series().size(), 5u);
}

TEST_F(TimekeeperTest, TheNextScheduledTimeOvertakesASeriesThatWaits) {
  add_device("sw-1");
  clock_.set(*parse_rfc3339("2027-01-10T01:00:00Z"));
  schedule("*/15 * * * *", "UTC");
  work();
  clock_.pass(std::chrono::minutes{15});
  EXPECT_EQ(work().opened, 1u);
  clock_.pass(std::chrono::minutes{15});
  const auto step = work();
  ASSERT_EQ(step.overtaken.size(), 1u);
  EXPECT_EQ(step.overtaken[0].machine.end, series::End::overtaken);
  EXPECT_EQ(step.opened, 1u);
}

TEST_F(TimekeeperTest, AnEditedScheduleFiresFromTheEditOn) {
  add_device("sw-1");
  clock_.set(*parse_rfc3339("2027-01-10T12:00:00Z"));
  schedule("0 2 * * *", "UTC");
  work();
  schedule("0 11 * * *", "UTC");
  EXPECT_TRUE(work().fired.empty());
  EXPECT_EQ(work().next, parse_rfc3339("2027-01-11T11:00:00Z"));
}

}  // namespace
}  // namespace nightjar::orchestrator
