#include "lab/shell.hpp"

#include <gtest/gtest.h>

namespace nightjar::lab {
namespace {

// A shell with what it told its device; everything it says until it waits is one text.
struct Terminal {
  explicit Terminal(Kind kind, std::vector<Trait> traits = {}, int connection = 1) {
    device.kind = kind;
    device.traits = std::move(traits);
    ShellLinks links;
    links.read_config = [this] { return std::make_shared<const std::string>(running_config(device)); };
    links.saw_command = [this](std::string_view c) { commands.emplace_back(c); };
    links.saw_login = [this](Login l) { logins.push_back(std::move(l)); };
    shell = std::make_unique<Shell>(device, connection, "nightjar", std::move(links));
  }
  std::string says() {
    std::string text;
    while (auto step = shell->next()) {
      text += step->bytes;
      then = step->then;
      pause += step->pause;
      ++steps;
    }
    return text;
  }
  std::string asked(std::string_view keys) {
    shell->type(keys);
    return says();
  }

  Device device;
  std::unique_ptr<Shell> shell;
  std::vector<std::string> commands;
  std::vector<Login> logins;
  Step::Then then = Step::Then::go_on;
  Milliseconds pause{0};
  int steps = 0;
};

std::string plain(std::string text) {
  std::erase(text, '\r');
  return text;
}

TEST(Shell, AsksForTheEnablePasswordThreeTimesAsIosDoes) {
  Terminal t(Kind::ios);
  t.shell->open();
  t.says();
  EXPECT_EQ(t.asked("enable\nwrong\n"), "enable\r\nPassword: \r\nPassword: ");
  EXPECT_EQ(t.asked("wrong\nwrong\n"), "\r\nPassword: \r\n% Bad secrets\r\n\r\ncore-01>");
  EXPECT_EQ(t.logins.size(), 3U);
  EXPECT_EQ(t.commands, std::vector<std::string>{"enable"});
}

TEST(Shell, ShowsNoConfigurationWithoutPrivilege) {
  Terminal t(Kind::ios);
  t.shell->open();
  t.says();
  EXPECT_EQ(t.asked("show running-config\r"),
            "show running-config\r\n        ^\r\n% Invalid input detected at '^' marker.\r\n\r\ncore-01>");
}

TEST(Shell, UnderstandsAbbreviatedCommandsWhereTheKindDoes) {
  Terminal t(Kind::ios);
  EXPECT_NE(t.asked("sh ver\n").find("Version 15.2"), std::string::npos);
  Terminal linux_host(Kind::linux_host);
  EXPECT_NE(linux_host.asked("una -a\n").find("command not found"), std::string::npos);
}

TEST(Shell, PagesTheConfigurationUntilPagingIsOff) {
  Terminal t(Kind::ios);
  t.shell->open();
  t.asked("enable\nlab-enable\n");
  std::string text = t.asked("show run\n");
  EXPECT_TRUE(text.ends_with(" --More-- "));
  int pages = 1;
  std::string page = t.asked(" ");
  for (; page.ends_with(" --More-- "); ++pages) page = t.asked(" ");
  EXPECT_TRUE(page.ends_with("end\r\n\r\ncore-01#"));
  EXPECT_GT(pages, 20);
  EXPECT_EQ(t.asked("term len 0\n"), "term len 0\r\ncore-01#");
  text = plain(t.asked("show run\n"));
  EXPECT_NE(text.find(running_config(t.device)), std::string::npos);
}

TEST(Shell, PagerAlwaysKnowsNoCommandThatSwitchesItOff) {
  Terminal t(Kind::ios, {{.behaviour = Behaviour::pager_always}});
  t.shell->open();
  t.asked("enable\nlab-enable\n");
  EXPECT_NE(t.asked("terminal length 0\n").find("% Invalid input"), std::string::npos);
  EXPECT_TRUE(t.asked("show run\n").ends_with(" --More-- "));
  EXPECT_TRUE(t.asked("q").ends_with("core-01#"));
}

TEST(Shell, LeavesOutWhatAFilterExcludes) {
  Terminal t(Kind::eos);
  t.asked("enable\nlab-enable\n");
  const std::string text = t.asked("show running-config | no-more | exclude ! Time:\n");
  EXPECT_EQ(text.find("\n! Time:"), std::string::npos);
  EXPECT_TRUE(text.ends_with("end\r\ncore-01#"));
}

TEST(Shell, TakesTypedAheadKeysInOrder) {
  Terminal t(Kind::junos);
  EXPECT_EQ(t.asked("set cli screen-length 0\nset cli screen-width 0\n"),
            "set cli screen-length 0\r\nScreen length set to 0\r\n\r\nnightjar@core-01> "
            "set cli screen-width 0\r\nScreen width set to 0\r\n\r\nnightjar@core-01> ");
}

TEST(Shell, EditsTheLineWithBackspace) {
  Terminal t(Kind::frr);
  EXPECT_EQ(t.asked("exix\bt"), "exix\b \bt");
  t.asked("\n");
  EXPECT_EQ(t.commands, std::vector<std::string>{"exit"});
  EXPECT_EQ(t.then, Step::Then::leave);
}

TEST(Shell, TruncatedEndsAtALineWithoutItsEndMark) {
  Terminal t(Kind::frr, {{.behaviour = Behaviour::truncated}});
  const std::string text = t.asked("show running-config\n");
  EXPECT_TRUE(text.ends_with("\r\ncore-01# "));
  EXPECT_EQ(text.find("\r\nend\r\n"), std::string::npos);
}

TEST(Shell, HangsAndDropsInTheMiddleOfTheConfiguration) {
  for (const auto& [behaviour, then] : {std::pair{Behaviour::hang_command, Step::Then::hang},
                                        std::pair{Behaviour::drop_mid_config, Step::Then::drop}}) {
    Terminal t(Kind::frr, {{.behaviour = behaviour}});
    const std::string text = t.asked("show running-config\n");
    EXPECT_EQ(t.then, then);
    EXPECT_GT(text.size(), running_config(t.device).size() / 3);
    EXPECT_EQ(t.asked("\n"), "");
  }
}

TEST(Shell, SlowThinksAndThenPausesBeforeEachLine) {
  Trait slow{.behaviour = Behaviour::slow};
  slow.delay = Milliseconds{2};
  slow.think = Milliseconds{700};
  Terminal t(Kind::frr, {slow});
  t.device.config = "!\nfrr version 8.4.4\nend\n";
  EXPECT_EQ(t.asked("show running-config\n"),
            "show running-config\r\nBuilding configuration...\r\n\r\nCurrent configuration:\r\n"
            "!\r\nfrr version 8.4.4\r\nend\r\ncore-01# ");
  EXPECT_EQ(t.pause, Milliseconds{700 + 6 * 2});
}

TEST(Shell, DripGivesOneByteAtATime) {
  Trait drip{.behaviour = Behaviour::drip};
  drip.delay = Milliseconds{1};
  Terminal t(Kind::linux_host, {drip});
  t.device.config = "auto lo\n";
  t.asked("cat /etc/network/interfaces\n");
  EXPECT_EQ(t.pause, Milliseconds{9});  // CRLF
}

TEST(Shell, AsksForNameAndPasswordInTheShell) {
  Terminal t(Kind::ios, {{.behaviour = Behaviour::shell_login}});
  t.shell->open();
  EXPECT_EQ(t.says(), "\r\nUser Name:");
  EXPECT_EQ(t.asked("nightjar\n"), "nightjar\r\nPassword:");
  EXPECT_EQ(t.asked("lab-password\n"), "\r\n\r\ncore-01>");
}

TEST(Shell, BannerHasLinesThatLookLikePrompts) {
  Terminal t(Kind::ios, {{.behaviour = Behaviour::banner}});
  t.shell->open();
  const std::string text = t.says();
  EXPECT_NE(text.find("## core-99#"), std::string::npos);
  EXPECT_NE(text.find("welcome>\r\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("core-01>"));
}

TEST(Shell, ShowsATraitOnlyToTheFirstConnections) {
  const std::vector<Trait> once{{.behaviour = Behaviour::hang_login, .first = 2}};
  for (int connection = 1; connection <= 3; ++connection) {
    Terminal t(Kind::ios, once, connection);
    t.shell->open();
    EXPECT_EQ(t.says().empty(), connection <= 2);
  }
}

TEST(Shell, FortiosLeavesItsPagerOnlyInItsConsoleContext) {
  Terminal t(Kind::fortios);
  EXPECT_TRUE(t.asked("show\n").ends_with("--More-- "));
  t.asked("q");
  EXPECT_TRUE(t.asked("config system console\n").ends_with("core-01 (console) # "));
  EXPECT_TRUE(t.asked("set output standard\nend\n").ends_with("core-01 # "));
  EXPECT_TRUE(t.asked("show\n").ends_with("end\r\n\r\ncore-01 # "));
}

TEST(Shell, RunsOneCommandForAnExecRequest) {
  Terminal t(Kind::frr);
  t.shell->run("vtysh -c 'show running-config'");
  const std::string text = t.says();
  EXPECT_TRUE(text.starts_with("Building configuration...\r\n"));
  EXPECT_TRUE(text.ends_with("\r\nend\r\n"));
  EXPECT_EQ(t.then, Step::Then::leave);
  EXPECT_FALSE(t.shell->failed());
}

TEST(RunningConfig, DependsOnTheNameAndTheChangesAlone) {
  for (const Kind kind : all_kinds) {
    Device device;
    device.kind = kind;
    const std::string text = running_config(device);
    EXPECT_EQ(text, running_config(device)) << to_text(kind);
    EXPECT_NE(text, running_config(device, 1)) << to_text(kind);
    EXPECT_GT(text.size(), 19'000U) << to_text(kind);
    EXPECT_LT(text.size(), 22'000U) << to_text(kind);
    Device other = device;
    other.name = "core-02";
    EXPECT_NE(text, running_config(other)) << to_text(kind);
  }
}

TEST(RunningConfig, MovesFewLinesWithAReading) {
  Device device;
  const std::string first = running_config(device, 0, 0), second = running_config(device, 0, 1);
  ASSERT_EQ(first.size(), second.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < first.size(); ++i) different += first[i] != second[i] ? 1 : 0;
  EXPECT_GT(different, 0U);
  EXPECT_LT(different, 8U);
}

}  // namespace
}  // namespace nightjar::lab
