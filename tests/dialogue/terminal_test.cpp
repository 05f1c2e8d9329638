#include <nightjar/dialogue/terminal.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::dialogue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::string_literals;

struct Lines final : LineSink {
  void line(std::string_view text) override { seen.emplace_back(text); }
  std::vector<std::string> seen;
};

std::vector<std::string> render(std::string_view bytes) {
  Terminal terminal;
  Lines lines;
  terminal.feed(bytes, lines);
  lines.seen.emplace_back(terminal.current());
  return lines.seen;
}

// What is left of `pager` followed by `rest` when the pager text is dropped in between.
std::vector<std::string> after_pager(std::string_view pager, std::string_view rest) {
  Terminal terminal;
  Lines lines;
  terminal.feed(pager, lines);
  terminal.drop_current();
  terminal.feed(rest, lines);
  return lines.seen;
}

TEST(Terminal, EndsALineAtLineFeedHoweverManyCarriageReturnsStandThere) {
  EXPECT_THAT(render("a\r\r\nb\n\rc\r\n"), ElementsAre("a", "b", "c", ""));
}

TEST(Terminal, CarriageReturnAndEraseRewriteTheLine) {
  EXPECT_THAT(
      render("show \r\x1b[Kadmin@fw(passive)> show system \r\x1b[Kadmin@fw(passive)> show system info\r\n"),
      ElementsAre("admin@fw(passive)> show system info", ""));
}

TEST(Terminal, BackspacesTakeBackCompletedBlanks) {
  EXPECT_THAT(render("file list /var/tmp    \b\b\bdetail\r\n"), ElementsAre("file list /var/tmp detail", ""));
}

TEST(Terminal, CursorAddressingPrintsARepaintedPromptOnce) {
  EXPECT_THAT(render("\x1b[24;1Hsw4-office# \x1b[24;1H\x1b[24;13H\x1b[?25h"
                     "\x1b[24;1Hsw4-office# \x1b[24;1H\x1b[24;13H\x1b[?25h"),
              ElementsAre("sw4-office#"));
}

TEST(Terminal, EscapeEEndsTheLine) {
  EXPECT_THAT(render("sw# \x1b[24;1H\x1b[24;5Hno page\x1b[24;0H\x1b"
                     "E\x1b[24;1H\x1b[2Ksw# "),
              ElementsAre("sw# no page", "sw# "));
}

TEST(Terminal, ColoursTitlesAndKeypadModesLeaveNoTrace) {
  EXPECT_THAT(render("\x1b]0;me@edge: ~\x07\x1b[01;32mme@edge\x1b[00m:\x1b[01;34m~\x1b[00m$ "
                     "\n\x1b]2;t\x1b\\\x1b[?1h\x1b=\rx\x1b[m\n\r\x1b[K\x1b[?1l\x1b>\x1b(By"),
              ElementsAre("me@edge:~$ ", "x", "y"));
}

TEST(Terminal, NulAndBellAreDroppedAndOtherBytesKept) {
  EXPECT_THAT(render("RBM\0_S<fw>\x07 \xff\xe9\x03\t|\n"s), ElementsAre("RBM_S<fw> \xff\xe9\x03\t|", ""));
}

TEST(Terminal, ABlankThatErasesIsNoText) {
  EXPECT_THAT(render("--More-- \r         \r!\r\n"), ElementsAre("!", ""));
  EXPECT_THAT(render("--More--\b\b\b\b\b\b\b\b        \b\b\b\b\b\b\b\bexit\n"), ElementsAre("exit", ""));
  EXPECT_THAT(render("---- More ----\x1b[14D              \x1b[14D#\n"), ElementsAre("#", ""));
}

TEST(Terminal, ABlankThatIsTextIsKept) {
  EXPECT_THAT(render("name \"x\"   \r\n"), ElementsAre("name \"x\"   ", ""));
  EXPECT_THAT(render("--More-- \r         \rname  \r\n"), ElementsAre("name  ", ""));
  EXPECT_THAT(render("   \r\n"), ElementsAre("   ", ""));
}

TEST(Terminal, AShorterRepaintHidesTheLongerText) {
  EXPECT_THAT(render("Building 10%\rdone        \r\n"), ElementsAre("done", ""));
}

TEST(Terminal, EditsInsideALineAreFollowed) {
  EXPECT_THAT(render("abcdef\x1b[4D\x1b[2P\n"), ElementsAre("abef", ""));
  EXPECT_THAT(render("abef\x1b[2D\x1b[2@cd\n"), ElementsAre("abcdef", ""));
  EXPECT_THAT(render("abcdef\x1b[3G\x1b[2X\n"), ElementsAre("ab  ef", ""));
  EXPECT_THAT(render("abcdef\x1b[3G\x1b[1K\n"), ElementsAre("   def", ""));
  EXPECT_THAT(render("abcdef\x1b[2J\rx\n"), ElementsAre("x", ""));
  EXPECT_THAT(render("ab\x1b[3Ccd\n"), ElementsAre("ab   cd", ""));
}

TEST(Terminal, ADroppedPagerLeavesNothingHoweverTheDeviceWipesItOut) {
  for (const std::string_view wipe :
       {"\r         \r", "\b\b\b\b\b\b\b\b\b         \b\b\b\b\b\b\b\b\b", "\r\x1b[K", "\x1b[m\x1b[K\r\x1b[K",
        "\x1b[2K", "\x1b[9D         \x1b[9D", "\r\n", " \r\n", "\r", "\r            \r"}) {
    EXPECT_THAT(after_pager("--More-- ", std::string{wipe} + "  ip address  \r\n!\r\n"),
                ElementsAre("  ip address  ", "!"))
        << wipe;
  }
}

TEST(Terminal, AnEmptyLineBehindAWipedPagerIsText) {
  EXPECT_THAT(after_pager("--More--", "\b\b\b\b\b\b\b\b        \b\b\b\b\b\b\b\b\r\nx\n"),
              ElementsAre("", "x"));
  EXPECT_THAT(after_pager("--More--", "\r\x1b[K\r\nx\n"), ElementsAre("", "x"));
  EXPECT_THAT(after_pager("--More--", "\r        \r\r\nx\n"), ElementsAre("", "x"));
}

TEST(Terminal, TextThatRunsOnBehindADroppedLineIsReported) {
  Terminal terminal;
  Lines lines;
  terminal.feed("--More--", lines);
  terminal.drop_current();
  terminal.feed(" \r\x1b[K!", lines);
  EXPECT_EQ(terminal.behind_dropped(), Terminal::Behind::nothing);
  terminal.feed("\r\n--More--", lines);
  terminal.drop_current();
  terminal.feed(" or (q)uit", lines);
  EXPECT_EQ(terminal.behind_dropped(), Terminal::Behind::text);
}

TEST(Terminal, WhatIsNoSequenceStaysText) {
  EXPECT_THAT(render("a\x1b[12\r\nb\n"), ElementsAre("a\x1b[12", "b", ""));
  EXPECT_THAT(render("a\x1b]0;no end\nb\n"), ElementsAre("a\x1b]0;no end", "b", ""));
  EXPECT_THAT(render("a\x1b\xe9z\n"), ElementsAre("a\x1b\xe9z", ""));
  EXPECT_THAT(render("\x1b]0;x\x1b[1mb\n"), ElementsAre("\x1b]0;xb", ""));
}

TEST(Terminal, ABrokenSequenceSwallowsNoEndlessText) {
  const std::string flood(100'000, 'x');
  const auto seen = render("\x1b]" + flood + "\n");
  EXPECT_EQ(seen.front().size(), flood.size() + 2);
  EXPECT_EQ(render("\x1b[" + std::string(1000, '1') + "\n").front().size(), 1002u);
}

TEST(Terminal, CountsHowOftenTheLineWasBegunAnew) {
  Terminal terminal;
  Lines lines;
  const auto renewed = [&](std::string_view bytes) {
    const auto before = terminal.renewals();
    terminal.feed(bytes, lines);
    return terminal.renewals() > before;
  };
  EXPECT_FALSE(renewed("core-01#"));
  EXPECT_FALSE(renewed(" \x1b[m\x07"));
  EXPECT_TRUE(renewed("\rcore-01# "));
  EXPECT_TRUE(renewed("\x1b[2K"));
  EXPECT_TRUE(renewed("\r\n"));
}

TEST(Terminal, ALineThatNeverEndsIsBoundedAndReported) {
  Terminal terminal;
  Lines lines;
  const std::string block(1u << 20, 'x');
  for (int i = 0; i < 4; ++i) terminal.feed(block, lines);
  EXPECT_FALSE(terminal.lost());
  for (int i = 0; i < 4; ++i) terminal.feed(block, lines);
  EXPECT_TRUE(terminal.lost());
  EXPECT_EQ(terminal.current().size(), Terminal::line_bytes);
}

TEST(Terminal, AFarCursorCostsNoMemory) {
  const auto seen = render("\x1b[99999999Cx\x1b[99999999Gy\x1b[1;4294967296Hz\n");
  EXPECT_LE(seen.front().size(), 3000u);
}

TEST(Terminal, BlanksBeyondTheLastColumnEndTheWipingOfAPagerHoweverTheyAreCut) {
  const std::string_view rest = "\x1b[7777C Ka\r #";
  Lines lines;
  Terminal whole, pieces;
  whole.drop_current();
  pieces.drop_current();
  whole.feed(rest, lines);
  for (const char byte : rest) pieces.feed({&byte, 1}, lines);
  EXPECT_EQ(whole.renewals(), pieces.renewals());
  EXPECT_EQ(whole.current(), pieces.current());
  EXPECT_TRUE(whole.lost());
}

TEST(Terminal, AnySegmentationGivesTheSameLines) {
  const std::string bytes =
      "\x1b]0;t\x07\x1b[1msw\x1b[0m# show\b\b\b\bshow  x\r\r\n\x1b[7m--More-- \x1b[27m\x1b[K\r\x1b[K   text  "
      "\r\n"
      "--More-- \r         \r!\r\n\x1b[24;1H\x1b[2Ksw# \x1b"
      "Ea\x1b]broken\r\nb\x1b[3\nlast";
  const auto whole = render(bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Terminal terminal;
    Lines lines;
    terminal.feed(std::string_view{bytes}.substr(0, cut), lines);
    for (const char byte : bytes.substr(cut)) terminal.feed({&byte, 1}, lines);
    lines.seen.emplace_back(terminal.current());
    ASSERT_EQ(lines.seen, whole) << cut;
  }
}

}  // namespace
}  // namespace nightjar::dialogue
