#include <nightjar/base/failure.hpp>
#include <nightjar/base/pattern.hpp>
#include <nightjar/base/secret.hpp>

#include <gtest/gtest.h>

namespace nightjar {
namespace {

TEST(FailureClass, EveryNameReadsBack) {
  for (const FailureClass c : all_failure_classes) EXPECT_EQ(parse_failure_class(to_text(c)), c);
}

TEST(FailureClass, RetriedByDefaultAreThoseThatMayRepairThemselves) {
  EXPECT_EQ(FailureClasses::retried_by_default().to_text(),
            "unreachable,dropped,timeout,busy,incomplete,local");
}

TEST(FailureClasses, ParseAcceptsBlanksAndRefusesUnknownNames) {
  EXPECT_EQ(FailureClasses::parse("busy, timeout")->to_text(), "timeout,busy");
  EXPECT_EQ(FailureClasses::parse("")->to_text(), "");
  EXPECT_FALSE(FailureClasses::parse("timeout,never"));
}

TEST(Secret, MovingLeavesNothingBehind) {
  Secret a{"short"};
  const Secret b{std::move(a)};
  EXPECT_EQ(b.reveal(), "short");
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move): the point of the test
}

TEST(Pattern, BadExpressionIsAFailureThatQuotesIt) {
  const auto pattern = Pattern::compile("a(b");
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().failure_class, FailureClass::setup);
  EXPECT_NE(pattern.error().reason.find("'a(b'"), std::string::npos);
}

TEST(Pattern, MatchesBytesThatAreNotUtf8) {
  const auto pattern = Pattern::compile("P.cs");
  EXPECT_TRUE(
      pattern->matches_all("P\xe9"
                           "cs"));
}

TEST(Pattern, CaptureIsTheGroupOrTheWholeMatch) {
  EXPECT_EQ(Pattern::compile("key (\\w+)")->capture("set key abc"), "abc");
  EXPECT_EQ(Pattern::compile("key \\w+")->capture("set key abc"), "key abc");
  EXPECT_FALSE(Pattern::compile("key")->capture("none"));
}

}  // namespace
}  // namespace nightjar
