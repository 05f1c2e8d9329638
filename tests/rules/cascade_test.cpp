#include <nightjar/rules/retry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace nightjar::rules {
namespace {

using testing::HasSubstr;

// A text within the bounds of each field that is not its built-in value.
const std::vector<std::pair<std::string, std::string>> other_texts{{"attempts", "5"},
                                                                   {"delay_seconds", "60"},
                                                                   {"backoff", "1.5"},
                                                                   {"spacing", "linear"},
                                                                   {"max_delay_seconds", "900"},
                                                                   {"jitter", "full"},
                                                                   {"attempt_timeout_seconds", "120"},
                                                                   {"give_up_after_seconds", "7200"},
                                                                   {"retry_on", "timeout,busy"}};

RetryLayer layer(std::string_view name, std::string_view text) {
  RetryLayer l;
  EXPECT_TRUE(assign<RetryFields>(l, name, text));
  return l;
}

Layers<RetryFields> at(Level level, const RetryLayer& l) {
  Layers<RetryFields> layers;
  if (level == Level::platform) layers.platform = &l;
  if (level == Level::customer) layers.customer = &l;
  if (level == Level::device) layers.device = &l;
  return layers;
}

EffectiveRetryRule in_force(const Layers<RetryFields>& layers) {
  return resolve(Describe<RetryFields>::built_in(), layers);
}

std::string text_of(const EffectiveRetryRule& rule, std::string_view name) {
  std::string text;
  for_each_field<RetryFields>([&](const auto& field) {
    if (field.name == name) text = to_text(field.get(rule).value);
  });
  return text;
}

Level origin_of(const EffectiveRetryRule& rule, std::string_view name) {
  Level origin = Level::built_in;
  for_each_field<RetryFields>([&](const auto& field) {
    if (field.name == name) origin = field.get(rule).origin;
  });
  return origin;
}

std::string refusal(std::string_view name, std::string_view text) {
  RetryLayer l;
  const auto done = assign<RetryFields>(l, name, text);
  EXPECT_EQ(l, RetryLayer{}) << "a refused value changed the layer";
  if (done) return "accepted";
  EXPECT_EQ(done.error().failure_class, FailureClass::setup);
  return done.error().reason;
}

TEST(Cascade, FieldsComeInTheOrderShownEverywhere) {
  std::vector<std::string_view> names;
  for_each_field<RetryFields>([&](const auto& field) { names.push_back(field.name); });
  std::vector<std::string_view> wanted;
  for (const auto& [name, text] : other_texts) wanted.push_back(name);
  EXPECT_EQ(names, wanted);
}

TEST(Cascade, WithNoLayersEveryFieldIsBuiltIn) {
  const auto rule = in_force({});
  EXPECT_EQ(values<RetryFields>(rule), Describe<RetryFields>::built_in());
  for (const auto& [name, text] : other_texts) EXPECT_EQ(origin_of(rule, name), Level::built_in) << name;
}

TEST(Cascade, EachFieldSetAtEachLevelWinsAloneAndNamesThatLevel) {
  for (const auto& [name, text] : other_texts)
    for (const Level level : {Level::platform, Level::customer, Level::device}) {
      const auto own = layer(name, text);
      const auto rule = in_force(at(level, own));
      for (const auto& [other, unused] : other_texts) {
        EXPECT_EQ(origin_of(rule, other), other == name ? level : Level::built_in) << name << ' ' << other;
        EXPECT_EQ(text_of(rule, other) == text_of(in_force({}), other), other != name)
            << name << ' ' << other;
      }
      EXPECT_EQ(text_of(rule, name), text);
    }
}

TEST(Cascade, TheMostSpecificLevelWinsFieldByField) {
  const RetryLayer platform{.attempts = 4, .delay = Seconds{10}, .backoff = 2.0};
  const RetryLayer customer{.attempts = 5, .jitter = Jitter::full};
  const RetryLayer device{.delay = Seconds{20}};
  const auto rule = in_force({&platform, &customer, &device});
  EXPECT_EQ(rule.attempts, (Resolved<int>{5, Level::customer}));
  EXPECT_EQ(rule.delay, (Resolved<Seconds>{Seconds{20}, Level::device}));
  EXPECT_EQ(rule.backoff, (Resolved<double>{2.0, Level::platform}));
  EXPECT_EQ(rule.jitter, (Resolved<Jitter>{Jitter::full, Level::customer}));
  EXPECT_EQ(rule.max_delay, (Resolved<Seconds>{Seconds{3600}, Level::built_in}));
}

TEST(Cascade, ACustomerThatSetsAttemptsAloneKeepsTheBuiltInDelays) {
  const auto customer = layer("attempts", "5");
  const auto rule = in_force(at(Level::customer, customer));
  EXPECT_EQ(rule.attempts, (Resolved<int>{5, Level::customer}));
  EXPECT_EQ(rule.delay, (Resolved<Seconds>{Seconds{300}, Level::built_in}));
}

TEST(Cascade, ClearingAFieldInheritsAgain) {
  for (const auto& [name, text] : other_texts) {
    auto device = layer(name, text);
    ASSERT_TRUE(assign<RetryFields>(device, name, ""));
    EXPECT_EQ(device, RetryLayer{}) << name;
    EXPECT_EQ(in_force(at(Level::device, device)), in_force({})) << name;
  }
}

TEST(Cascade, NoLimitIsAValueThatOverridesALimitAbove) {
  const auto platform = layer("give_up_after_seconds", "7200");
  const auto device = layer("give_up_after_seconds", "none");
  EXPECT_TRUE(device.give_up_after);
  const auto rule = in_force({&platform, nullptr, &device});
  EXPECT_EQ(rule.give_up_after, (Resolved<GiveUpAfter>{GiveUpAfter{}, Level::device}));
}

TEST(Cascade, RetryOnNothingIsAValueNotInheritance) {
  const auto device = layer("retry_on", "none");
  EXPECT_EQ(device.retry_on, FailureClasses{});
  const auto rule = in_force(at(Level::device, device));
  EXPECT_EQ(rule.retry_on.origin, Level::device);
  EXPECT_EQ(text_of(rule, "retry_on"), "none");
}

TEST(Cascade, AssigningOneFieldLeavesTheOthers) {
  auto l = layer("attempts", "5");
  ASSERT_TRUE(assign<RetryFields>(l, "backoff", "2"));
  EXPECT_EQ(l, (RetryLayer{.attempts = 5, .backoff = 2.0}));
}

// Resolving 100,000 devices is copying: no field owns memory.
TEST(Cascade, ResolvingAllocatesNothing) {
  static_assert(std::is_trivially_copyable_v<EffectiveRetryRule>);
  static_assert(std::is_trivially_copyable_v<RetryLayer>);
}

TEST(Assign, TakesTheBoundsThemselvesAndNothingBeyond) {
  RetryLayer l;
  for (const auto& [name, least, most] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"attempts", "1", "20"},
           {"delay_seconds", "1", "86400"},
           {"backoff", "1", "10.0"},
           {"max_delay_seconds", "1", "86400"},
           {"attempt_timeout_seconds", "10", "7200"},
           {"give_up_after_seconds", "60", "604800"}}) {
    EXPECT_TRUE(assign<RetryFields>(l, name, least)) << name;
    EXPECT_TRUE(assign<RetryFields>(l, name, most)) << name;
  }
  EXPECT_EQ(refusal("attempts", "0"), "attempts: '0' is not a whole number from 1 to 20");
  EXPECT_EQ(refusal("attempts", "21"), "attempts: '21' is not a whole number from 1 to 20");
  EXPECT_EQ(refusal("delay_seconds", "0"), "delay_seconds: '0' is not a whole number from 1 to 86400");
  EXPECT_EQ(refusal("delay_seconds", "86401"),
            "delay_seconds: '86401' is not a whole number from 1 to 86400");
  EXPECT_EQ(refusal("backoff", "0.99"), "backoff: '0.99' is not a number from 1.0 to 10.0");
  EXPECT_EQ(refusal("backoff", "10.01"), "backoff: '10.01' is not a number from 1.0 to 10.0");
  EXPECT_EQ(refusal("attempt_timeout_seconds", "9"),
            "attempt_timeout_seconds: '9' is not a whole number from 10 to 7200");
  EXPECT_EQ(refusal("give_up_after_seconds", "59"),
            "give_up_after_seconds: '59' is not none or a whole number from 60 to 604800");
  EXPECT_EQ(refusal("give_up_after_seconds", "604801"),
            "give_up_after_seconds: '604801' is not none or a whole number from 60 to 604800");
}

TEST(Assign, RefusesTextThatIsNoValueAndSaysWhatWouldBe) {
  EXPECT_THAT(refusal("attempts", "three"), HasSubstr("attempts: 'three' is not a whole number"));
  EXPECT_THAT(refusal("attempts", "3.5"), HasSubstr("'3.5'"));
  EXPECT_THAT(refusal("attempts", " 3"), HasSubstr("' 3'"));
  EXPECT_THAT(refusal("attempts", "-1"), HasSubstr("from 1 to 20"));
  EXPECT_THAT(refusal("attempts", "4294967299"), HasSubstr("from 1 to 20"));
  EXPECT_THAT(refusal("delay_seconds", "99999999999999999999"), HasSubstr("from 1 to 86400"));
  EXPECT_THAT(refusal("delay_seconds", "5m"), HasSubstr("'5m'"));
  EXPECT_THAT(refusal("backoff", "nan"), HasSubstr("'nan'"));
  EXPECT_THAT(refusal("backoff", "inf"), HasSubstr("'inf'"));
  EXPECT_THAT(refusal("backoff", "3,0"), HasSubstr("'3,0'"));
  EXPECT_EQ(refusal("spacing", "even"), "spacing: 'even' is not one of geometric, linear");
  EXPECT_EQ(refusal("jitter", "some"), "jitter: 'some' is not one of none, equal, full, decorrelated");
  EXPECT_EQ(refusal("retry_on", "timeout,never"),
            "retry_on: 'timeout,never' is not none or a comma-separated list of unreachable, dropped, "
            "timeout, busy, "
            "incomplete, auth, host_key, negotiation, unsupported, setup, local, internal");
}

TEST(Assign, SuggestsTheFieldThatWasMeant) {
  EXPECT_EQ(refusal("atempts", "3"), "unknown field 'atempts'; did you mean attempts?");
  EXPECT_EQ(refusal("delay", "3"), "unknown field 'delay'; did you mean delay_seconds?");
  EXPECT_EQ(refusal("max_delay", "3"), "unknown field 'max_delay'; did you mean max_delay_seconds?");
  EXPECT_EQ(refusal("timeout", "3"), "unknown field 'timeout'; did you mean attempt_timeout_seconds?");
  EXPECT_EQ(refusal("give_up", "3"), "unknown field 'give_up'; did you mean give_up_after_seconds?");
  EXPECT_EQ(refusal("retry-on", "busy"), "unknown field 'retry-on'; did you mean retry_on?");
}

TEST(Assign, ListsTheFieldsWhenNoneIsNear) {
  EXPECT_THAT(refusal("colour", "red"),
              HasSubstr("unknown field 'colour'; the fields are attempts, delay_seconds, backoff, spacing"));
  EXPECT_THAT(refusal("", "red"), HasSubstr("the fields are"));
  EXPECT_THAT(refusal("", ""), HasSubstr("the fields are"));
}

TEST(RetryText, EveryFieldReadsBackFromItsText) {
  RetryLayer written;
  for (const auto& [name, text] : other_texts) ASSERT_TRUE(assign<RetryFields>(written, name, text));
  for (const RetryRule& rule :
       {Describe<RetryFields>::built_in(), values<RetryFields>(in_force(at(Level::device, written)))})
    for_each_field<RetryFields>([&](const auto& field) {
      using Value = std::remove_cvref_t<decltype(field.get(rule))>;
      const std::string text{to_text(field.get(rule))};
      EXPECT_FALSE(text.empty()) << field.name;
      EXPECT_EQ(parse<Value>(text), field.get(rule)) << field.name;
    });
}

TEST(RetryText, IsWhatAPersonWouldWrite) {
  const auto rule = in_force({});
  EXPECT_EQ(text_of(rule, "attempts"), "3");
  EXPECT_EQ(text_of(rule, "delay_seconds"), "300");
  EXPECT_EQ(text_of(rule, "backoff"), "3");
  EXPECT_EQ(text_of(rule, "spacing"), "geometric");
  EXPECT_EQ(text_of(rule, "give_up_after_seconds"), "none");
  EXPECT_EQ(text_of(rule, "retry_on"), "unreachable,dropped,timeout,busy,incomplete,local");
  EXPECT_EQ(to_text(1.1), "1.1");
}

TEST(RetryText, AnEmptyTextIsNoValueOfAnyType) {
  for_each_field<RetryFields>([](const auto& field) {
    const RetryRule rule;
    using Value = std::remove_cvref_t<decltype(field.get(rule))>;
    EXPECT_FALSE(parse<Value>("")) << field.name;
  });
}

TEST(Level, HasTheNamesOfTheContract) {
  EXPECT_EQ(to_text(Level::built_in), "built-in");
  EXPECT_EQ(to_text(Level::platform), "platform");
  EXPECT_EQ(to_text(Level::customer), "customer");
  EXPECT_EQ(to_text(Level::device), "device");
}

}  // namespace
}  // namespace nightjar::rules
