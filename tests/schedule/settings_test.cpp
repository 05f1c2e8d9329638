#include "schedule/given.hpp"

#include <nightjar/schedule/settings.hpp>

namespace nightjar::schedule {
namespace {

using rules::assign;
using rules::Describe;
using rules::Level;

ScheduleLayer layer(std::string_view name, std::string_view text) {
  ScheduleLayer l;
  const auto done = assign<ScheduleFields>(l, name, text);
  EXPECT_TRUE(done) << done.error().reason;
  return l;
}

std::string refusal(std::string_view name, std::string_view text) {
  ScheduleLayer l;
  const auto done = assign<ScheduleFields>(l, name, text);
  EXPECT_EQ(l, ScheduleLayer{}) << "a refused value changed the layer";
  if (done) return "accepted";
  EXPECT_EQ(done.error().failure_class, FailureClass::setup);
  return done.error().reason;
}

TEST(ScheduleSettings, FieldsComeInTheOrderShownEverywhere) {
  std::vector<std::string> shown;
  rules::for_each_field<ScheduleFields>(
      [&](const auto& field) { shown.push_back(std::string{field.name} + ": " + std::string{field.label}); });
  EXPECT_EQ(shown, (std::vector<std::string>{"cron: Schedule", "timezone: Time zone", "enabled: Enabled",
                                             "catch_up_seconds: Catch up within"}));
}

TEST(ScheduleSettings, BuiltInIsEveryNightAtTwo) {
  const Schedule s = Describe<ScheduleFields>::built_in();
  EXPECT_EQ(s.cron, cron("0 2 * * *"));
  EXPECT_EQ(s.timezone, Zone{});
  EXPECT_TRUE(s.enabled);
  EXPECT_EQ(s.catch_up, Seconds{21600});
}

TEST(ScheduleSettings, TheMostSpecificLevelWinsFieldByField) {
  const auto platform = layer("cron", "@hourly");
  const auto customer = layer("timezone", "Europe/Paris");
  const auto device = layer("cron", "30 4 * * sun");
  const EffectiveSchedule s = rules::resolve(Describe<ScheduleFields>::built_in(),
                                             rules::Layers<ScheduleFields>{&platform, &customer, &device});
  EXPECT_EQ(s.cron.value, cron("30 4 * * sun"));
  EXPECT_EQ(s.cron.origin, Level::device);
  EXPECT_EQ(s.timezone.value, zone("Europe/Paris"));
  EXPECT_EQ(s.timezone.origin, Level::customer);
  EXPECT_EQ(s.enabled.origin, Level::built_in);
}

TEST(ScheduleSettings, TextsReadBack) {
  ScheduleLayer written;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"cron", "*/15 8-17 * * mon-fri"},
                                                        {"timezone", "America/New_York"},
                                                        {"enabled", "false"},
                                                        {"catch_up_seconds", "0"}}) {
    ASSERT_TRUE(assign<ScheduleFields>(written, name, text));
    rules::for_each_field<ScheduleFields>([&](const auto& field) {
      using rules::to_text;
      if (field.name != name) return;
      EXPECT_EQ(to_text(*field.get(written)), text);
    });
  }
}

TEST(ScheduleSettings, AnEmptyTextInherits) {
  ScheduleLayer l = layer("cron", "@daily");
  ASSERT_TRUE(assign<ScheduleFields>(l, "cron", ""));
  EXPECT_EQ(l, ScheduleLayer{});
}

TEST(ScheduleSettings, ARefusalNamesFieldValueAndWhy) {
  EXPECT_EQ(refusal("cron", "0 25 * * *"),
            "cron: '0 25 * * *' is not a schedule: hour '25': a number from 0 to 23 is wanted");
  EXPECT_EQ(refusal("timezone", "Europe/Pari"),
            "timezone: 'Europe/Pari' is not a time zone; did you mean Europe/Paris?");
  EXPECT_EQ(refusal("enabled", "yes"), "enabled: 'yes' is not true or false");
  EXPECT_EQ(refusal("catch_up_seconds", "604801"),
            "catch_up_seconds: '604801' is not a whole number from 0 to 604800");
  EXPECT_EQ(refusal("catch_up_seconds", "-1"),
            "catch_up_seconds: '-1' is not a whole number from 0 to 604800");
  EXPECT_EQ(refusal("time_zone", "UTC"), "unknown field 'time_zone'; did you mean timezone?");
}

}  // namespace
}  // namespace nightjar::schedule
