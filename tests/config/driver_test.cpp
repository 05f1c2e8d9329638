#include <nightjar/config/driver.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace nightjar::config {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view whole = R"(title = "Acme router"
status = "documented"
legacy_algorithms = true
common = false

[session]
prompt = '[\w-]+[>#]'
prompt_variables = ['\(maint\)']
newline = "\r"
echo = false
preparation = ["no pager"]
logout = ["bye"]
unknown_command = "what?\n"

[limits]
quiet_ms = 200
prompt_seconds = 20
idle_seconds = 90
bytes = 4096
pages = 10

[[login]]
expect = '^Name:'
answer = "username"
[[login]]
expect = 'continue\?'
text = "y"
at_most = 2

[[login_error]]
text = '^full$'
class = "busy"
reason = "no line is free"

[enable]
wanted_at = '>$'
command = "admin"
password_prompt = '^Password:'
username_prompt = '^User:'
[[enable.refused]]
text = '^denied'

[[pager]]
prompt = '^more'
key = "n"

[[section]]
name = "version"
kind = "fact"
commands = ["show version", "version"]
keep = ['^Model']

[[section]]
name = "config"
commands = ["show all"]
timeout_seconds = 300

[[command_error]]
text = '^what'

[text]
comment = "# "
begin = '^begin'
end = '^end$'
framing = ['^---$']
least_bytes = 10
noise = ['at (\S+)']
noise_lines = ['^time']
secrets = ['^key (\S+)']
residue = ['^more']
)";

std::string without(std::string_view part, std::string_view instead = "") {
  std::string toml{whole};
  const auto at = toml.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return toml.replace(at, part.size(), instead);
}

std::string complaint(std::string_view toml) {
  const auto driver = parse_driver(toml, "acme", "acme.toml");
  if (driver) return "nothing";
  EXPECT_EQ(driver.error().failure_class, FailureClass::setup);
  EXPECT_THAT(driver.error().reason, Not(HasSubstr("\n")));
  return driver.error().reason;
}

TEST(Driver, EveryKeyOfAFileArrivesInItsField) {
  const auto driver = parse_driver(whole, "acme", "acme.toml");
  ASSERT_TRUE(driver) << driver.error().reason;
  EXPECT_EQ(driver->name, "acme");
  EXPECT_EQ(driver->title, "Acme router");
  EXPECT_EQ(driver->status, "documented");
  EXPECT_TRUE(driver->legacy_algorithms);
  EXPECT_EQ(driver->unknown_command, "what?\n");
  EXPECT_EQ(driver->toml, whole);

  const auto& script = driver->script;
  EXPECT_EQ(script.driver, "acme");
  EXPECT_EQ(script.mode, dialogue::Mode::shell);
  EXPECT_TRUE(script.prompt.matches_all("r-1>"));
  EXPECT_THAT(script.prompt_variables, SizeIs(1));
  EXPECT_EQ(script.newline, "\r");
  EXPECT_FALSE(script.echo);
  EXPECT_THAT(script.preparation, ElementsAre("no pager"));
  EXPECT_THAT(script.logout, ElementsAre("bye"));
  EXPECT_EQ(script.limits.quiet, Milliseconds{200});
  EXPECT_EQ(script.limits.prompt, Seconds{20});
  EXPECT_EQ(script.limits.idle, Seconds{90});
  EXPECT_EQ(script.limits.bytes, 4096u);
  EXPECT_EQ(script.limits.pages, 10u);

  ASSERT_THAT(script.login, SizeIs(2));
  EXPECT_EQ(script.login[0].answer, dialogue::Answer::username);
  EXPECT_EQ(script.login[1].text, "y");
  EXPECT_EQ(script.login[1].at_most, 2u);
  ASSERT_THAT(script.login_errors, SizeIs(1));
  EXPECT_EQ(script.login_errors[0].failure_class, FailureClass::busy);
  EXPECT_EQ(script.login_errors[0].reason, "no line is free");
  ASSERT_TRUE(script.enable);
  EXPECT_EQ(script.enable->command, "admin");
  EXPECT_TRUE(script.enable->username_prompt);
  ASSERT_THAT(script.enable->refused, SizeIs(1));
  EXPECT_EQ(script.enable->refused[0].failure_class, FailureClass::auth);
  ASSERT_THAT(script.pagers, SizeIs(1));
  EXPECT_EQ(script.pagers[0].key, "n");
  ASSERT_THAT(script.command_errors, SizeIs(1));
  EXPECT_EQ(script.command_errors[0].failure_class, FailureClass::unsupported);

  ASSERT_THAT(script.sections, SizeIs(2));
  EXPECT_EQ(script.sections[0].kind, dialogue::SectionKind::fact);
  EXPECT_TRUE(script.sections[0].optional);
  EXPECT_THAT(script.sections[0].commands, ElementsAre("show version", "version"));
  EXPECT_THAT(script.sections[0].keep, SizeIs(1));
  EXPECT_EQ(script.sections[1].kind, dialogue::SectionKind::config);
  EXPECT_FALSE(script.sections[1].optional);
  EXPECT_EQ(script.sections[1].timeout, Seconds{300});

  const auto& text = driver->text;
  EXPECT_EQ(text.comment, "# ");
  EXPECT_TRUE(text.begin);
  EXPECT_TRUE(text.end);
  EXPECT_THAT(text.framing, SizeIs(1));
  EXPECT_EQ(text.least_bytes, 10u);
  EXPECT_THAT(text.noise, SizeIs(1));
  EXPECT_THAT(text.noise_lines, SizeIs(1));
  EXPECT_THAT(text.secrets, SizeIs(1));
  EXPECT_THAT(text.residue, SizeIs(1));
}

TEST(Driver, TheLastConfigSectionEndsWithTheEndMarkOfTheText) {
  const auto driver = parse_driver(whole, "acme", "acme.toml");
  ASSERT_TRUE(driver);
  EXPECT_FALSE(driver->script.sections[0].end_mark);
  ASSERT_TRUE(driver->script.sections[1].end_mark);
  EXPECT_EQ(driver->script.sections[1].end_mark->expression(), "^end$");
}

TEST(Driver, WhatAllDriversShareComesBehindItsOwnEntriesUnlessItSaysNo) {
  const auto driver = parse_driver(without("common = false\n"), "acme", "acme.toml");
  ASSERT_TRUE(driver) << driver.error().reason;
  ASSERT_GT(driver->script.pagers.size(), 1u);
  EXPECT_EQ(driver->script.pagers[0].key, "n");
  EXPECT_GT(driver->script.login_errors.size(), 1u);
  EXPECT_GT(driver->text.residue.size(), 1u);
}

TEST(Driver, AnUnknownKeyIsNamedWithLinePathAndTheNearestKnownKey) {
  EXPECT_EQ(complaint(without("command = \"admin\"", "comand = \"admin\"")),
            "acme.toml:37: enable.comand: unknown key; did you mean command?");
  EXPECT_EQ(complaint(without("[[pager]]", "[[pagr]]")),
            "acme.toml:43: pagr: unknown key; did you mean pager?");
  EXPECT_EQ(complaint(without("least_bytes = 10", "zzzz = 10")), "acme.toml:66: text.zzzz: unknown key");
}

TEST(Driver, AWrongTypeSaysWhatIsWantedAndWhatIsThere) {
  EXPECT_EQ(complaint(without("[\"no pager\"]", "\"no pager\"")),
            "acme.toml:11: session.preparation: must be an array of strings, not a string");
  EXPECT_EQ(complaint(without("echo = false", "echo = \"no\"")),
            "acme.toml:10: session.echo: must be true or false, not a string");
  EXPECT_EQ(complaint(without("'^begin'", "3")),
            "acme.toml:63: text.begin: must be a regular expression in quotes, not an integer");
  EXPECT_EQ(complaint(without("[enable]", "[[enable]]").substr(0, whole.find("[[enable.refused]]") + 2)),
            "acme.toml:35: enable: must be a table: [enable], not an array of tables");
  EXPECT_EQ(complaint(without("quiet_ms = 200", "quiet_ms = 0.2")),
            "acme.toml:16: limits.quiet_ms: must be an integer, not a decimal number");
}

TEST(Driver, ANumberOutOfBoundsIsNamedWithItsBounds) {
  EXPECT_EQ(complaint(without("idle_seconds = 90", "idle_seconds = 0")),
            "acme.toml:18: limits.idle_seconds: 0 is out of bounds: 1 to 7200");
}

TEST(Driver, AWordThatIsNoChoiceIsNamedWithTheChoices) {
  EXPECT_EQ(complaint(without("answer = \"username\"", "answer = \"usrname\"")),
            "acme.toml:24: login.answer: \"usrname\" is not one of text, username, password, "
            "enable_password; did you "
            "mean username?");
  EXPECT_THAT(
      complaint(without("class = \"busy\"", "class = \"lazy\"")),
      AllOf(StartsWith("acme.toml:32: login_error.class: \"lazy\" is not one of unreachable, dropped,"),
            HasSubstr("busy")));
}

TEST(Driver, ABadPatternIsNamedInTheWordsOfTheRegexEngine) {
  EXPECT_EQ(complaint(without("'^Model'", "'^(Model'")),
            "acme.toml:51: section.keep: bad regular expression '^(Model': missing ): ^(Model");
}

TEST(Driver, ADriverWithoutPromptOrConfigurationIsNone) {
  EXPECT_EQ(complaint(without("prompt = '[\\w-]+[>#]'\n")), "acme.toml:6: session.prompt: missing");
  EXPECT_THAT(complaint(without(
                  "[[section]]\nname = \"config\"\ncommands = [\"show all\"]\ntimeout_seconds = 300\n")),
              HasSubstr("section: no section of kind \"config\": nothing would be backed up"));
  EXPECT_EQ(complaint("title = \"x\"\nstatus = \"documented\"\n"), "acme.toml:1: session.prompt: missing");
  EXPECT_EQ(complaint(""), "acme.toml:1: title: missing");
}

TEST(Driver, SectionsNeedCommandsAndNamesOfTheirOwn) {
  EXPECT_EQ(complaint(without("commands = [\"show all\"]", "commands = []")),
            "acme.toml:55: section.commands: must name at least one command");
  EXPECT_EQ(complaint(without("name = \"config\"", "name = \"version\"")),
            "acme.toml:54: section.name: \"version\" is there twice");
  EXPECT_EQ(complaint(without("\"show all\"", "\"show\\nall\"")),
            "acme.toml:55: section.commands: each must be one line of text");
}

TEST(Driver, BrokenTomlIsNamedWithItsLine) {
  EXPECT_THAT(complaint(without("[session]", "[session")), StartsWith("acme.toml:6: "));
  EXPECT_THAT(complaint(without("echo = false", "echo = false\necho = true")), StartsWith("acme.toml:11: "));
}

TEST(Driver, AFileThatCallsItselfOtherwiseIsRefused) {
  EXPECT_EQ(complaint("name = \"acne\"\n" + std::string{whole}),
            "acme.toml:1: name: \"acne\" is not the file's name, acme");
}

TEST(Lint, ACarefulDriverHasNoNotes) {
  const auto driver = parse_driver(whole, "acme", "acme.toml");
  ASSERT_TRUE(driver);
  EXPECT_THAT(lint(*driver), IsEmpty());
}

TEST(Lint, CarelessnessIsNamedByKey) {
  const auto careless = parse_driver(R"(
title = "Careless"
common = false
[session]
prompt = '.*'
[enable]
wanted_at = '>'
command = "enable"
password_prompt = 'Password'
[[section]]
name = "version"
kind = "fact"
commands = ["show version"]
[[section]]
name = "config"
commands = ["show"]
)",
                                     "careless", "careless.toml");
  ASSERT_TRUE(careless) << careless.error().reason;
  const auto notes = lint(*careless);
  for (const char* key :
       {"session.prompt: matches an empty line",
        "session.logout:", "session.preparation, pager:", "enable.refused:", "command_error:", "text.end:",
        "text.begin:", "text.noise:", "text.secrets:", "text.residue:", "section version: keep"})
    EXPECT_THAT(notes, Contains(StartsWith(key)));
}

TEST(Lint, ErrorTextsThatDoNotFitTheDevicesOwnRefusalAreNoted) {
  const auto driver = parse_driver(without("text = '^what'", "text = '^never'"), "acme", "acme.toml");
  ASSERT_TRUE(driver);
  EXPECT_THAT(lint(*driver), ElementsAre(StartsWith("session.unknown_command: no command_error")));
}

}  // namespace
}  // namespace nightjar::config
