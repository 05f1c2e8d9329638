#include <nightjar/config/replay.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

namespace nightjar::config {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  EXPECT_TRUE(in.is_open()) << path;
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<fs::path> files_of(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator{folder})
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

const Drivers& built_in() {
  static const auto drivers = Drivers::load("");
  return drivers.value();
}

ReplayReport played(const std::string& driver, const std::string& recording) {
  auto report = replay(*built_in().find(driver), recording);
  EXPECT_TRUE(report) << report.error().reason;
  return report ? std::move(*report) : ReplayReport{};
}

// --- our own dialogues: each has its exact text beside it, or says in "failure" how it ends ---

class OwnDialogue : public testing::TestWithParam<fs::path> {};

TEST_P(OwnDialogue, GivesTheTextOrTheFailureThatIsWrittenDown) {
  const std::string recording = read_file(GetParam());
  const json file = json::parse(recording);
  const auto report = played(file.at("driver"), recording);
  if (file.contains("failure")) {
    const auto& expected = file.at("failure");
    ASSERT_TRUE(report.failure) << report.transcript;
    EXPECT_EQ(to_text(report.failure->failure_class), expected.at("class").get<std::string>())
        << report.failure->reason;
    if (const std::string stage = expected.at("stage"); !stage.empty()) {
      EXPECT_EQ(to_text(report.failure->stage), stage) << report.failure->reason;
    }
    EXPECT_THAT(report.failure->reason, HasSubstr(expected.at("reason").get<std::string>()));
  } else {
    ASSERT_FALSE(report.failure) << report.failure->reason << "\n" << report.transcript;
    EXPECT_EQ(report.text, read_file(fs::path{GetParam()}.replace_extension(".txt")));
  }
  EXPECT_THAT(report.transcript, Not(AnyOf(HasSubstr("ENABLEPASS"), HasSubstr("PASSWORD"))));
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Replay, OwnDialogue,
                         testing::ValuesIn(files_of(NIGHTJAR_SOURCE_DIR "/tests/config/dialogues", ".json")),
                         test_name);

// --- recordings of devices, kept outside of this repository ---

const std::map<std::string, std::string, std::less<>> other_names{{"fortigate", "fortios"},
                                                                  {"linuxgeneric", "linux"}};

// Recordings that hold no configuration: how they end.
const std::map<std::string, std::pair<FailureClass, std::string>, std::less<>> without_config{
    {"eos--cEOSLab_4.33.1F_enable-password", {FailureClass::unsupported, "% Invalid input"}},
    {"junos--21.2R3.8_interactive", {FailureClass::unsupported, "unknown command."}},
};

std::string replaced(const std::string& text, const char* pattern) {
  return std::regex_replace(text, std::regex{pattern}, "");
}

// What the recording has to say to `command`, without frame: told by other means than the engine's.
std::string recorded_output(const json& recording, const std::string& command) {
  std::string output;
  bool found = false;
  for (const auto& entry : recording.at("dialogue")) {
    const std::string send = entry.at("send");
    if (found && send.find('\n') != std::string::npos) break;
    found = found || send == command + "\n";
    if (found) output += entry.at("reply").get<std::string>();
  }
  output = replaced(output, "\x1b\\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\\][^\x07]*\x07|\r");
  output = replaced(output, "( --More-- |--More-- )(         )?");
  const std::string echo = command.substr(0, 20);
  if (output.starts_with(echo)) {  // then it ends with a prompt as well
    output.erase(0, output.find('\n') + 1);
    output.erase(output.rfind('\n') + 1);
  }
  if (!output.ends_with('\n')) output += '\n';
  return output;
}

class Recordings : public testing::TestWithParam<const char*> {};

TEST_P(Recordings, GiveTheWholeConfigurationAndNothingElse) {
  std::size_t played_back = 0;
  for (const char* folder : {NIGHTJAR_SHARED_DIR "/transcripts", NIGHTJAR_SHARED_DIR "/transcripts2"})
    for (const fs::path& path : files_of(folder, ".json")) {
      const std::string name = path.stem().string();
      std::string kind = name.substr(0, name.find("--"));
      if (const auto other = other_names.find(kind); other != other_names.end()) kind = other->second;
      if (kind != GetParam()) continue;
      SCOPED_TRACE(name);
      ++played_back;

      const std::string recording = read_file(path);
      const auto report = played(kind, recording);
      if (const auto expected = without_config.find(name); expected != without_config.end()) {
        ASSERT_TRUE(report.failure);
        EXPECT_EQ(report.failure->failure_class, expected->second.first);
        EXPECT_THAT(report.failure->reason, HasSubstr(expected->second.second));
        continue;
      }
      ASSERT_FALSE(report.failure) << report.failure->reason << "\n" << report.transcript;

      const Driver& driver = *built_in().find(kind);
      const auto& section = report.sections.back();
      ASSERT_EQ(driver.script.sections[section.section].kind, dialogue::SectionKind::config);
      const auto whole = revision::compose(
          {{.name = "", .fact = false, .text = recorded_output(json::parse(recording), section.command)}},
          driver.text);
      EXPECT_TRUE(report.text.ends_with(whole)) << report.text << "\n--- instead of ---\n" << whole;
      EXPECT_GE(whole.size(), 40u);
      EXPECT_THAT(report.text, Not(AnyOf(HasSubstr("--More--"), HasSubstr("\n" + section.command + "\n"))));
      EXPECT_EQ(std::count_if(report.text.begin(), report.text.end(),
                              [](unsigned char c) { return c < 0x20 && c != '\n' && c != '\t'; }),
                0);
    }
  if (played_back == 0) GTEST_SKIP() << "no recordings of " << GetParam() << " under " << NIGHTJAR_SHARED_DIR;
}

INSTANTIATE_TEST_SUITE_P(Replay, Recordings,
                         testing::Values("ios", "nxos", "eos", "junos", "fortios", "routeros", "vyos", "frr",
                                         "linux"),
                         [](const auto& kind) { return std::string{kind.param}; });

// --- what compares equal, and what is hidden ---

struct Pair {
  const char* driver;
  const char* before;
  const char* after;
};

TEST(Noise, TwoFetchesOfAnUnchangedDeviceCompareEqual) {
  for (const auto& [driver, before, after] :
       {Pair{"ios",
             "! Last configuration change at 09:37:40 CEST Tue Aug 20 2024 by ops\nntp clock-period "
             "36029056\n",
             "! Last configuration change at 10:00:00 CEST Tue Aug 21 2024 by ops\nntp clock-period "
             "36029057\n"},
        Pair{"nxos", "!Time: Mon Dec  1 14:37:04 2025\nversion 10.4(5)\n",
             "!Time: Mon Dec  2 14:37:04 2025\nversion 10.4(5)\n"},
        Pair{"eos", "! Command: show running-config\n! Time: Mon Dec  1\n",
             "! Command: show running-config\n! Time: Mon Dec  2\n"},
        Pair{"asa", ": Written by enable_15 at 02:00:00.1 UTC Mon Jan 1 2024\nCryptochecksum:0123\n",
             ": Written by enable_15 at 02:00:00.2 UTC Mon Jan 2 2024\nCryptochecksum:4567\n"},
        Pair{"junos", "## Last commit: 2024-12-06 11:41:05 UTC by root\n",
             "## Last commit: 2024-12-07 11:41:05 UTC by root\n"},
        Pair{"fortios", "#conf_file_ver=44\n    set password ENC AAAA\n#config-version=F:user=a\n",
             "#conf_file_ver=45\n    set password ENC BBBB\n#config-version=F:user=b\n"},
        Pair{"routeros", "# 2024-10-25 06:08:35 by RouterOS 7.10.1\n",
             "# 2024-10-26 06:08:35 by RouterOS 7.10.1\n"},
        Pair{"routeros", "# oct/25/2024 06:08:35 by RouterOS 6.49\n",
             "# oct/26/2024 06:08:35 by RouterOS 6.49\n"}}) {
    const auto& rules = built_in().find(driver)->text;
    EXPECT_EQ(revision::comparable(before, rules), revision::comparable(after, rules)) << driver;
  }
}

TEST(Noise, ANewVersionIsAChange) {
  const auto& rules = built_in().find("routeros")->text;
  EXPECT_NE(revision::comparable("# 2024-10-25 06:08:35 by RouterOS 7.10.1\n", rules),
            revision::comparable("# 2024-10-25 06:08:35 by RouterOS 7.15.2\n", rules));
}

struct Hidden {
  const char* driver;
  const char* line;
  const char* shown;
};

TEST(Secrets, AreHiddenInRedactedViews) {
  for (const auto& [driver, line, shown] : {
           Hidden{"ios", "enable secret 9 $9$abc", "enable secret 9 <secret>"},
           Hidden{"ios", "username ops privilege 15 secret 9 $9$abc",
                  "username ops privilege 15 secret 9 <secret>"},
           Hidden{"ios", "snmp-server community s3cret RO", "snmp-server community <secret> RO"},
           Hidden{"ios", "snmp-server host 192.0.2.1 vrf Mgmt informs version 2c s3cret  tty",
                  "snmp-server host 192.0.2.1 vrf Mgmt informs version 2c <secret>  tty"},
           Hidden{"ios", "snmp-server user u g v3 auth sha a1b2 priv aes 128 c3d4",
                  "snmp-server user u g v3 auth sha <secret> priv aes 128 <secret>"},
           Hidden{"ios", " key 7 0123456789", " key 7 <secret>"},
           Hidden{"ios", " key 1", " key 1"},
           Hidden{"ios", " neighbor 192.0.2.1 password 7 0123", " neighbor 192.0.2.1 password 7 <secret>"},
           Hidden{"ios", " key-string 7 0123", " key-string 7 <secret>"},
           Hidden{
               "nxos", "snmp-server user admin network-admin auth md5 0xAA priv aes-128 0xBB localizedV2key",
               "snmp-server user admin network-admin auth md5 <secret> priv aes-128 <secret> localizedV2key"},
           Hidden{"nxos", "username ops password 5 $5$abc  role x",
                  "username ops password 5 <secret>  role x"},
           Hidden{"eos", "username ops privilege 15 role network-admin secret sha512 $6$abc",
                  "username ops privilege 15 role network-admin secret sha512 <secret>"},
           Hidden{"eos", "   neighbor 192.0.2.1 password 7 abc", "   neighbor 192.0.2.1 password 7 <secret>"},
           Hidden{"asa", "enable password abc encrypted", "enable password <secret> encrypted"},
           Hidden{"asa", " ikev1 pre-shared-key abc", " ikev1 pre-shared-key <secret>"},
           Hidden{"junos", "        encrypted-password \"$6$abc\"; ## SECRET-DATA",
                  "        encrypted-password \"<secret>\"; ## SECRET-DATA"},
           Hidden{"junos", "    community s3cret {", "    community <secret> {"},
           Hidden{"fortios", "        set passwd ENC abc=", "        set passwd ENC <secret>"},
           Hidden{"routeros", "add name=a password=\"b c\" profile=d",
                  "add name=a password=<secret> profile=d"},
           Hidden{"vyos", "set vpn ipsec authentication psk p secret 's3cret'",
                  "set vpn ipsec authentication psk p secret '<secret>'"},
           Hidden{"vyos", "set service snmp community s3cret authorization 'ro'",
                  "set service snmp community <secret> authorization 'ro'"},
           Hidden{"frr", " neighbor 192.0.2.1 password abc", " neighbor 192.0.2.1 password <secret>"},
           Hidden{"frr", "password swordfish", "password <secret>"},
           Hidden{"linux", "  wpa-psk s3cret", "  wpa-psk <secret>"},
       })
    EXPECT_EQ(revision::redact(line, built_in().find(driver)->text), shown) << driver;
}

TEST(Replay, ARecordingThatIsNoneIsNamed) {
  const Driver& driver = *built_in().find("ios");
  EXPECT_EQ(replay(driver, "[]").error().reason, "recording: not a JSON object");
  EXPECT_EQ(replay(driver, "{}").error().reason, "recording: dialogue must be an array");
  EXPECT_EQ(replay(driver, R"({"dialogue":[{"send":"x\n"}]})").error().reason,
            "recording: dialogue entry 1 needs send and reply");
  EXPECT_EQ(replay(driver, R"({"login":7,"dialogue":[]})").error().reason,
            "recording: login must be a string");
}

}  // namespace
}  // namespace nightjar::config
