// The command line itself: what it refuses, how it says so, and where its help is.
#include "cli/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace nightjar::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Arguments : public Cli {};

TEST_F(Arguments, VersionAndHelpGoToStandardOutput) {
  const Answer version = run_with({"--version"});
  EXPECT_EQ(version.exit, 0);
  EXPECT_THAT(version.out, StartsWith("nightjar "));
  EXPECT_EQ(version.err, "");
}

TEST_F(Arguments, EveryLevelHasItsHelp) {
  for (const std::vector<std::string>& level : {std::vector<std::string>{"--help"},
                                                {"rule", "--help"},
                                                {"rule", "set", "--help"},
                                                {"backup", "-h"}}) {
    const Answer help = run_with(level);
    EXPECT_EQ(help.exit, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: nightjar"));
  }
  EXPECT_THAT(run_with({"rule", "set", "--help"}).out, HasSubstr("Usage: nightjar rule set"));
  EXPECT_THAT(run_with({"rule", "set", "--help"}).out, HasSubstr("give_up_after_seconds"));
}

TEST_F(Arguments, AnUnknownCommandGetsTheNearestOne) {
  const Answer answer = run_with({"custmer", "list"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err,
              StartsWith("nightjar: unknown command \"nightjar custmer\"; did you mean \"customer\"?"));
}

TEST_F(Arguments, AnUnknownFlagGetsTheNearestOne) {
  const Answer answer = run_with({"device", "list", "--custmer", "acme"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("unknown flag --custmer; did you mean \"--customer\"?"));
}

TEST_F(Arguments, ANounAloneNamesItsVerbs) {
  const Answer answer = run_with({"hostkey"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, StartsWith("nightjar: nightjar hostkey wants one of: list, accept, forget"));
}

TEST_F(Arguments, AMissingArgumentIsNamed) {
  const Answer answer = run_with({"customer", "add"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("NAME is required"));
}

TEST_F(Arguments, OneArgumentTooManyIsNamed) {
  const Answer answer = run_with({"customer", "show", "acme", "globex"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("\"globex\" is one argument too many"));
}

TEST_F(Arguments, GlobalFlagsMayStandAnywhere) {
  ASSERT_EQ(nightjar({"init"}).exit, 0);
  EXPECT_EQ(run_with({"customer", "list", "--json", "--data", data_}).json(), nlohmann::json::array());
  EXPECT_EQ(run_with({"--json", "--data", data_, "customer", "list"}).json(), nlohmann::json::array());
}

TEST_F(Arguments, ACustomerMayBeNamedLikeACommand) {
  ASSERT_EQ(nightjar({"init"}).exit, 0);
  EXPECT_EQ(nightjar({"customer", "add", "device"}).exit, 0);
  EXPECT_EQ(nightjar({"customer", "add", "list"}).exit, 0);
  EXPECT_EQ(nightjar({"customer", "list", "--json"}).json().size(), 2u);
}

TEST_F(Arguments, ContradictingFormatsAreRefused) {
  EXPECT_EQ(nightjar({"--json", "--output", "csv", "customer", "list"}).exit, 3);
  EXPECT_EQ(nightjar({"--output", "yaml", "customer", "list"}).exit, 3);
}

TEST_F(Arguments, WithoutADataFolderInitIsNamed) {
  const Answer answer = nightjar({"customer", "list"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("no Nightjar data in " + data_));
  EXPECT_THAT(answer.err, HasSubstr("init"));
}

TEST_F(Arguments, BackupWantsToKnowWhichDevices) {
  const Answer answer = nightjar({"backup"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("--all"));
}

TEST_F(Arguments, ABadConfigurationFileIsNamedWithItsLine) {
  ASSERT_EQ(nightjar({"init"}).exit, 0);
  write_whole(folder_.at("n.toml"), "[limits]\nsesions = 3\n");
  const Answer answer = nightjar({"--config", folder_.at("n.toml"), "driver", "list"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("n.toml:2: limits.sesions"));
  EXPECT_EQ(nightjar({"--config", folder_.at("absent.toml"), "driver", "list"}).exit, 3);
}

TEST_F(Arguments, AFullStandardOutputIsSaid) {
  ASSERT_EQ(nightjar({"init"}).exit, 0);
  write_whole(folder_.at("in"), "");
  Answer answer;
  {
    const Redirected out(STDOUT_FILENO, "/dev/full", O_WRONLY);
    const Redirected err(STDERR_FILENO, folder_.at("err"), O_WRONLY | O_CREAT | O_TRUNC);
    const char* argv[] = {"nightjar", "--data", data_.c_str(), "--json", "customer", "list"};
    answer.exit = run(6, argv);
    std::clearerr(stdout);
  }
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(read_whole(folder_.at("err")),
              HasSubstr("cannot write to standard output: No space left on device"));
}

}  // namespace
}  // namespace nightjar::cli
