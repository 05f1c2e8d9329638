#include "cli/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::cli {
namespace {

using ::testing::ElementsAre;

TEST(Csv, QuotedFieldsHoldCommasQuotesAndLineEnds) {
  const auto rows = read_csv("a,\"b,\"\"c\"\"\nd\",e\n", "x.csv");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_THAT(rows->front().fields, ElementsAre("a", "b,\"c\"\nd", "e"));
}

TEST(Csv, AByteOrderMarkAndCrlfAreAccepted) {
  const auto rows = read_csv("\xEF\xBB\xBFname,port\r\ncore-01,22\r\n", "x.csv");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_THAT((*rows)[0].fields, ElementsAre("name", "port"));
  EXPECT_THAT((*rows)[1].fields, ElementsAre("core-01", "22"));
}

TEST(Csv, ARowKnowsItsLineBehindBlankLinesAndMultiLineFields) {
  const auto rows = read_csv("a\n\n\"b\nb\"\nc\n", "x.csv");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ((*rows)[1].line, 3u);
  EXPECT_EQ((*rows)[2].line, 5u);
}

TEST(Csv, AnEmptyLastFieldIsAField) {
  const auto rows = read_csv("a,", "x.csv");
  ASSERT_TRUE(rows);
  EXPECT_THAT(rows->front().fields, ElementsAre("a", ""));
}

TEST(Csv, AQuoteThatIsNeverClosedIsNamedWithTheLineItOpensOn) {
  const auto rows = read_csv("a\n\"b\nc\n", "x.csv");
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().reason, "x.csv:2: a quoted field is never closed");
}

TEST(Csv, AStrayQuoteIsNamedWithItsLine) {
  EXPECT_EQ(read_csv("a\nb\"c\n", "x.csv").error().reason.substr(0, 8), "x.csv:2:");
  EXPECT_EQ(read_csv("\"a\"b\n", "x.csv").error().reason, "x.csv:1: text after a closing quote");
}

TEST(Csv, AFormulaIsDisarmed) {
  EXPECT_EQ(csv_text("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
  EXPECT_EQ(csv_text("@SUM(A1)"), "\"'@SUM(A1)\"");
  EXPECT_EQ(csv_text("core-01"), "core-01");
}

TEST(Csv, WhatIsWrittenReadsBackTheSame) {
  const std::string field = "a \"b\", c\r\nd";
  const auto rows = read_csv(csv_text(field) + "\r\n", "x.csv");
  ASSERT_TRUE(rows);
  EXPECT_THAT(rows->front().fields, ElementsAre(field));
}

}  // namespace
}  // namespace nightjar::cli
