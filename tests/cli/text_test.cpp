#include "cli/text.hpp"

#include <gtest/gtest.h>

#include <array>

namespace nightjar::cli {
namespace {

TEST(Text, EscapesOfADeviceNeverReachTheTerminal) {
  EXPECT_EQ(printable("a\x1b[2J\x07\r\n"), "a\\x1b[2J\\x07\\r\\n");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\x9b31m");
}

TEST(Text, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(printable("P\xE9"
                      "cs"),
            "P\xEF\xBF\xBD"
            "cs");
  EXPECT_EQ(printable("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Text, ColumnsAreThoseOfATerminal) {
  EXPECT_EQ(columns("core"), 4u);
  EXPECT_EQ(columns("P\xC3\xA9"
                    "cs"),
            4u);
  EXPECT_EQ(columns("\xE6\x9D\xB1\xE4\xBA\xAC"), 4u);  // two wide characters
  EXPECT_EQ(columns("e\xCC\x81"), 1u);                 // a combining accent
}

TEST(Text, NumbersAreGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(Text, ATypingErrorFindsItsWordAndAnotherWordFindsNone) {
  const std::array<std::string, 3> words{"customer", "credential", "series"};
  EXPECT_EQ(did_you_mean("custmer", words), "; did you mean \"customer\"?");
  EXPECT_EQ(did_you_mean("frobnicate", words), "");
}

}  // namespace
}  // namespace nightjar::cli
