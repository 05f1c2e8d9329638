// Faults that real devices drew out of tools like this one: bytes as reported, names and addresses replaced.
#include "dialogue/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::dialogue::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::string_literals;
using namespace std::chrono_literals;

constexpr std::string_view plain = "!\nhostname core-01\n!\nend\n";

Device device(std::string prompt = "core-01#") {
  Device d;
  d.prompt = std::move(prompt);
  d.answer("terminal length 0", "");
  d.answer("terminal width 0", "");
  d.answer("show version", "Version 15.2\n");
  return d;
}

Device with_config(std::string_view config, std::string prompt = "core-01#") {
  Device d = device(std::move(prompt));
  d.answer("show running-config", std::string{config});
  return d;
}

void expect_text(const Talk& t, std::string_view text, std::size_t section = 1) {
  ASSERT_FALSE(t.failure) << t.failure->reason << "\n" << t.transcript;
  EXPECT_TRUE(t.done);
  EXPECT_EQ(t.text(section), text);
}

void expect_failure(const Talk& t, FailureClass failure_class, std::string_view words) {
  ASSERT_TRUE(t.failure) << t.transcript;
  EXPECT_EQ(t.failure->failure_class, failure_class) << t.failure->reason;
  EXPECT_THAT(t.failure->reason, HasSubstr(std::string{words}));
}

// A. Prompts and banners

TEST(Case1, ABannerOfHashesIsNoPromptAndItsGateIsAnswered) {
  Device d = with_config(plain, "sw-01>#");
  d.greeting =
      "\r\n##########\r\n## ACME ##\r\n##########\r\n\r\nEnter Ctrl-Y to begin.\r\n"s + wait_key + "\r\n";
  Script s = script();
  s.enable.reset();
  s.prompt = pattern("[#\\w.>-]+[#>]");
  for (std::size_t at = 0; at < d.greeting.size(); ++at) {
    const Talk t = talk(s, d, {{at, 400ms}});
    expect_text(t, plain);
    EXPECT_EQ(t.prompt, "sw-01>#");
  }
}

TEST(Case2, AHashAtTheEndOfALineEndsNothing) {
  const std::string config = "interface FastEthernet0/48\n description ## TRUNK TO HQ 2 #\n!\nend\n";
  expect_text(talk(script(), with_config(config)), config);
}

TEST(Case3, ThePromptInsideALineIsText) {
  const std::string config = "snmp-server location core-01# rack 4\ncore-01# rack 5\n!\nend\n";
  expect_text(talk(script(), with_config(config)), config);
}

TEST(Case5, ALineThatLooksLikeAnotherPromptIsText) {
  Script s = script();
  s.prompt = pattern(R"([<\[][\w.-]+[>\]])");
  s.enable.reset();
  s.sections[1].end_mark = pattern("^return$");
  Device d = with_config("[V200R009C00SPC500]\n#\nsysname hq-r1\n#\nreturn\n", "<hq-r1>");
  expect_text(talk(s, d), "[V200R009C00SPC500]\n#\nsysname hq-r1\n#\nreturn\n");
}

TEST(Case7, ANulBeforeThePromptIsNotPartOfIt) {
  Script s = script();
  s.prompt = pattern(R"((RBM_[PS])?<[\w.-]+>)");
  s.prompt_variables = {pattern("^RBM_[PS]")};
  s.enable.reset();
  Device d = with_config(plain, "\r\r\n\r\r\n\0RBM_S<fw-b>"s);
  const Talk t = talk(s, d);
  ASSERT_FALSE(t.failure) << t.failure->reason;
  EXPECT_EQ(t.prompt, "<fw-b>");
}

TEST(Case9, AVariablePartOfThePromptMayChange) {
  Script s = script();
  s.prompt = pattern(R"(root@\(ltm1\)\(cfg-sync [^)]+\).*\(tmos\)#)");
  s.prompt_variables = {pattern(R"(\(cfg-sync [^)]*\))")};
  Device d = with_config(plain, "root@(ltm1)(cfg-sync In Sync)(Standby)(/Common)(tmos)# ");
  d.answers["show version"].front().prompt_after =
      "root@(ltm1)(cfg-sync Changes Pending)(Standby)(/Common)(tmos)# ";
  expect_text(talk(s, d), plain);
}

TEST(Case9, APromptThatChangesOtherwiseIsLearntAnewByTwoProbes) {
  for (const char* command : {"terminal width 0", "show version", "show running-config"}) {
    Device d = with_config(plain, "n9k-1#");
    d.answers[command].front().prompt_after = "n9k-1(maint-mode)#";
    const Talk t = talk(script(), d);
    expect_text(t, plain);
    EXPECT_EQ(t.prompt, "n9k-1(maint-mode)#");
  }
}

TEST(Case10, ABroadcastBehindThePromptIsNoConfig) {
  const std::string broadcast = "\r\n\r\n\r\n***\r\n*** --- SHUTDOWN in 0:05:00 ---\r\n***\r\n";
  Device d = device();
  d.answers["show running-config"] = {{"!\r\nend\r\ncore-01#" + broadcast, std::nullopt},
                                      {"!\r\nend\r\n", std::nullopt}};
  expect_text(talk(script(), d), "!\nend\n");
  Script without_end = script();
  without_end.sections[1].end_mark.reset();
  expect_text(talk(without_end, d), "!\nend\n");
}

TEST(Case10, ABroadcastThatHidesThePromptIsAnsweredWithOneEmptyLine) {
  Device d = device();
  d.answers["show running-config"] = {
      {"!\r\nend\r\ncore-01#\r\n\r\n*** SHUTDOWN in 0:05:00 ***\r\n"s + wait_line, std::nullopt},
      {"!\r\nend\r\n", std::nullopt}};
  expect_text(talk(script(), d), "!\nend\n");
}

TEST(Case11, AnEchoThatDoesNotMatchIsNeverASavedText) {
  Device d;
  d.prompt = "\r\nSW1#";
  d.echo = false;  // spelt out below instead
  d.answers["terminal length 0"] = {{"terminal length 0\r\n.\r\n", std::nullopt}};
  d.answers["terminal width 0"] = {{"tterminal width 0\r\n.erminal length 0\r\n", std::nullopt}};
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::incomplete,
                 "echo of \"terminal width 0\" does not match: \"SW1#tterminal width 0\"");
  EXPECT_THAT(t.sections, IsEmpty());
}

TEST(Case11, OneCommandIsInFlight) {
  Device d = with_config(plain);
  d.discards_typeahead = true;
  expect_text(talk(script(), d, {{20, 2s}, {40, 2s}, {80, 2s}}), plain);
}

// B. Pagers and terminals

TEST(Case13, APagerThatComesAlthoughPagingWasDisabledIsAnswered) {
  Device d = device();
  d.answers["show version"] = {
      {"Software Version............................... 8.0.1.36\r\n\r\n--More-- or (q)uit"s + wait_key +
           "\r\nSerial 1\r\n",
       std::nullopt}};
  d.answer("show running-config", std::string{plain});
  const Talk t = talk(script(), d);
  expect_text(t, "Software Version............................... 8.0.1.36\n\nSerial 1\n", 0);
  EXPECT_EQ(t.text(1), plain);
}

TEST(Case14, EveryPagerIsAnsweredWithItsKeyAndLeavesNoTrace) {
  Script s = script();
  s.pagers = {{pattern("--More--|next page: Space"), " "},
              {pattern("Press (<space>|any key) to continue"), " "},
              {pattern(R"(\(q : quit\) :)"), "\x06"}};
  for (const auto& [pager, wipe] : std::vector<std::pair<std::string, std::string>>{
           {"--More--", "\r        \r"},
           {" --More-- ", "\b\b\b\b\b\b\b\b\b\b          \b\b\b\b\b\b\b\b\b\b"},
           {"Press <space> to continue", "\r\x1b[K"},
           {"Press any key to continue (Q to quit)", "\x1b[2K\r"},
           {"(q : quit) :", "\r\n"},
           {"-- MORE --, next page: Space, next line: Enter, quit: Control-C", "\r\x1b[K"},
           {"\x1b[7m--More-- \x1b[27m\x1b[K", "\r\x1b[K"}}) {
    Device d = device();
    d.answers["show running-config"] = {{"!\r\n" + pager + wait_key + wipe + "interface a\r\n" + pager +
                                             wait_key + wipe + " name \"b\"  \r\nend\r\n",
                                         std::nullopt}};
    expect_text(talk(s, d), "!\ninterface a\n name \"b\"  \nend\n");
  }
}

TEST(Case14, PagesAreCapped) {
  Device d = device();
  std::string endless;
  for (int i = 0; i < 50; ++i) endless += "line\r\n--More--"s + wait_key + "\r        \r";
  d.answers["show running-config"] = {{endless + "end\r\n", std::nullopt}};
  Script s = script();
  s.limits.pages = 20;
  expect_failure(talk(s, d), FailureClass::incomplete, "more than 20 pages");
}

TEST(Case16, APagerInTheLoginBannerIsAnswered) {
  Device d = with_config(plain);
  Script s = script();
  s.pagers.push_back({pattern("<--- More --->"), " "});
  d.greeting = "banner\r\n<--- More --->"s + wait_key +
               "\r              \rmore banner\r\nPress <SPACE> to continue" + wait_key + "\x1b[2K\r";
  expect_text(talk(s, d), plain);
}

TEST(Case18, APromptPaintedWithCursorAddressingIsReadOnce) {
  const std::string paint =
      "\x1b[24;1H\x1b[2K\x1b[24;1H\x1b[24;1Hsw4-office# \x1b[24;1H\x1b[24;13H\x1b[?25h"
      "\x1b[24;1Hsw4-office# \x1b[24;1H\x1b[24;13H\x1b[?25h";
  Device d = with_config(plain, paint);
  d.newline =
      "\x1b[24;13H\x1b[?25h\x1b[24;0H\x1b"
      "E\x1b[24;1H\x1b[2K\x1b[24;1H";
  const Talk t = talk(script(), d);
  expect_text(t, plain);
  EXPECT_EQ(t.prompt, "sw4-office#");
}

TEST(Case19, AnEchoThatWasCompletedAndTakenBackMatches) {
  Device d = device("username@some-junos> ");
  d.answer("show version", "");
  Script s = script();
  s.enable.reset();
  s.preparation = {};
  s.sections = {{"log", SectionKind::config, {"file list /var/tmp detail"}, false, {}, {}, {}}};
  d.answers.clear();
  d.echo = false;
  d.answers["file list /var/tmp detail"] = {
      {"file list /var/tmp    \b\b\bdetail \r\ntotal 4\r\n", std::nullopt}};
  d.answers[""] = {};
  // Empty lines are not echoed by this fake; the device begins a new line by itself.
  d.prompt = "\r\nusername@some-junos> ";
  expect_text(talk(s, d), "total 4\n\n", 0);
}

TEST(Case21, APromptRepaintedWhileTheCommandIsTypedIsNotTheEnd) {
  Device d = device("admin@fw(passive)> ");
  d.echo = false;
  d.prompt = "\r\n\radmin@fw(passive)> ";
  d.answers.clear();
  d.answers["show system info"] = {
      {"show \r\x1b[Kadmin@fw(passive)> show system \r\x1b[Kadmin@fw(passive)> show system info\r\nhostname: "
       "fw\r\n",
       std::nullopt}};
  Script s = script();
  s.prompt = pattern(R"(\w+@[\w()-]+>)");
  s.enable.reset();
  s.preparation = {};
  s.sections = {{"info", SectionKind::config, {"show system info"}, false, {}, {}, {}}};
  for (std::size_t at = 30; at < 120; ++at) {
    const Talk t = talk(s, d, {{at, 400ms}});
    expect_text(t, "hostname: fw\n\n", 0);
  }
}

// C. Logging in

TEST(Case24, ALoginInsideTheShellIsAnsweredOnce) {
  Device d = with_config(plain);
  d.greeting = "\r\nUser Name:"s + wait_line + "Password:" + wait_secret + "\r\n";
  const Talk t = talk(script(), d);
  expect_text(t, plain);
  EXPECT_THAT(t.secret_lines, ElementsAre("Password:"));
  EXPECT_THAT(t.typed, testing::StartsWith("backup\ns3cret!\n\n"));
}

TEST(Case26, NoSecretIsTypedWhereNoPasswordIsAsked) {
  Device d = device("SSH@icx>");
  d.answers["enable"] = {{"Password:\r\nError - Incorrect username or password.\r\n", std::nullopt}};
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::auth, "Error - Incorrect username or password.");
  EXPECT_THAT(t.typed, Not(HasSubstr("en4ble!")));
  EXPECT_THAT(t.typed, testing::EndsWith("exit\n"));
}

TEST(Case26, TheEnableSecretGoesToItsQuestionAndTheNewPromptIsLearnt) {
  Device d = with_config(plain, "sw>");
  d.answers["enable"] = {{"Password: "s + wait_secret, "sw#"}};
  const Talk t = talk(script(), d);
  expect_text(t, plain);
  EXPECT_EQ(t.prompt, "sw#");
  EXPECT_THAT(t.secret_lines, ElementsAre("Password: "));
}

TEST(Case26, AnEnableSecretThatIsAskedForAgainIsNotTypedAgain) {
  Device d = device("sw>");
  d.answers["enable"] = {{"Password: "s + wait_secret + "Password: " + wait_secret, std::nullopt}};
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::auth, "enable password rejected");
  EXPECT_THAT(t.secret_lines, ElementsAre("Password: "));
  EXPECT_THAT(t.typed, Not(HasSubstr("exit")));
}

TEST(Case26, ADeviceThatStaysUnprivilegedIsAnAuthFailure) {
  Device d = device("sw>");
  d.answers["enable"] = {{"Password: "s + wait_secret + "% Bad secrets\r\n\r\n", std::nullopt}};
  expect_failure(talk(script(), d), FailureClass::auth, "% Bad secrets");
  d.answers["enable"] = {{"", std::nullopt}};
  expect_failure(talk(script(), d), FailureClass::auth, "enable refused");
}

TEST(Case26, AMissingEnablePasswordIsASetupFailure) {
  Device d = device("sw>");
  d.answers["enable"] = {{"Password: "s + wait_secret, "sw#"}};
  const Talk t = talk(script(), d, {}, {}, {"backup", Secret{"s3cret!"}, Secret{}});
  expect_failure(t, FailureClass::setup, "enable password missing");
}

TEST(Case28, APasswordThatMustBeChangedIsLeftToPeople) {
  for (const std::string question : {"Do you want to change the password(yes/no):",
                                     "Password expired. Change your password now.\r\nCurrent Password: "}) {
    Device d = device();
    d.greeting = "\r\n" + question + wait_line;
    const Talk t = talk(script(), d);
    expect_failure(t, FailureClass::auth, "password_change_required");
    EXPECT_EQ(t.typed, "");
    EXPECT_LT(t.took, 1s);
  }
}

TEST(Case28, AnAnswerTheDriverCallsSafeIsGiven) {
  Device d = with_config(plain);
  d.greeting =
      "Warning: The initial password poses security risks.\r\nThe password needs to be changed. Change now? "
      "[Y/N]:"s +
      wait_line;
  Script s = script();
  s.login.push_back({pattern(R"(Change now\? \[Y/N\]:)"), Answer::text, "N\n", 1});
  expect_text(talk(s, d), plain);
}

TEST(Case29, APasswordThatIsAskedForAgainIsNotTypedAgain) {
  Device d = device();
  d.greeting = "Password: "s + wait_secret + "Password: " + wait_secret + "Password: " + hang_up;
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::auth, "password rejected");
  EXPECT_EQ(t.typed, "s3cret!\n");
}

// D. Is it really a config?

TEST(Case39, SilenceIsNoEnd) {
  const std::string config = "Building configuration...\n!\nhostname core-01\nend\n";
  const std::string before =
      "core-01#\r\ncore-01#terminal length 0\r\ncore-01#terminal width 0\r\ncore-01#show version"
      "\r\nVersion 15.2\r\ncore-01#show running-config\r\nBuilding configuration...\r\n";
  expect_text(talk(script(), with_config(config), {{before.size(), 20s}}), config);
}

TEST(Case39, ADeviceThatNeverGoesOnIsATimeout) {
  Device d = device();
  d.answers["show running-config"] = {{"Building configuration...\r\n"s + wait_line, std::nullopt}};
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::timeout, "no progress for 60 s in \"show running-config\"");
  EXPECT_EQ(t.partial, "Building configuration...\n");
}

TEST(Case40, AMissingEndMarkIsIncompleteAndTheTextIsEvidence) {
  const Talk t = talk(script(), with_config("!\nhostname core-01\n"));
  expect_failure(t, FailureClass::incomplete,
                 "end mark missing in \"show running-config\": 19 bytes, 2 lines");
  EXPECT_EQ(t.failure->stage, Stage::verify);
  EXPECT_EQ(t.partial, "!\nhostname core-01\n");
  EXPECT_EQ(t.text(1), "<no such section>");
}

TEST(Case42, AnErrorTextIsNoConfig) {
  Device d = device();
  d.answer("show running-config", "      ^^^^^\nMINOR: MGMT_CORE #2201: Unknown element - 'admin'\n");
  const Talk t = talk(script(), d);
  expect_failure(t, FailureClass::unsupported,
                 "\"show running-config\": MINOR: MGMT_CORE #2201: Unknown element - 'admin'");
  EXPECT_EQ(t.failure->stage, Stage::command);
}

TEST(Case43, BytesAreKeptAsTheyAre) {
  const std::string config =
      "versions.1.version ARTESYN\xff\xff\nsnmp-server location P\xe9"
      "cs \xce\xd2\n!\nend\n";
  expect_text(talk(script(), with_config(config)), config);
}

}  // namespace
}  // namespace nightjar::dialogue::test
