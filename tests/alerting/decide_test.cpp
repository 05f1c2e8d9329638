#include <nightjar/alerting/decide.hpp>
#include <nightjar/rules/assign.hpp>

#include <gmock/gmock.h>

namespace nightjar::alerting {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const DestinationId mail{1}, chat{2};
const std::vector<DestinationId> both{mail, chat};

UtcTime at(std::string_view text) {
  return parse_rfc3339(text).value();
}

Policy policy(Repeat repeat) {
  Policy policy = rules::Describe<AlertFields>::built_in();
  policy.repeat = repeat;
  return policy;
}

std::vector<Standing> told_on(std::string_view time) {
  return {{mail, day_of(at(time), {})}};
}

TEST(ToldOfFailure, EverybodyHearsOfTheFirstOne) {
  EXPECT_THAT(told_of_failure({at("2026-11-30T02:00:00Z")}, policy(Repeat::never), {}, both, {}),
              ElementsAre(mail, chat));
}

TEST(ToldOfFailure, DailyMeansOnceForEachDayOfTheScheduledTime) {
  const auto before = told_on("2026-11-30T02:00:00Z");
  const auto daily = policy(Repeat::daily);
  EXPECT_THAT(told_of_failure({at("2026-11-30T23:45:00Z")}, daily, {}, both, before), ElementsAre(chat));
  EXPECT_THAT(told_of_failure({at("2026-12-01T01:59:00Z")}, daily, {}, both, before),
              ElementsAre(mail, chat));
}

TEST(ToldOfFailure, TheDayIsThatOfTheCustomersCalendar) {
  const auto paris = schedule::Zone::find("Europe/Paris").value();
  EXPECT_NE(day_of(at("2026-11-30T22:59:00Z"), paris), day_of(at("2026-11-30T23:00:00Z"), paris));
}

TEST(ToldOfFailure, EveryTellsAgainAndNeverDoesNot) {
  const auto before = told_on("2026-11-30T02:00:00Z");
  EXPECT_THAT(told_of_failure({at("2026-11-30T03:00:00Z")}, policy(Repeat::every), {}, both, before),
              ElementsAre(mail, chat));
  EXPECT_THAT(told_of_failure({at("2026-12-24T03:00:00Z")}, policy(Repeat::never), {}, both, before),
              ElementsAre(chat));
}

TEST(ToldOfFailure, NobodyHearsOfADisabledDevice) {
  EXPECT_THAT(told_of_failure({at("2026-11-30T02:00:00Z"), false}, policy(Repeat::every), {}, both, {}),
              IsEmpty());
}

TEST(ToldOfFailure, NobodyHearsOfWhatWasScheduledInAMaintenanceWindow) {
  Policy quiet = policy(Repeat::every);
  quiet.maintenance = schedule::Windows::parse("0 1 * * mon for 2h").value();
  EXPECT_THAT(told_of_failure({at("2026-11-30T02:00:00Z")}, quiet, {}, both, {}), IsEmpty());
  EXPECT_THAT(told_of_failure({at("2026-11-30T03:00:00Z")}, quiet, {}, both, {}), ElementsAre(mail, chat));
}

TEST(ToldOfRecovery, ThoseWhoWereToldOfTheFailureAndNobodyElse) {
  EXPECT_THAT(told_of_recovery(policy(Repeat::daily), told_on("2026-11-30T02:00:00Z")), ElementsAre(mail));
  Policy silent = policy(Repeat::daily);
  silent.recovered = false;
  EXPECT_THAT(told_of_recovery(silent, told_on("2026-11-30T02:00:00Z")), IsEmpty());
}

TEST(ClosesAt, AMessageWaitsForItsGroupAndOneOfASharedCauseUntilNothingComes) {
  const UtcTime opened = at("2026-11-30T02:20:00Z");
  EXPECT_EQ(closes_at(opened, opened + 90s, 120s, false), opened + 120s);
  EXPECT_EQ(closes_at(opened, opened + 90s, 120s, true), opened + 210s);
  EXPECT_EQ(closes_at(opened, opened + 1h, 120s, true), opened + 600s);
}

TEST(Settings, AreReadAsTheyAreWritten) {
  PolicyLayer layer;
  EXPECT_TRUE(rules::assign<AlertFields>(layer, "repeat", "every"));
  EXPECT_TRUE(rules::assign<AlertFields>(layer, "maintenance", "0 22 * * sat for 6h"));
  EXPECT_EQ(layer.repeat, Repeat::every);
  EXPECT_FALSE(rules::assign<AlertFields>(layer, "repeat", "weekly"));
  EXPECT_FALSE(rules::assign<AlertFields>(layer, "group_seconds", "3601"));
}

}  // namespace
}  // namespace nightjar::alerting
