// The guard against storing what is no configuration: each case is one that a backup tool once stored as a
// success.
#include <nightjar/revision/text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace nightjar::revision {
namespace {

using testing::HasSubstr;

Pattern pattern(std::string_view expression) {
  return *Pattern::compile(expression);
}

TextRules rules_with_end() {
  TextRules rules;
  rules.begin = pattern("^(!|version )");
  rules.end = pattern("^end$");
  rules.residue = {pattern("--More--"), pattern("^% Invalid input"), pattern("^MINOR: ")};
  return rules;
}

const std::string whole =
    "version 15.2\nhostname core-01\ninterface Vlan1\n ip address 192.0.2.1 255.255.255.0\nend\n";

std::string reason(std::string_view text, const TextRules& rules = rules_with_end(),
                   std::optional<LastGood> last_good = {}) {
  const auto verdict = verify(text, rules, last_good);
  if (!verdict) return "whole";
  EXPECT_EQ(verdict->failure_class, FailureClass::incomplete);
  EXPECT_EQ(verdict->stage, Stage::verify);
  return verdict->reason;
}

TEST(Verify, PassesAWholeText) {
  EXPECT_EQ(reason(whole), "whole");
  EXPECT_EQ(reason(whole, rules_with_end(), LastGood{whole.size()}), "whole");
}

TEST(Verify, RejectsAnEmptyAnswer) {
  EXPECT_EQ(reason(""), "the answer is empty: 0 bytes");
  EXPECT_EQ(reason("", TextRules{}, LastGood{61204}),
            "the answer is empty: 0 bytes, last good copy has 61204");
}

TEST(Verify, RejectsBlankLinesAlone) {
  EXPECT_EQ(reason(std::string(100, '\n'), TextRules{}),
            "only 0 bytes of configuration besides comments, at least 32 are expected: 100 bytes");
}

TEST(Verify, RejectsThreeCommentLines) {
  EXPECT_EQ(reason("!RANCID-CONTENT-TYPE: cisco\n!\n!Chassis type: WS-C3750G-24TS\n", TextRules{}),
            "only 0 bytes of configuration besides comments, at least 32 are expected: 60 bytes");
}

TEST(Verify, RejectsFactsWithoutAConfiguration) {
  const std::string facts =
      "! version: Cisco IOS Software, C3750 Software, Version 15.2\n! module: WS-C3750G-24TS\n";
  EXPECT_THAT(reason(facts), HasSubstr("only 0 bytes of configuration"));
}

TEST(Verify, RejectsBuildingConfigurationAlone) {
  EXPECT_THAT(reason("Building configuration...\n", TextRules{}),
              HasSubstr("only 26 bytes of configuration besides comments, at least 32 are expected"));
}

TEST(Verify, RejectsATextWithoutItsEndMark) {
  const auto cut = whole.substr(0, whole.size() - 4);
  EXPECT_EQ(reason(cut), "end mark \"end\" missing: 82 bytes");
  EXPECT_EQ(reason(cut, rules_with_end(), LastGood{90}),
            "end mark \"end\" missing: 82 bytes, last good copy has 90");
}

TEST(Verify, LooksForTheEndMarkInTheLastLineThatIsNotBlankAndNowhereElse) {
  EXPECT_EQ(reason(whole + "\n \r\n"), "whole");
  EXPECT_EQ(reason(whole.substr(0, whole.size() - 1)), "whole");
  EXPECT_EQ(reason(whole.substr(0, whole.size() - 1) + " \r\n"), "whole");
  EXPECT_THAT(reason(whole + "interface Vlan2\n"), HasSubstr("end mark"));
  EXPECT_THAT(reason(whole.substr(0, whole.size() - 4) + " send\n"), HasSubstr("end mark"));
  EXPECT_THAT(reason(whole.substr(0, whole.size() - 4) + "end of file\n"), HasSubstr("end mark"));
}

TEST(Verify, RejectsATextThatNeverBegins) {
  EXPECT_EQ(reason("Access restricted to staff, go away please!\nend\n"),
            "begin mark \"(!|version )\" missing: 48 bytes");
}

TEST(Verify, DoesNotTakeAFactForTheBeginning) {
  EXPECT_THAT(reason("! version: 15.2\nAccess restricted to staff, go away please!\nend\n"),
              HasSubstr("begin mark"));
}

TEST(Verify, RejectsWhatAPagerLeftBehind) {
  EXPECT_EQ(reason("version 15.2\nhostname core-01\n --More-- \ninterface Vlan1\nend\n"),
            "line 3 is no configuration: \" --More--\" (61 bytes)");
}

TEST(Verify, RejectsAnErrorOfTheDevice) {
  EXPECT_THAT(
      reason("admin show configuration | no-more\n      ^^^^^\nMINOR: MGMT_CORE #2201: Unknown element - "
             "'admin'\n"),
      HasSubstr("line 3 is no configuration: \"MINOR: MGMT_CORE #2201: Unknown element - 'admin'\""));
}

TEST(Verify, LooksForResidueInEachLineOnItsOwn) {
  EXPECT_THAT(reason("version 15.2\nhostname core-01-with-a-long-name\n% Invalid input\nend\n"),
              HasSubstr("line 3"));
  EXPECT_EQ(reason("version 15.2\nbanner motd % Invalid input is answered %\nend\n"), "whole");
}

TEST(Verify, QuotesNoControlBytesInAReason) {
  EXPECT_THAT(reason("version 15.2\nhostname core\n\x1b[2J\xff--More--\nend\n"),
              HasSubstr("\"?[2J?--More--\""));
}

TEST(Verify, RejectsATextBelowHalfOfTheLastGoodCopy) {
  EXPECT_EQ(reason(whole, rules_with_end(), LastGood{2 * whole.size() + 1}),
            "far smaller than the last good copy: 86 bytes, last good copy has 173");
  EXPECT_EQ(reason(whole, rules_with_end(), LastGood{2 * whole.size()}), "whole");
}

TEST(Verify, WithoutAnEndMarkSizeStillGuards) {
  TextRules rules;
  EXPECT_EQ(reason("a configuration of some forty bytes or so\n", rules), "whole");
  EXPECT_THAT(reason("a configuration of some forty bytes or so\n", rules, LastGood{1000}),
              HasSubstr("far smaller"));
}

TEST(Verify, JudgesBytesThatAreNotUtf8) {
  EXPECT_EQ(reason("version 15.2\nsnmp-server location P\xe9"
                   "cs, ARTESYN\xff\xff\nend\n"),
            "whole");
}

}  // namespace
}  // namespace nightjar::revision
