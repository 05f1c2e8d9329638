#include <nightjar/dialogue/transcript.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace nightjar::dialogue {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::string_literals;

Transcript with(std::initializer_list<const char*> secrets, std::size_t limit = 4096) {
  std::vector<Secret> list;
  for (const char* secret : secrets) list.emplace_back(secret);
  return Transcript{std::move(list), limit};
}

TEST(Transcript, ShowsWhatWasReceivedAndTyped) {
  Transcript t = with({"s3cret"});
  t.received("\r\nUser Name: ");
  t.typed("backup\n");
  t.received("backup\r\nPassword: ");
  t.typed_secret();
  t.typed("\n");
  EXPECT_EQ(t.text(), "\nUser Name: [typed: backup]backup\nPassword: [typed: *****][typed: \\n]");
}

TEST(Transcript, MakesEscapesVisibleAndKeepsLineEnds) {
  Transcript t = with({});
  t.received("\x1b[1ma\0\x07\rb\r\r\nc\t\xe9"s);
  EXPECT_EQ(t.text(), "\\e[1ma\\0\\x07\\rb\nc\t\xe9");
}

TEST(Transcript, MasksASecretWhateverTheReadBoundaries) {
  const std::string bytes = "a% Unknown host: 's3cret!' s3cr s3cret!s3cret!";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Transcript t = with({"s3cret!"});
    t.received(bytes.substr(0, cut));
    EXPECT_THAT(t.text(), Not(HasSubstr("s3cret!")));
    for (const char byte : bytes.substr(cut)) t.received({&byte, 1});
    EXPECT_EQ(t.text(), "a% Unknown host: '*****' s3cr **********") << cut;
  }
}

TEST(Transcript, MasksTheLongerOfTwoSecrets) {
  Transcript t = with({"hunter", "hunter2"});
  t.received("hunter2 hunter ");
  EXPECT_EQ(t.text(), "***** ***** ");
}

TEST(Transcript, MasksASecretInWhatIsTypedAndInOtherTexts) {
  Transcript t = with({"s3cret"});
  t.typed("login s3cret\n");
  EXPECT_EQ(t.text(), "[typed: login *****]");
  EXPECT_EQ(t.masked("no host 's3cret'"), "no host '*****'");
}

TEST(Transcript, ShowsNoLongBeginningOfASecret) {
  Transcript t = with({"s3cret"});
  t.received("x s3cre");
  EXPECT_EQ(t.text(), "x *****");
  t.typed("\n");
  EXPECT_EQ(t.text(), "x *****[typed: \\n]");
}

TEST(Transcript, ASecretOfOneByteHidesNothing) {
  Transcript t = with({"a", ""});
  t.received("a banana");
  EXPECT_EQ(t.text(), "a banana");
}

TEST(Transcript, ForgetsTheOldestBytesBeyondItsLimit) {
  Transcript t = with({}, 100);
  for (int i = 0; i < 1000; ++i) t.received("line " + std::to_string(i) + "\n");
  EXPECT_LE(t.text().size(), 100u);
  EXPECT_THAT(t.text(), testing::EndsWith("line 998\nline 999\n"));
  EXPECT_EQ(t.tail(9), "line 999\n");
}

}  // namespace
}  // namespace nightjar::dialogue
