#include "cli/settings.hpp"

#include <gtest/gtest.h>

namespace nightjar::cli {
namespace {

TEST(Settings, AbsentKeysKeepTheirDefaults) {
  const auto settings = parse_settings("[limits]\nsessions = 300\n", "n.toml");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->limits.sessions, 300);
  EXPECT_EQ(settings->limits.sessions_per_customer, orchestrator::Limits{}.sessions_per_customer);
  EXPECT_EQ(settings->drivers, "");
}

TEST(Settings, AnUnknownKeyIsNamedWithItsLine) {
  EXPECT_EQ(parse_settings("drivers = \"/d\"\n[limits]\nsesions = 3\n", "n.toml").error().reason,
            "n.toml:3: limits.sesions: unknown key; did you mean \"sessions\"?");
}

TEST(Settings, AValueOutOfBoundsOrOfAnotherTypeIsNamedWithItsLine) {
  EXPECT_EQ(parse_settings("[limits]\nsessions = 0\n", "n.toml").error().reason,
            "n.toml:2: limits.sessions: a whole number from 1 to 20000 is wanted");
  EXPECT_EQ(parse_settings("[limits]\nsessions = \"many\"\n", "n.toml").error().failure_class,
            FailureClass::setup);
  EXPECT_EQ(parse_settings("limits = 3\n", "n.toml").error().reason, "n.toml:1: limits: a table is wanted");
}

TEST(Settings, BrokenTomlIsNamedWithItsLine) {
  EXPECT_EQ(parse_settings("\n[limits\n", "n.toml").error().reason.substr(0, 9), "n.toml:2:");
}

}  // namespace
}  // namespace nightjar::cli
