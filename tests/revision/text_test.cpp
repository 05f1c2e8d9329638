#include <nightjar/revision/text.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nightjar::revision {
namespace {

Pattern pattern(std::string_view expression) {
  return *Pattern::compile(expression);
}

TextRules switch_rules() {
  TextRules rules;
  rules.begin = pattern("^(!|version )");
  rules.end = pattern("^end$");
  rules.framing = {pattern(R"(^Building configuration\.\.\.$)"),
                   pattern(R"(^Current configuration : \d+ bytes$)")};
  rules.noise = {pattern(R"(^ ntp clock-period (\d+))"), pattern(R"(uptime is \d+ days)")};
  rules.noise_lines = {pattern("^! Last configuration change at ")};
  rules.secrets = {pattern(R"(password \d (\S+))"), pattern(R"(^snmp-server community \S+)")};
  return rules;
}

std::string composed(std::string_view answer) {
  return compose({{.name = "running-config", .fact = false, .text = std::string{answer}}}, switch_rules());
}

TEST(Compose, PutsFactsAsCommentsAboveTheConfiguration) {
  const std::vector<Part> parts{{"running-config", false, "version 15.2\nend\n"},
                                {"version", true, "Cisco IOS\nuptime is 3 days\n"},
                                {"module", true, "WS-C3750"}};
  EXPECT_EQ(compose(parts, switch_rules()),
            "! version: Cisco IOS\n"
            "! version: uptime is 3 days\n"
            "! module: WS-C3750\n"
            "version 15.2\n"
            "end\n");
}

TEST(Compose, LeavesOutTheBlankLinesAroundAFactButNotThoseInside) {
  EXPECT_EQ(compose({{"version", true, "\r\n\nfirst  \n\nsecond\n\n \n"}}, switch_rules()),
            "! version: first\n! version:\n! version: second\n");
}

TEST(Compose, AnEmptyFactLeavesNothing) {
  EXPECT_EQ(
      compose({{"version", true, "\n \n"}, {"running-config", false, "version 1\nend\n"}}, switch_rules()),
      "version 1\nend\n");
}

TEST(Compose, DropsFramingAndEverythingBeforeTheBegin) {
  EXPECT_EQ(
      composed(
          "Access restricted!\nBuilding configuration...\n\nCurrent configuration : 99 bytes\n!\nversion "
          "15.2\nend\n"),
      "!\nversion 15.2\nend\n");
}

TEST(Compose, FramingIsDroppedOnlyWhereTheWholeLineMatches) {
  EXPECT_EQ(composed("version 1\n banner Building configuration...\nend\n"),
            "version 1\n banner Building configuration...\nend\n");
}

TEST(Compose, DropsBlankLinesAtTheEndAndKeepsThoseInside) {
  EXPECT_EQ(composed("version 1\n\n\nend\n\n \r\n\t\n"), "version 1\n\n\nend\n");
}

TEST(Compose, AddsNoLineEndThatTheDeviceDidNotSend) {
  EXPECT_EQ(composed("version 1\nend"), "version 1\nend");
  EXPECT_EQ(composed("version 1\nend  "), "version 1\nend  ");
}

TEST(Compose, KeepsEveryByteOfTheConfiguration) {
  const std::string text =
      "version 1\r\nsnmp-server location P\xe9"
      "cs\r\n description ARTESYN\xff\xff" +
      std::string("\0", 1) + "  \nend\n";
  EXPECT_EQ(composed(text), text);
}

TEST(Compose, KeepsAnAnswerThatNeverBeginsAsEvidence) {
  EXPECT_EQ(composed("MINOR: MGMT_CORE #2201: Unknown element\n"),
            "MINOR: MGMT_CORE #2201: Unknown element\n");
}

TEST(Compose, WithoutRulesAndFactsIsTheConfigurationAlone) {
  EXPECT_EQ(compose({{"config", false, "a\nb\n"}}, TextRules{}), "a\nb\n");
  EXPECT_EQ(compose({{"one", false, "a"}, {"two", false, "b\n"}}, TextRules{}), "a\nb\n");
  EXPECT_EQ(compose({}, TextRules{}), "");
}

TEST(Comparable, IsEqualForTextsThatDifferInNoiseAlone) {
  const std::string monday =
      "! Last configuration change at 02:00:00\n uptime is 3 days\n ntp clock-period 17179842\nend\n";
  const std::string tuesday =
      "! Last configuration change at 03:10:11\n uptime is 4 days\n ntp clock-period 36029056\nend\n";
  const auto rules = switch_rules();
  EXPECT_NE(monday, tuesday);
  EXPECT_EQ(comparable(monday, rules), comparable(tuesday, rules));
}

TEST(Comparable, DiffersForAChangeBesideTheNoise) {
  const auto rules = switch_rules();
  EXPECT_NE(comparable(" ntp clock-period 1 prefer\n", rules), comparable(" ntp clock-period 1\n", rules));
  EXPECT_NE(comparable("hostname a\n", rules), comparable("hostname b\n", rules));
}

TEST(Comparable, BlanksTheGroupAndKeepsTheLine) {
  EXPECT_EQ(
      comparable(" ntp clock-period 17179842\nx uptime is 3 days, uptime is 40 days y\n", switch_rules()),
      " ntp clock-period \nx ,  y\n");
}

TEST(Comparable, TheStoredTextKeepsItsNoise) {
  const auto text = composed("! Last configuration change at 02:00:00\nversion 1\nend\n");
  EXPECT_EQ(text, "! Last configuration change at 02:00:00\nversion 1\nend\n");
}

TEST(Comparable, TextWithoutNoiseIsItself) {
  const std::string text = "a\xff\r\n\n b \nend";
  EXPECT_EQ(comparable(text, switch_rules()), text);
  EXPECT_EQ(comparable(text, TextRules{}), text);
}

TEST(Redact, MasksTheGroupOrTheWholeMatch) {
  EXPECT_EQ(
      redact("username ops password 7 0822455D0A16\r\nsnmp-server community s3cret RO\n", switch_rules()),
      "username ops password 7 <secret>\r\n<secret> RO\n");
}

TEST(Redact, MasksEverySecretOfALine) {
  EXPECT_EQ(redact("a password 0 one b password 0 two", switch_rules()),
            "a password 0 <secret> b password 0 <secret>");
}

TEST(Redact, MasksTheWholeMatchWhereTheGroupTookNoPart) {
  TextRules rules;
  rules.secrets = {pattern(R"(key (\d+)|pass \w+)")};
  EXPECT_EQ(redact("key 12\npass word\n", rules), "key <secret>\n<secret>\n");
}

TEST(Redact, ASecretThatOpensWithDotAllSpansLines) {
  TextRules rules;
  rules.secrets = {pattern("(?s)-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----")};
  EXPECT_EQ(redact("a\n-----BEGIN PRIVATE KEY-----\nMIIE\nvQIB\n-----END PRIVATE KEY-----\nb\n", rules),
            "a\n-----BEGIN PRIVATE KEY-----<secret>-----END PRIVATE KEY-----\nb\n");
}

TEST(Redact, ANamedGroupDoesNotMakeAPatternSpanLines) {
  TextRules rules;
  rules.secrets = {pattern(R"((?P<secrets>^psk \S+))")};
  EXPECT_EQ(redact("a\npsk x\n", rules), "a\n<secret>\n");
}

TEST(Redact, AnExpressionThatMatchesNothingChangesNothing) {
  TextRules rules;
  rules.secrets = {pattern("x*"), pattern("key ()")};
  EXPECT_EQ(redact("key a\n", rules), "key a\n");
}

TEST(Digest, IsSha256) {
  EXPECT_EQ(to_hex(digest("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(digest("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(CountLines, CountsALastLineWithoutItsEnd) {
  EXPECT_EQ(count_lines(""), 0u);
  EXPECT_EQ(count_lines("a"), 1u);
  EXPECT_EQ(count_lines("a\n"), 1u);
  EXPECT_EQ(count_lines("a\r\nb"), 2u);
  EXPECT_EQ(count_lines("\n\n"), 2u);
}

}  // namespace
}  // namespace nightjar::revision
