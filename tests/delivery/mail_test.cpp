#include "delivery/text.hpp"

#include <nightjar/delivery/mail.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::delivery {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Mail plain() {
  Mail mail;
  mail.from = "nightjar@example.net";
  mail.to = {"noc@example.org"};
  mail.subject = "Backup failed: core-01";
  mail.text = "Hello\n";
  mail.message_id = "17.4@nightjar.example.net";
  mail.date = UtcTime{Seconds{1'606'701'600}};
  return mail;
}

// The header's value as it stands on the wire, folds included.
std::string header(const std::string& mail, const std::string& name) {
  const std::size_t begin = mail.find("\r\n" + name + ": ") + 2 + name.size() + 2;
  std::size_t end = mail.find("\r\n", begin);
  while (mail[end + 2] == ' ') end = mail.find("\r\n", end + 2);
  return mail.substr(begin, end - begin);
}

std::string subject(const std::string& raw) {
  Mail mail = plain();
  mail.subject = raw;
  return header(mime(mail), "Subject");
}

std::string body(const std::string& raw) {
  Mail mail = plain();
  mail.text = raw;
  const std::string wire = mime(mail);
  return wire.substr(wire.find("\r\n\r\n") + 4);
}

TEST(Mime, APlainMailIsThisAndNothingElse) {
  EXPECT_EQ(mime(plain()),
            "Date: Mon, 30 Nov 2020 02:00:00 +0000\r\n"
            "From: nightjar@example.net\r\n"
            "To: noc@example.org\r\n"
            "Subject: Backup failed: core-01\r\n"
            "Message-ID: <17.4@nightjar.example.net>\r\n"
            "Auto-Submitted: auto-generated\r\n"
            "MIME-Version: 1.0\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            "Content-Transfer-Encoding: quoted-printable\r\n"
            "\r\n"
            "Hello\r\n");
}

TEST(Mime, TheBoundaryFollowsFromTheIdAndStandsInNoBody) {
  Mail mail = plain();
  mail.html = "<p>Hello</p>\n";
  const std::string once = mime(mail);
  EXPECT_EQ(once, mime(mail));
  const std::string type = header(once, "Content-Type");
  ASSERT_THAT(type, StartsWith("multipart/alternative;\r\n boundary=\"=_"));
  const std::string boundary = type.substr(type.find('"') + 1, type.rfind('"') - type.find('"') - 1);
  mail.text = "--" + boundary + "--\n";
  EXPECT_THAT(mime(mail), HasSubstr("\r\n\r\n--=3D_"));
  mail.message_id = "18@nightjar.example.net";
  EXPECT_THAT(mime(mail), Not(HasSubstr("--" + boundary)));
}

TEST(Mime, ARecoveryAnswersTheMailOfTheFailure) {
  Mail mail = plain();
  mail.in_reply_to = "12@nightjar.example.net";
  EXPECT_EQ(header(mime(mail), "In-Reply-To"), "<12@nightjar.example.net>");
  EXPECT_EQ(header(mime(mail), "References"), "<12@nightjar.example.net>");
}

TEST(Mime, ControlCharactersMakeNoHeader) {
  EXPECT_EQ(subject("core\r\nBcc: x@example.com"), "=?UTF-8?B?Y29yZSAgQmNjOiB4QGV4YW1wbGUuY29t?=");
  Mail mail = plain();
  mail.from = "a@b\r\nBcc: c@d";
  mail.to = {"e@f>\r\nX: y", "g@h,i@j"};
  mail.message_id = "1@x>\r\nX: y";
  mail.in_reply_to = std::string("2\0@x\n", 5);
  const std::string wire = mime(mail);
  EXPECT_EQ(header(wire, "From"), "a@b__Bcc__c@d");
  EXPECT_EQ(header(wire, "To"), "e@f___X__y,\r\n g@h_i@j");
  EXPECT_EQ(header(wire, "Message-ID"), "<1@x___X__y>");
  EXPECT_EQ(header(wire, "In-Reply-To"), "<2_@x_>");
}

// Computed with Python's email.header.Header and base64.
TEST(Mime, ForeignLettersAreEncodedWordsThatSplitBetweenCharacters) {
  EXPECT_EQ(subject("Zürich"), "=?UTF-8?B?WsO8cmljaA==?=");
  std::string emoji;
  for (int i = 0; i < 12; ++i) emoji += "\xF0\x9F\x98\x80";
  EXPECT_EQ(subject(emoji),
            "=?UTF-8?B?8J+YgPCfmIDwn5iA8J+YgPCfmIDwn5iA8J+YgPCfmIDwn5iA?=\r\n =?UTF-8?B?8J+YgPCfmIDwn5iA?=");
}

TEST(Mime, WhatLooksEncodedOrWouldLoseBlanksIsEncoded) {
  EXPECT_EQ(subject("=?utf-8?B?eA==?="), "=?UTF-8?B?PT91dGYtOD9CP2VBPT0/PQ==?=");
  EXPECT_THAT(subject(" leading"), StartsWith("=?UTF-8?B?"));
  EXPECT_THAT(subject("two  blanks"), StartsWith("=?UTF-8?B?"));
  EXPECT_THAT(subject(std::string(250, 'x')), StartsWith("=?UTF-8?B?"));
  EXPECT_EQ(subject("caf\xE9"), "=?UTF-8?B?Y2Fm77+9?=");
}

TEST(Mime, LongSubjectsAreFoldedBetweenWords) {
  const std::string words =
      "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789";
  EXPECT_EQ(subject(words),
            "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789\r\n 0123456789 0123456789");
}

// Computed with Python's quopri, line by line.
TEST(Mime, BodiesAreQuotedPrintable) {
  EXPECT_EQ(body("a=b\tc \nü"), "a=3Db\tc=20\r\n=C3=BC\r\n");
  EXPECT_EQ(body(std::string(80, 'x')), std::string(75, 'x') + "=\r\n" + std::string(5, 'x') + "\r\n");
  EXPECT_EQ(body(std::string(76, ' ')), std::string(75, ' ') + "=\r\n=20\r\n");
  EXPECT_EQ(body("one\r\ntwo\rthree\n\nfour"), "one\r\ntwo\r\nthree\r\n\r\nfour\r\n");
  EXPECT_EQ(body(""), "");
}

TEST(Mime, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(body(std::string("a\0b\x1B[0m\xFF", 8)), "a=EF=BF=BDb=EF=BF=BD[0m=EF=BF=BD\r\n");
  EXPECT_EQ(body("\xED\xA0\x80"), "=EF=BF=BD=EF=BF=BD=EF=BF=BD\r\n");
}

TEST(Text, OverlongFormsSurrogatesAndWhatLiesAboveUnicodeAreNoSequence) {
  EXPECT_EQ(sequence_length("\xC0\xAF"), 0u);
  EXPECT_EQ(sequence_length("\xE0\x80\xAF"), 0u);
  EXPECT_EQ(sequence_length("\xED\xA0\x80"), 0u);
  EXPECT_EQ(sequence_length("\xF4\x90\x80\x80"), 0u);
  EXPECT_EQ(sequence_length("\xE2\x82"), 0u);
  EXPECT_EQ(sequence_length("\xF4\x8F\xBF\xBF"), 4u);
  EXPECT_EQ(sequence_length("\xE2\x82\xAC x"), 3u);
}

TEST(Text, CuttingCountsCharactersAndShowsThatItCut) {
  EXPECT_EQ(cut("üüü", 3), "üüü");
  EXPECT_EQ(cut("üüüü", 3), "üü…");
  EXPECT_EQ(cut("", 3), "");
  EXPECT_EQ(cut("abc", 1), "…");
}

}  // namespace
}  // namespace nightjar::delivery
