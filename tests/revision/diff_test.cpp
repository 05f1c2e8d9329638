#include <nightjar/revision/diff.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <string>
#include <vector>

namespace nightjar::revision {
namespace {

std::string diff(std::string_view before, std::string_view after, std::size_t context = 3) {
  return unified_diff(before, after, "old", "new", context);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// What patch does, written for this test: the text after, from the text before and a diff.
std::string patched(std::string_view before, const std::string& unified) {
  const auto old_lines = lines_of(before);
  const auto script = lines_of(unified);
  std::string out;
  std::size_t at = 0;
  for (std::size_t i = 2; i < script.size(); ++i) {
    const std::string& line = script[i];
    if (line.starts_with("@@ -")) {
      std::size_t start = 0, count = 1;
      const char* const end = line.data() + line.size();
      const auto number = std::from_chars(line.data() + 4, end, start);
      if (*number.ptr == ',') std::from_chars(number.ptr + 1, end, count);
      const std::size_t hunk = count == 0 ? start : start - 1;
      for (; at < hunk; ++at) out += old_lines.at(at);
    } else if (line.starts_with('\\')) {
      out.pop_back();
    } else if (line.starts_with('+')) {
      out += line.substr(1);
    } else {
      EXPECT_EQ(line.substr(1, old_lines.at(at).size()), old_lines.at(at));
      if (line.starts_with(' ')) {
        out += line.substr(1);
      } else if (i + 1 < script.size() && script[i + 1].starts_with('\\')) {
        ++i;
      }
      ++at;
    }
  }
  for (; at < old_lines.size(); ++at) out += old_lines[at];
  return out;
}

std::size_t changed_lines(const std::string& unified) {
  const auto script = lines_of(unified);
  return static_cast<std::size_t>(
      std::count_if(script.begin() + std::min<std::ptrdiff_t>(2, std::ssize(script)), script.end(),
                    [](const std::string& l) { return l[0] == '+' || l[0] == '-'; }));
}

// The fewest changed lines there can be, by the quadratic table.
std::size_t fewest_changes(std::string_view before, std::string_view after) {
  const auto a = lines_of(before), b = lines_of(after);
  std::vector<std::vector<std::size_t>> common(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      common[i][j] =
          a[i - 1] == b[j - 1] ? common[i - 1][j - 1] + 1 : std::max(common[i - 1][j], common[i][j - 1]);
  return a.size() + b.size() - 2 * common[a.size()][b.size()];
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> interfaces(int count) {
  std::vector<std::string> lines;
  for (int i = 0; i < count / 4; ++i) {
    lines.push_back("interface GigabitEthernet1/0/" + std::to_string(i));
    lines.push_back(" switchport access vlan " + std::to_string(i % 40));
    lines.push_back(" spanning-tree portfast");
    lines.push_back("!");
  }
  return lines;
}

TEST(UnifiedDiff, OfEqualTextsIsEmpty) {
  EXPECT_EQ(diff("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(diff("", ""), "");
}

TEST(UnifiedDiff, ShowsAChangedLineBetweenThreeLinesOfContext) {
  EXPECT_EQ(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, OfANewTextAddsEveryLine) {
  EXPECT_EQ(diff("", "a\nb\n"), "--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(diff("a\n", ""), "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiff, SaysWhereTheLastNewlineIsMissing) {
  EXPECT_EQ(diff("a\nend", "a\nend\n"),
            "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-end\n\\ No newline at end of file\n+end\n");
  EXPECT_EQ(diff("a\nend", "b\nend"),
            "--- old\n+++ new\n@@ -1,2 +1,2 @@\n-a\n+b\n end\n\\ No newline at end of file\n");
}

TEST(UnifiedDiff, JoinsChangesWhoseContextsTouchAndSplitsThoseApart) {
  EXPECT_EQ(diff("a\n1\n2\nb\n", "A\n1\n2\nB\n", 1),
            "--- old\n+++ new\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n-b\n+B\n");
  EXPECT_EQ(diff("a\n1\n2\n3\nb\n", "A\n1\n2\n3\nB\n", 1),
            "--- old\n+++ new\n@@ -1,2 +1,2 @@\n-a\n+A\n 1\n@@ -4,2 +4,2 @@\n 3\n-b\n+B\n");
}

TEST(UnifiedDiff, WithoutContextShowsTheChangesAlone) {
  EXPECT_EQ(diff("1\n2\n3\n", "1\n3\n", 0), "--- old\n+++ new\n@@ -2 +1,0 @@\n-2\n");
  EXPECT_EQ(diff("1\n3\n", "1\n2\n3\n", 0), "--- old\n+++ new\n@@ -1,0 +2 @@\n+2\n");
}

TEST(UnifiedDiff, TakesAnyContext) {
  EXPECT_EQ(diff("1\n2\n", "1\n3\n", static_cast<std::size_t>(-1)),
            "--- old\n+++ new\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n");
}

TEST(UnifiedDiff, ShowsAnAddedBlockWithItsOwnEnd) {
  EXPECT_EQ(diff("interface A\n desc a\n!\ninterface C\n desc c\n!\n",
                 "interface A\n desc a\n!\ninterface B\n desc b\n!\ninterface C\n desc c\n!\n", 1),
            "--- old\n+++ new\n@@ -3,2 +3,5 @@\n !\n+interface B\n+ desc b\n+!\n interface C\n");
}

TEST(UnifiedDiff, WorksOnBytesThatAreNotUtf8) {
  EXPECT_EQ(diff("location P\xe9"
                 "cs\n",
                 "location P\xc3\xa9"
                 "cs\n"),
            "--- old\n+++ new\n@@ -1 +1 @@\n-location P\xe9"
            "cs\n+location P\xc3\xa9"
            "cs\n");
}

TEST(UnifiedDiff, ATextWithoutNewlinesIsOneLine) {
  const auto unified = diff("a\r\nb", std::string("a\0b", 3));
  EXPECT_EQ(patched("a\r\nb", unified), std::string("a\0b", 3));
}

TEST(UnifiedDiff, OfSmallTextsIsShortestAndPatchesBack) {
  std::mt19937 random{7};
  for (int round = 0; round < 3000; ++round) {
    const auto text = [&] {
      std::string t;
      const int lines = std::uniform_int_distribution{0, 14}(random);
      const int letters = std::uniform_int_distribution{1, 6}(random);
      for (int i = 0; i < lines; ++i)
        t +=
            std::string(1, static_cast<char>('a' + std::uniform_int_distribution{0, letters}(random))) + "\n";
      if (!t.empty() && random() % 4 == 0) t.pop_back();
      return t;
    };
    const auto before = text(), after = text();
    const std::size_t context = random() % 4;
    const auto unified = diff(before, after, context);
    ASSERT_EQ(changed_lines(unified), fewest_changes(before, after)) << before << "---\n" << after;
    ASSERT_EQ(patched(before, unified), after) << before << "---\n" << after;
  }
}

TEST(UnifiedDiff, OfTwoLongSimilarTextsFindsTheFewChangedLines) {
  auto lines = interfaces(20'000);
  const auto before = joined(lines);
  lines[9'001] = " switchport access vlan 4000";
  lines.erase(lines.begin() + 15'000, lines.begin() + 15'004);
  lines.insert(lines.begin() + 400, " shutdown");
  const auto after = joined(lines);
  const auto unified = diff(before, after);
  EXPECT_EQ(changed_lines(unified), 2u + 4u + 1u);
  EXPECT_EQ(patched(before, unified), after);
}

TEST(UnifiedDiff, OfLongTextsWithNothingInCommonReplacesAll) {
  std::string before, after;
  for (int i = 0; i < 20'000; ++i) {
    before += "route 192.0.2." + std::to_string(i) + "\n";
    after += "policy " + std::to_string(i) + "\n";
  }
  EXPECT_EQ(changed_lines(diff(before, after)), 40'000u);
}

// The worst for a search: every line is on both sides, nothing is where it was.
TEST(UnifiedDiff, OfALongTextAndItsShuffledSelfStillPatchesBack) {
  std::vector<std::string> lines;
  for (int i = 0; i < 20'000; ++i) lines.push_back("line " + std::to_string(i));
  const auto before = joined(lines);
  std::shuffle(lines.begin(), lines.end(), std::mt19937{42});
  const auto after = joined(lines);
  EXPECT_EQ(patched(before, diff(before, after)), after);
}

TEST(UnifiedDiff, OfLongTextsOfAFewLinesRepeatedStillPatchesBack) {
  std::mt19937 random{3};
  std::string before, after;
  for (int i = 0; i < 20'000; ++i) {
    before += random() % 2 ? "!\n" : "exit\n";
    after += random() % 3 ? "!\n" : "exit\n";
  }
  EXPECT_EQ(patched(before, diff(before, after)), after);
}

}  // namespace
}  // namespace nightjar::revision
