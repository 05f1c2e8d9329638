#include <nightjar/rules/assign.hpp>

#include <gtest/gtest.h>

namespace outside {

enum class Bell { quiet, loud };

template <template <class> class F>
struct AlarmFields {
  F<bool> armed{};
  F<Bell> bell{};
  F<nightjar::Seconds> snooze{};
};

}  // namespace outside

template <>
struct nightjar::rules::Describe<outside::AlarmFields> {
  static constexpr std::tuple fields{
      Field{"armed", "Armed", Unbounded{}, [](auto& a) -> decltype(auto) { return (a.armed); }},
      Field{"bell", "Bell", Unbounded{}, [](auto& a) -> decltype(auto) { return (a.bell); }},
      Field{"snooze_seconds", "Snooze", IntegerBounds{1, 600},
            [](auto& a) -> decltype(auto) { return (a.snooze); }},
  };
};

template <>
struct nightjar::rules::Writing<outside::Bell> {
  static Result<outside::Bell> read(std::string_view text, const Unbounded&) {
    if (text == "quiet") return outside::Bell::quiet;
    if (text == "loud") return outside::Bell::loud;
    return failure(FailureClass::setup, Stage::none, "no bell rings so");
  }
};

namespace nightjar::rules {
namespace {

using outside::AlarmFields;

TEST(Assign, WorksForTheSettingsOfAnyModule) {
  AlarmFields<std::optional> layer;
  EXPECT_TRUE(assign<AlarmFields>(layer, "armed", "true"));
  EXPECT_TRUE(assign<AlarmFields>(layer, "bell", "loud"));
  EXPECT_TRUE(assign<AlarmFields>(layer, "snooze_seconds", "600"));
  EXPECT_EQ(layer.armed, true);
  EXPECT_EQ(layer.bell, outside::Bell::loud);
  EXPECT_EQ(layer.snooze, Seconds{600});
  EXPECT_TRUE(assign<AlarmFields>(layer, "bell", ""));
  EXPECT_FALSE(layer.bell);
}

TEST(Assign, PutsTheFieldsNameBeforeWhatIsWrongWithItsValue) {
  AlarmFields<std::optional> layer;
  EXPECT_EQ(assign<AlarmFields>(layer, "bell", "soft").error().reason, "bell: no bell rings so");
  EXPECT_EQ(assign<AlarmFields>(layer, "armed", "1").error().reason, "armed: '1' is not true or false");
  EXPECT_EQ(assign<AlarmFields>(layer, "snooze_seconds", "0").error().reason,
            "snooze_seconds: '0' is not a whole number from 1 to 600");
}

TEST(ValueText, OfTruthReadsBack) {
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(parse<bool>(to_text(false)), false);
  EXPECT_FALSE(parse<bool>("yes"));
}

}  // namespace
}  // namespace nightjar::rules
