#include <nightjar/delivery/payload.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::delivery {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Notice failed() {
  Notice notice;
  notice.id = "msg_17";
  notice.type = "series.failed";
  notice.at = UtcTime{Seconds{1'606'701'600}};
  notice.customer = "Acme & Sons";
  notice.headline = "Backup failed: core-01 <!channel>";
  notice.lines = {"connection refused by 192.0.2.10:22", "*3* attempts"};
  notice.link = "https://nightjar.example.net/series/17?a=1&b=2";
  return notice;
}

TEST(Generic, HasTypeVersionIdTimeAndData) {
  Notice notice = failed();
  notice.data = {{"device", "core-01"}};
  EXPECT_EQ(generic(notice),
            R"({"type":"series.failed","schema_version":1,"id":"msg_17","timestamp":"2020-11-30T02:00:00Z",)"
            R"("data":{"device":"core-01"}})");
}

TEST(Generic, WithoutDataThePlainFieldsTakeItsPlace) {
  Notice notice = failed();
  notice.link.clear();
  EXPECT_EQ(json::parse(generic(notice)).at("data"),
            json::parse(R"({"customer":"Acme & Sons","headline":"Backup failed: core-01 <!channel>",
                            "lines":["connection refused by 192.0.2.10:22","*3* attempts"],"link":null})"));
}

TEST(Generic, BytesThatAreNoTextAreReplaced) {
  Notice notice = failed();
  notice.headline = "core\xFF\r\n\"quoted\"";
  EXPECT_EQ(json::parse(generic(notice)).at("data").at("headline"), "core\xEF\xBF\xBD\r\n\"quoted\"");
}

TEST(Slack, NamesBecomeNeitherMentionsNorMarkup) {
  const json body = json::parse(slack(failed()));
  EXPECT_EQ(body.at("text"), "Backup failed: core-01 &lt;!channel&gt;");
  EXPECT_EQ(body.at("blocks"), json::parse(R"([
    {"type":"section","text":{"type":"mrkdwn","text":"*Backup failed: core-01 &lt;!channel&gt;*","verbatim":true}},
    {"type":"section","text":{"type":"mrkdwn","text":"connection refused by 192.0.2.10:22\n*3* attempts","verbatim":true}},
    {"type":"context","elements":[{"type":"mrkdwn","verbatim":true,
      "text":"Acme &amp; Sons  2020-11-30T02:00:00Z  <https://nightjar.example.net/series/17?a=1&amp;b=2|Open in Nightjar>"}]}
  ])"));
}

TEST(Slack, ASectionHolds3000CharactersAndCountsTheRest) {
  Notice notice = failed();
  notice.lines.assign(500, std::string(98, '&'));
  const json body = json::parse(slack(notice));
  const std::string text = body.at("blocks").at(1).at("text").at("text");
  EXPECT_LE(text.size(), 3000u);
  EXPECT_THAT(text, EndsWith("\nand 494 more"));
}

TEST(Slack, LinesThatAreTooLongAreCutAndEmptyOnesLeftOut) {
  Notice notice = failed();
  notice.lines = {std::string(5000, 'x')};
  notice.headline = std::string(5000, 'h');
  notice.customer = std::string(5000, 'c');
  json body = json::parse(slack(notice));
  EXPECT_EQ(body.at("blocks").at(1).at("text").at("text"), std::string(399, 'x') + "…");
  EXPECT_LT(body.dump().size(), 3000u);
  notice.lines.clear();
  body = json::parse(slack(notice));
  EXPECT_EQ(body.at("blocks").size(), 2u);
}

TEST(Slack, WhatIsNoLinkIsNotShownAsOne) {
  Notice notice = failed();
  notice.link = "javascript:alert(1)";
  EXPECT_THAT(slack(notice), Not(HasSubstr("javascript")));
  notice.link = "https://x.example.net/a|b>c";
  EXPECT_THAT(slack(notice), HasSubstr("<https://x.example.net/a%7Cb%3Ec|Open in Nightjar>"));
}

TEST(Teams, IsAMessageWithOneAdaptiveCardOfPlainTextRuns) {
  const json body = json::parse(teams(failed()));
  EXPECT_EQ(body.at("type"), "message");
  ASSERT_EQ(body.at("attachments").size(), 1u);
  EXPECT_EQ(body.at("attachments").at(0).at("contentType"), "application/vnd.microsoft.card.adaptive");
  const json card = body.at("attachments").at(0).at("content");
  EXPECT_EQ(card.at("type"), "AdaptiveCard");
  EXPECT_EQ(card.at("version"), "1.4");
  ASSERT_EQ(card.at("body").size(), 4u);
  EXPECT_EQ(card.at("body").at(0).at("inlines").at(0).at("text"), "Backup failed: core-01 <!channel>");
  EXPECT_EQ(card.at("body").at(2), json::parse(R"({"type":"RichTextBlock","spacing":"Small",
                                                   "inlines":[{"type":"TextRun","text":"*3* attempts"}]})"));
  EXPECT_EQ(card.at("actions"), json::parse(R"([{"type":"Action.OpenUrl","title":"Open in Nightjar",
                                                 "url":"https://nightjar.example.net/series/17?a=1&b=2"}])"));
}

TEST(Teams, TheMessageStaysUnder28KilobytesAndCountsTheRest) {
  Notice notice = failed();
  std::string emoji;
  for (int i = 0; i < 400; ++i) emoji += "\xF0\x9F\x98\x80";
  notice.lines.assign(500, emoji);
  notice.headline = emoji;
  notice.customer = emoji;
  notice.link = "https://x.example.net/" + std::string(2000, 'a');
  const std::string text = teams(notice);
  EXPECT_LE(text.size(), 28u * 1024);
  EXPECT_THAT(text, HasSubstr("and 4"));
  notice.lines.assign(500, "x");
  EXPECT_LE(teams(notice).size(), 28u * 1024);
}

}  // namespace
}  // namespace nightjar::delivery
