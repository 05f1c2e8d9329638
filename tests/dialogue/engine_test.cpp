#include "dialogue/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace nightjar::dialogue::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using namespace std::string_literals;
using namespace std::chrono_literals;

constexpr std::string_view config = "!\nhostname core-01\nsnmp-server location rack 4  \n!\nend\n";

Device ios(std::string prompt = "core-01#") {
  Device device;
  device.greeting = "\r\nWelcome\r\n\r\n";
  device.prompt = std::move(prompt);
  device.answer("terminal length 0", "");
  device.answer("terminal width 0", "");
  device.answer("show version", "Version 15.2\nuptime is 3 weeks\n");
  device.answer("show running-config", std::string{config});
  return device;
}

void expect_failure(const Talk& t, FailureClass failure_class, Stage stage, std::string_view words) {
  ASSERT_TRUE(t.failure) << t.transcript;
  EXPECT_EQ(t.failure->failure_class, failure_class) << t.failure->reason;
  EXPECT_EQ(t.failure->stage, stage) << t.failure->reason;
  EXPECT_THAT(t.failure->reason, HasSubstr(std::string{words}));
}

TEST(Engine, ReadsTheSectionsOfAPlainDevice) {
  const Talk t = talk(script(), ios());
  ASSERT_FALSE(t.failure) << t.failure->reason;
  EXPECT_TRUE(t.done);
  EXPECT_EQ(t.prompt, "core-01#");
  EXPECT_EQ(t.text(0), "Version 15.2\nuptime is 3 weeks\n");
  EXPECT_EQ(t.text(1), config);
  EXPECT_EQ(t.typed, "\nterminal length 0\nterminal width 0\nshow version\nshow running-config\n\nexit\n");
}

TEST(Engine, TriesTheNextCommandWhenTheDeviceDoesNotKnowOne) {
  Script s = script();
  s.sections[1].commands = {"show startup", "show running-config"};
  const Talk t = talk(s, ios());
  ASSERT_FALSE(t.failure) << t.failure->reason;
  ASSERT_EQ(t.sections.size(), 2u);
  EXPECT_EQ(t.sections[1].command, "show running-config");
  EXPECT_EQ(t.text(1), config);
}

TEST(Engine, LeavesOutFactsAndOptionalSectionsTheDeviceDoesNotKnow) {
  Script s = script();
  s.sections.push_back({"vlans", SectionKind::config, {"show vlan"}, true, {}, {}, {}});
  Device d = ios();
  d.answers.erase("show version");
  const Talk t = talk(s, d);
  ASSERT_FALSE(t.failure) << t.failure->reason;
  ASSERT_EQ(t.sections.size(), 1u);
  EXPECT_EQ(t.text(1), config);
}

TEST(Engine, AnUnknownCommandOfANeededSectionIsUnsupported) {
  Device d = ios();
  d.answers.erase("show running-config");
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::unsupported, Stage::command, "\"show running-config\": % Invalid input");
  EXPECT_THAT(t.typed, EndsWith("exit\n"));
}

TEST(Engine, AnErrorTextHasTheClassOfItsDriver) {
  Device d = ios();
  d.answers["show running-config"] = {{"error: configuration database temporarily locked\r\n", std::nullopt}};
  expect_failure(talk(script(), d), FailureClass::busy, Stage::command, "temporarily locked");
}

TEST(Engine, APreparationCommandMayFail) {
  Device d = ios();
  d.answers.erase("terminal width 0");
  EXPECT_FALSE(talk(script(), d).failure);
}

TEST(Engine, KeepsTheWantedLinesOfAFact) {
  Script s = script();
  s.sections[0].keep = {pattern("^Version")};
  EXPECT_EQ(talk(s, ios()).text(0), "Version 15.2\n");
}

TEST(Engine, ADeviceWithoutEchoIsReadToo) {
  Script s = script();
  s.echo = false;
  Device d = ios();
  d.echo = false;
  Talk t = talk(s, d);
  ASSERT_FALSE(t.failure) << t.failure->reason;
  EXPECT_EQ(t.text(1), config);
  d.prompt = "\r\ncore-01#";
  t = talk(s, d);
  ASSERT_FALSE(t.failure) << t.failure->reason;
  EXPECT_EQ(t.text(1), std::string{config} + "\n");
}

TEST(Engine, ADeviceThatShowsItsPromptTwiceForEveryLineIsReadToo) {
  const Talk t = talk(script(), ios("core-01#\r\ncore-01#"));
  ASSERT_FALSE(t.failure) << t.failure->reason;
}

TEST(Engine, AConfigOfOneLineThatRepeatsTheCommandIsReadTwiceAndBelieved) {
  Script s = script();
  s.sections[1].end_mark.reset();
  Device d = ios();
  d.answers["show running-config"] = {{"show running-config\r\n", std::nullopt}};
  const Talk t = talk(s, d);
  ASSERT_FALSE(t.failure) << t.failure->reason;
  EXPECT_EQ(t.text(1), "show running-config\n");
}

TEST(Engine, ADeviceFullAtLoginIsBusy) {
  Device d;
  d.greeting = "\r\nAll lines busy\r\n"s + hang_up;
  expect_failure(talk(script(), d), FailureClass::busy, Stage::login, "All lines busy");
  d.greeting = "All lines busy"s + hang_up;
  expect_failure(talk(script(), d), FailureClass::busy, Stage::login, "All lines busy");
}

TEST(Engine, AClosedConnectionNamesTheCommandAndWhatHadCome) {
  Device d = ios();
  d.answers["show running-config"] = {{"!\r\nhostname core-01\r\n"s + hang_up, std::nullopt}};
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::dropped, Stage::command,
                 "connection closed by the device in \"show running-config\" after 19 bytes");
  EXPECT_EQ(t.partial, "!\nhostname core-01\n");
  d.greeting = "hello\r\n"s + hang_up;
  expect_failure(talk(script(), d), FailureClass::dropped, Stage::login, "closed by the device during login");
}

TEST(Engine, NoPromptIsATimeoutThatQuotesTheLastLine) {
  Device d;
  d.greeting = "\r\nWelcome to ACME\r\n"s + wait_line;
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::timeout, Stage::login,
                 "no prompt within 30 s after login, last line \"Welcome to ACME\"");
  EXPECT_EQ(t.took, 30s);
}

TEST(Engine, ASectionMayThinkLongerThanOthers) {
  Script s = script();
  s.sections[1].timeout = Seconds{200};
  Device d = ios();
  const std::string before = "!\r\n";
  d.answers["show running-config"] = {{"Building\r\n"s + wait_line, std::nullopt}};
  const Talk t = talk(s, d);
  expect_failure(t, FailureClass::timeout, Stage::command,
                 "no progress for 200 s in \"show running-config\"");
}

TEST(Engine, AnAnswerLargerThanItsLimitIsIncomplete) {
  Script s = script();
  s.limits.bytes = 1000;
  Device d = ios();
  std::string body;
  for (int i = 0; i < 100; ++i) body += "interface GigabitEthernet0/1\n";
  d.answers.erase("show running-config");
  d.answer("show running-config", body + "end\n");
  expect_failure(talk(s, d), FailureClass::incomplete, Stage::command, "larger than 1000 bytes");
}

TEST(Engine, ALineWithoutEndIsIncomplete) {
  Device d = ios();
  d.answers["show running-config"] = {{std::string(5u << 20, 'x'), std::nullopt}};
  expect_failure(talk(script(), d), FailureClass::incomplete, Stage::command, "a line of more than");
}

TEST(Engine, APagerTextThatGoesOnIsNoPager) {
  Device d = ios();
  const std::string before =
      "\r\nWelcome\r\n\r\ncore-01#\r\ncore-01#terminal length 0\r\ncore-01#terminal width 0\r\ncore-01#show "
      "version\r\n"
      "Version 15.2\r\nuptime is 3 weeks\r\ncore-01#show running-config\r\n";
  d.answers.erase("show running-config");
  d.answer("show running-config", "--More--\ndescription of --More-- pages\nend\n");
  const Talk at_end = talk(script(), d, {{before.size() + 8, 100ms}});
  ASSERT_FALSE(at_end.failure) << at_end.failure->reason;
  EXPECT_EQ(at_end.text(1), "--More--\ndescription of --More-- pages\nend\n");
  expect_failure(talk(script(), d, {{before.size() + 10 + 23, 100ms}}), FailureClass::incomplete,
                 Stage::command, "a line that looked like a pager went on");
}

TEST(Engine, NeitherReasonNorTranscriptShowsASecretTheDeviceRepeats) {
  Device d = ios("sw>");
  d.answers["enable"] = {{"Password: "s + wait_secret + "% Bad secrets: 'en4ble!'\r\n", std::nullopt}};
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::auth, Stage::login, "% Bad secrets: '*****'");
  EXPECT_THAT(t.transcript, Not(HasSubstr("en4ble!")));
  EXPECT_THAT(t.failure->transcript_tail, HasSubstr("[typed: *****]"));
}

// Eight times the bytes may take eight times as long, with room for a busy machine; a search that starts over
// with every read would take sixty-four times.
TEST(Engine, ReadingIsLinearInTheBytes) {
  Script s = script();
  const auto time_for = [&](std::size_t megabytes) {
    std::string body;
    while (body.size() < megabytes << 20)
      body += "interface GigabitEthernet0/1\r\n description x # y >\r\n!\r\n";
    Device d = ios();
    d.answers["show running-config"] = {{body + "end\r\n", std::nullopt}};
    const std::clock_t start = std::clock();  // CPU time: what else the machine does is not counted
    const Talk t = talk(s, d);
    EXPECT_FALSE(t.failure);
    return static_cast<double>(std::clock() - start);
  };
  const double small = std::min({time_for(1), time_for(1), time_for(1)});
  EXPECT_LT(time_for(8), 40 * small);
}

}  // namespace
}  // namespace nightjar::dialogue::test
