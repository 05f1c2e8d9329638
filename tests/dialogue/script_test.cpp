#include "dialogue/device.hpp"

#include <nightjar/dialogue/script.hpp>

#include <gtest/gtest.h>

#include <string>

namespace nightjar::dialogue::test {
namespace {

Script with_errors() {
  Script s = script();
  s.command_errors = {{pattern("^% Invalid"), FailureClass::unsupported, ""},
                      {pattern("locked by"), FailureClass::busy, "the configuration is locked"}};
  return s;
}

TEST(ErrorInAnswer, TheReasonQuotesTheCommandAndTheTrimmedLine) {
  const auto found = error_in_answer(with_errors(), "show foo", "   ^\n% Invalid input  \n\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->failure_class, FailureClass::unsupported);
  EXPECT_EQ(found->stage, Stage::command);
  EXPECT_EQ(found->reason, "\"show foo\": % Invalid input");
}

TEST(ErrorInAnswer, TheDriversOwnReasonComesBeforeTheLine) {
  const auto found = error_in_answer(with_errors(), "show", "error: locked by root\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->failure_class, FailureClass::busy);
  EXPECT_EQ(found->reason, "\"show\": the configuration is locked");
}

TEST(ErrorInAnswer, LooksAtTheFirstAndLastThreeNonBlankLinesOnly) {
  const auto at = [](int line) {
    std::string text = "\n";
    for (int i = 1; i <= 9; ++i)
      text += (i == line ? "% Invalid\n" : "text\n") + std::string(i % 2 ? "\n" : "  \n");
    return error_in_answer(with_errors(), "show", text).has_value();
  };
  for (const int line : {1, 2, 3, 7, 8, 9}) EXPECT_TRUE(at(line)) << line;
  for (const int line : {4, 5, 6}) EXPECT_FALSE(at(line)) << line;
}

TEST(ErrorInAnswer, ReadsShortAnswersOfEveryLength) {
  for (int lines = 0; lines < 8; ++lines) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "text\n";
    EXPECT_FALSE(error_in_answer(with_errors(), "show", text)) << lines;
    EXPECT_TRUE(error_in_answer(with_errors(), "show", text + "% Invalid")) << lines;
    EXPECT_TRUE(error_in_answer(with_errors(), "show", "% Invalid\n" + text)) << lines;
  }
  EXPECT_FALSE(error_in_answer(with_errors(), "show", ""));
}

TEST(ErrorInAnswer, AReasonIsPrintableAndShort) {
  const auto found = error_in_answer(with_errors(), "show", "% Invalid \xff\x1b" + std::string(500, 'x'));
  ASSERT_TRUE(found);
  EXPECT_LT(found->reason.size(), 160u);
  EXPECT_NE(found->reason.find("% Invalid ??x"), std::string::npos);
}

}  // namespace
}  // namespace nightjar::dialogue::test
