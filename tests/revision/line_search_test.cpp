#include "revision/line_search.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace nightjar::revision {
namespace {

Patterns patterns(const std::vector<std::string>& expressions) {
  std::vector<Pattern> compiled;
  for (const auto& expression : expressions) compiled.push_back(*Pattern::compile(expression));
  return compiled;
}

// Both answers for every line of the text, one character each.
std::string by_search(const Patterns& all, std::string_view text) {
  std::string answers;
  LineSearch search{all, text};
  for_each_line(text, [&](std::string_view line) {
    answers += search.holds(line, bare(line)) ? '1' : '0';
    return true;
  });
  return answers;
}

std::string one_by_one(const Patterns& all, std::string_view text) {
  std::string answers;
  for_each_line(text, [&](std::string_view line) {
    answers += all.any_in(bare(line)) ? '1' : '0';
    return true;
  });
  return answers;
}

TEST(LineSearch, FindsTheLinesThatEachAloneWouldMatch) {
  EXPECT_EQ(by_search(patterns({"^b", "d$"}), "abc\nbcd\nxd\nad \nd e\nb"), "011101");
}

TEST(LineSearch, AMatchOverALineEndIsNone) {
  EXPECT_EQ(by_search(patterns({"a\\s+b", "x[^y]z"}), "a\nb\na b\nx\nz\nx z"), "001001");
}

TEST(LineSearch, MeansTheEndsOfALineByTheEndsOfATextToo) {
  EXPECT_EQ(by_search(patterns({"\\Ab", "c\\z"}), "ab\nba\nac\nca"), "0110");
  EXPECT_EQ(by_search(patterns({"(?-m:^b)"}), "ab\nba"), "01");
}

TEST(LineSearch, AQuotationEndsWithItsPattern) {
  EXPECT_EQ(by_search(patterns({"\\Qa.b", "^c$"}), "a.b\nacb\nc\n|c"), "1010");
}

TEST(LineSearch, NoPatternIsInNoLine) {
  EXPECT_EQ(by_search({}, "a\nb \n"), "00");
}

TEST(LineSearch, AgreesWithAskingEachLineWhateverTheText) {
  std::mt19937 random{7};
  const std::vector<std::string> pool{"^a", "b$",  "^$",    "a\\s*b", "\\bc\\b", "^\\s+a", "[^a]c",
                                      "c ", "^c$", "(?i)B", "a.b",    "(?s)a.b", "\\S$",   "x*"};
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::string> chosen;
    for (int i = 0; i < 3; ++i) chosen.push_back(pool[random() % (pool.size() - (round % 20 == 0 ? 0 : 1))]);
    std::string text;
    for (std::size_t size = random() % 40; size > 0; --size) text += "aabbcc \r\n\n"[random() % 10];
    const Patterns all = patterns(chosen);
    ASSERT_EQ(by_search(all, text), one_by_one(all, text))
        << testing::PrintToString(chosen) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace nightjar::revision
