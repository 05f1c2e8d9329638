#include <nightjar/report/settings.hpp>

#include <gtest/gtest.h>

namespace nightjar::report {
namespace {

using rules::assign;
using rules::Describe;

std::string refusal(std::string_view name, std::string_view text) {
  ReportLayer layer;
  const auto done = assign<ReportFields>(layer, name, text);
  EXPECT_EQ(layer, ReportLayer{}) << "a refused value changed the layer";
  return done ? "accepted" : done.error().reason;
}

TEST(ReportSettings, BuiltInIsEveryMorningAtHalfPastSeven) {
  const ReportSettings settings = Describe<ReportFields>::built_in();
  EXPECT_EQ(to_text(settings.cron), "30 7 * * *");
  EXPECT_TRUE(settings.enabled);
  EXPECT_EQ(settings.stale_after_days, 14);
}

TEST(ReportSettings, ALevelSetsWhatItSaysAndInheritsTheRest) {
  ReportLayer customer;
  ASSERT_TRUE(assign<ReportFields>(customer, "stale_after_days", "3"));
  ASSERT_TRUE(assign<ReportFields>(customer, "cron", "0 6 * * mon-fri"));
  const EffectiveReport report =
      rules::resolve(Describe<ReportFields>::built_in(), rules::Layers<ReportFields>{.customer = &customer});
  EXPECT_EQ(report.stale_after_days.value, 3);
  EXPECT_EQ(to_text(report.cron.value), "0 6 * * mon-fri");
  EXPECT_EQ(report.enabled.origin, rules::Level::built_in);
}

TEST(ReportSettings, ARefusalNamesFieldValueAndWhy) {
  EXPECT_EQ(refusal("stale_after_days", "0"), "stale_after_days: '0' is not a whole number from 1 to 3650");
  EXPECT_EQ(refusal("stale_after_days", "3651"),
            "stale_after_days: '3651' is not a whole number from 1 to 3650");
  EXPECT_EQ(refusal("enabled", "no"), "enabled: 'no' is not true or false");
  EXPECT_EQ(refusal("cron", "0 25 * * *"),
            "cron: '0 25 * * *' is not a schedule: hour '25': a number from 0 to 23 is wanted");
  EXPECT_EQ(refusal("crom", "@daily"), "unknown field 'crom'; did you mean cron?");
}

}  // namespace
}  // namespace nightjar::report
