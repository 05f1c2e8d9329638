// What config/drivers/common.toml recognises, and what it must leave alone: a banner may speak of anything.
#include <nightjar/config/driver.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace nightjar::config {
namespace {

const Driver& driver() {
  static const auto drivers = Drivers::load("");
  return *drivers.value().find("vyos");  // adds little of its own
}

std::string_view login_error(std::string_view line) {
  for (const auto& error : driver().script.login_errors)
    if (error.text.found_in(line)) return to_text(error.failure_class);
  return "";
}

bool pages(std::string_view line) {
  const auto& pagers = driver().script.pagers;
  return std::any_of(pagers.begin(), pagers.end(), [&](const auto& p) { return p.prompt.found_in(line); });
}

bool is_residue(std::string_view line) {
  const auto& residue = driver().text.residue;
  return std::any_of(residue.begin(), residue.end(), [&](const Pattern& p) { return p.found_in(line); });
}

TEST(Common, PasswordChangesAndSecondFactorsAreClassAuth) {
  for (const char* line :
       {"Do you want to change the password(yes/no):", "Password expired. Change your password now.",
        "WARNING: Your password has expired.", "You are required to change your password immediately",
        "You must change your password before using it the first time", "New password:",
        "Enter new password:", "Verification code: ", "Enter your passcode: ", "Passcode or option (1-3): ",
        "Duo two-factor login for ops", "Login incorrect", "% Authentication failed.", "% Login invalid"})
    EXPECT_EQ(login_error(line), "auth") << line;
}

TEST(Common, FullDevicesAreClassBusy) {
  for (const char* line : {"Sorry, too many users", "Too many sessions, try again later",
                           "Maximum number of SSH sessions reached", "No free vty", "All lines are busy",
                           "Session limit reached", "The system is busy, please try later"})
    EXPECT_EQ(login_error(line), "busy") << line;
}

TEST(Common, ABannerThatSpeaksOfPasswordsAndSessionsEndsNoLogin) {
  for (const char* line :
       {"Never share your password or verification code with anybody.",
        "* change your password every 90 days *",
        "Access denied to unauthorised persons; all sessions are logged",
        "Users must change their password yearly",
        "This system is monitored. Too many failed logins lock the account.",
        "Last login: Mon Nov 30 02:00:01 2026", "Welcome. The maximum penalty for misuse is severe."})
    EXPECT_EQ(login_error(line), "") << line;
}

TEST(Common, PagersOfAllMakesAreAnswered) {
  for (const char* line :
       {"--More--", " --More-- ", "--More-- or (q)uit", "<--- More --->", "---- More ----",
        "  ---- More ----", "---(more)---", "---(more 45%)---",
        "-- MORE --, next page: Space, next line: Enter, quit: Control-C",
        "--More--, next page: Space, next line: Return key, quit: Control-c", "Press <space> to continue",
        "Press <SPACE> to continue or <Q> to quit:", "Press any key to continue (Q to quit)", "(q : quit) :"})
    EXPECT_TRUE(pages(line)) << line;
}

TEST(Common, LinesOfAConfigurationAreNoPager) {
  for (const char* line : {" description see --More-- below", "! -- moreover", "router bgp 64500",
                           "-- end of list", " description press any key to continue"})
    EXPECT_FALSE(pages(line)) << line;
}

TEST(Common, PagerRefusalAndTerminalBytesAreResidue) {
  for (const char* line : {"--More--", " --More-- ", "<--- More --->", "---(more 45%)---",
                           "\x1b[2K hostname x", "% Invalid input detected at '^' marker."})
    EXPECT_TRUE(is_residue(line)) << line;
  for (const char* line :
       {" description see --More-- below", "event manager % Invalid input detected at", "! more"})
    EXPECT_FALSE(is_residue(line)) << line;
}

}  // namespace
}  // namespace nightjar::config
