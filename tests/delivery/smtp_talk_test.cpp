#include "delivery/smtp_talk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::delivery {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using Step = SmtpTalk::Step;

// Lines in order, "> " before what the client says.
SmtpTalk after(const std::vector<std::string>& lines) {
  SmtpTalk talk;
  for (const std::string& line : lines) {
    if (line.starts_with("> "))
      talk.sent(line.substr(2) + "\r\n");
    else
      talk.received(line + "\r\n");
  }
  return talk;
}

TEST(SmtpTalk, AnUnansweredCommandHasNoReply) {
  const SmtpTalk talk = after({"220 hello", "> EHLO x", "250 OK", "> MAIL FROM:<a@b>"});
  EXPECT_EQ(talk.step(), Step::sender);
  EXPECT_FALSE(talk.reply());
}

TEST(SmtpTalk, TheLinesOfAReplyAreOneText) {
  const SmtpTalk talk = after({"> MAIL FROM:<a@b>", "550-5.7.1 no", "550-5.7.1 really", "550 5.7.1 no\x01"});
  ASSERT_TRUE(talk.reply());
  EXPECT_EQ(talk.reply()->code, 550);
  EXPECT_EQ(talk.reply()->text, "5.7.1 no 5.7.1 really 5.7.1 no");
}

TEST(SmtpTalk, RecipientsThatAreTurnedAwayAreKnownByTheirPlace) {
  const SmtpTalk talk = after({"> RCPT TO:<a@b>", "250 OK", "> RCPT TO:<c@d>", "550 no", "> RCPT TO:<e@f>",
                               "450 later", "> DATA", "354 go", "250 queued"});
  ASSERT_THAT(talk.turned_away(), SizeIs(2));
  EXPECT_EQ(talk.turned_away()[0].index, 1u);
  EXPECT_EQ(talk.turned_away()[0].reply.text, "no");
  EXPECT_EQ(talk.turned_away()[1].index, 2u);
  EXPECT_EQ(talk.reply()->text, "queued");
}

TEST(SmtpTalk, ALoginsAnswersAreNotTakenForCommands) {
  const SmtpTalk talk = after({"> AUTH LOGIN", "334 VXNlcg==", "> QUIT", "334 UGFzcw==", "> DATA", "535 no"});
  EXPECT_EQ(talk.step(), Step::login);
  EXPECT_FALSE(talk.over());
  EXPECT_EQ(talk.reply()->code, 535);
}

TEST(SmtpTalk, TheFarewellChangesNothing) {
  const SmtpTalk talk = after({"> RCPT TO:<a@b>", "550 no", "> QUIT", "221 bye"});
  EXPECT_TRUE(talk.over());
  EXPECT_EQ(talk.step(), Step::recipient);
  EXPECT_EQ(talk.reply()->code, 550);
}

TEST(SmtpTalk, WhatIsNoReplyIsPassedOverAndEndlessOnesAreCut) {
  EXPECT_FALSE(after({"hello", "", "2", "25x no", "-12 x"}).reply());
  SmtpTalk talk;
  for (int i = 0; i < 10'000; ++i) talk.received("250-" + std::string(500, 'x') + "\r\n");
  talk.received("250 end\r\n");
  EXPECT_LE(talk.reply()->text.size(), 202u);  // the ellipsis has three bytes
  EXPECT_THAT(talk.turned_away(), IsEmpty());
}

}  // namespace
}  // namespace nightjar::delivery
