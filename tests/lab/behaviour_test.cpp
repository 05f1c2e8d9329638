// Each behaviour shows what it says, seen by a real SSH client.
#include "lab/visitor.hpp"

#include <nightjar/lab/fleet.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace nightjar::lab {
namespace {

constexpr int a_while = 300;  // ms of silence that count as silence

class Behaviours : public testing::Test {
 protected:
  Device& device(Behaviour behaviour, int first = 0) {
    Trait trait;
    trait.behaviour = behaviour;
    trait.first = first;
    plan_.traits.push_back(trait);
    return plan_;
  }
  Trait& trait() { return plan_.traits.back(); }
  void start() {
    fleet_ = std::make_unique<Fleet>(std::vector<Device>{plan_});
    const auto started = fleet_->start();
    ASSERT_TRUE(started) << started.error().reason;
  }
  std::uint16_t port() const { return fleet_->port(0); }
  std::vector<Visit> ended_visits() const {
    EXPECT_TRUE(fleet_->log().wait_until_all_ended(Milliseconds{5000}));
    return fleet_->log().visits();
  }
  // To the privileged prompt, pager off.
  static void prepare(Visitor& visitor) {
    visitor.read_until("core-01>");
    visitor.type("enable\n");
    visitor.read_until("Password: ");
    visitor.type("lab-enable\n");
    visitor.read_until("core-01#");
    visitor.ask("terminal length 0", "core-01#");
  }

  Device plan_;
  std::unique_ptr<Fleet> fleet_;
};

TEST_F(Behaviours, RefuseFirstClosesThatManyConnectionsWithoutAByte) {
  device(Behaviour::refuse, 2);
  start();
  for (int i = 0; i < 2; ++i) {
    const Doorstep door = knock(port());
    EXPECT_FALSE(door.refused || door.reset || door.silent);
    EXPECT_EQ(door.text, "");
  }
  EXPECT_TRUE(Visitor(port()).log_in());
  const std::vector<Visit> visits = ended_visits();
  ASSERT_EQ(visits.size(), 3U);
  EXPECT_EQ(visits[1].ending, Ending::refused);
  EXPECT_EQ(visits[2].ending, Ending::closed);
}

TEST_F(Behaviours, ResetBreaksTheConnectionOff) {
  device(Behaviour::reset, 1);
  start();
  EXPECT_TRUE(knock(port()).reset);
  EXPECT_TRUE(Visitor(port()).log_in());
}

TEST_F(Behaviours, DeadRefusesAndKeepsItsPort) {
  device(Behaviour::dead);
  start();
  EXPECT_NE(port(), 0);
  EXPECT_TRUE(knock(port()).refused);
  EXPECT_TRUE(fleet_->log().visits().empty());
}

TEST_F(Behaviours, HangBannerAcceptsAndSaysNothing) {
  device(Behaviour::hang_banner);
  start();
  const Doorstep door = knock(port(), a_while);
  EXPECT_TRUE(door.silent);
  EXPECT_EQ(door.text, "");
  EXPECT_EQ(ended_visits().at(0).ending, Ending::rejected);
}

TEST_F(Behaviours, GarbageIsNoSsh) {
  device(Behaviour::garbage);
  start();
  const std::string text = knock(port()).text;
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(text.find("SSH-"), std::string::npos);
}

TEST_F(Behaviours, VtyFullSaysSoAndCloses) {
  device(Behaviour::vty_full, 1);
  start();
  EXPECT_EQ(knock(port()).text, "% All vty lines are in use\r\n");
  EXPECT_TRUE(Visitor(port()).log_in());
}

TEST_F(Behaviours, VtyFullShellSaysSoAfterTheLogin) {
  device(Behaviour::vty_full_shell);
  start();
  Visitor visitor(port());
  ASSERT_TRUE(visitor.log_in());
  EXPECT_EQ(visitor.read_to_end(), "\r\n% All vty lines are in use\r\n");
}

TEST_F(Behaviours, WrongPasswordRejectsThePlansOwn) {
  device(Behaviour::wrong_password);
  start();
  {
    Visitor visitor(port());
    ASSERT_TRUE(visitor.connect());
    EXPECT_EQ(visitor.try_password("lab-password"), SSH_AUTH_DENIED);
  }
  const std::vector<Visit> visits = ended_visits();
  ASSERT_EQ(visits.at(0).logins.size(), 1U);
  EXPECT_EQ(visits[0].logins[0].method, "password");
  EXPECT_FALSE(visits[0].logins[0].accepted);
  EXPECT_EQ(visits[0].ending, Ending::rejected);
}

TEST_F(Behaviours, ThreeWrongPasswordsEndTheConnection) {
  start();
  Visitor visitor(port());
  ASSERT_TRUE(visitor.connect());
  for (int i = 0; i < 3; ++i) EXPECT_NE(visitor.try_password("guess"), SSH_AUTH_SUCCESS);
  EXPECT_EQ(visitor.try_password("lab-password"), SSH_AUTH_ERROR);
}

TEST_F(Behaviours, HangLoginShowsNoPrompt) {
  device(Behaviour::hang_login);
  start();
  Visitor visitor(port());
  ASSERT_TRUE(visitor.log_in());
  visitor.type("\n");
  EXPECT_TRUE(visitor.is_silent(a_while));
}

TEST_F(Behaviours, HangCommandStopsInTheMiddleAndStaysOpen) {
  device(Behaviour::hang_command);
  start();
  Visitor visitor(port());
  ASSERT_TRUE(visitor.log_in());
  prepare(visitor);
  visitor.type("show running-config\n");
  const std::string text = visitor.read_while_it_comes(a_while);
  EXPECT_GT(text.size(), 8'000U);
  EXPECT_EQ(text.find("\r\nend\r\n"), std::string::npos);
  EXPECT_TRUE(visitor.is_silent(a_while));
}

TEST_F(Behaviours, DropMidConfigBreaksTheConnection) {
  device(Behaviour::drop_mid_config, 1);
  start();
  {
    Visitor visitor(port());
    ASSERT_TRUE(visitor.log_in());
    prepare(visitor);
    visitor.type("show running-config\n");
    const std::string text = visitor.read_to_end();
    EXPECT_GT(text.size(), 8'000U);
    EXPECT_EQ(text.find("\r\nend\r\n"), std::string::npos);
  }
  EXPECT_EQ(ended_visits().at(0).ending, Ending::dropped);
  Visitor again(port());
  ASSERT_TRUE(again.log_in());
  prepare(again);
  EXPECT_NE(again.ask("show running-config", "\r\n\r\ncore-01#").find("\nend"), std::string::npos);
}

TEST_F(Behaviours, ChangesShowsAnotherConfigurationAtEachReading) {
  device(Behaviour::changes);
  start();
  Visitor visitor(port());
  ASSERT_TRUE(visitor.log_in());
  prepare(visitor);
  const std::string first = visitor.ask("show running-config", "\r\n\r\ncore-01#");
  const std::string second = visitor.ask("show running-config", "\r\n\r\ncore-01#");
  EXPECT_NE(first, second);
  EXPECT_EQ(fleet_->last_config(0), running_config(plan_, 1));
}

TEST_F(Behaviours, HostKeyChangesFromTheGivenConnectionOn) {
  device(Behaviour::host_key_changes);
  trait().from = 2;
  start();
  Visitor first(port());
  Visitor second(port());
  ASSERT_TRUE(first.connect());
  ASSERT_TRUE(second.connect());
  EXPECT_EQ(first.fingerprint(), fleet_->fingerprint(0, 1));
  EXPECT_EQ(second.fingerprint(), fleet_->fingerprint(0, 2));
  EXPECT_NE(first.fingerprint(), second.fingerprint());
}

TEST_F(Behaviours, LegacyOnlyShutsOutAModernClient) {
  device(Behaviour::legacy_only);
  start();
  Visitor modern(port());
  EXPECT_FALSE(modern.connect());
  EXPECT_NE(modern.error().find("no match"), std::string::npos) << modern.error();
  Visitor old(port());
  old.allow_legacy();
  EXPECT_TRUE(old.log_in()) << old.error();
}

TEST_F(Behaviours, KeyboardInteractiveHasARoundWithoutAQuestion) {
  device(Behaviour::keyboard_interactive);
  trait().text = "TACACS Password: ";
  start();
  Visitor visitor(port());
  ASSERT_TRUE(visitor.connect());
  visitor.try_none();
  EXPECT_EQ(visitor.methods(), SSH_AUTH_METHOD_INTERACTIVE);
  int empty_rounds = 0;
  EXPECT_EQ(visitor.interactive("lab-password", empty_rounds), SSH_AUTH_SUCCESS);
  EXPECT_EQ(empty_rounds, 1);
  EXPECT_TRUE(visitor.open_shell());
  Visitor wrong(port());
  ASSERT_TRUE(wrong.connect());
  EXPECT_EQ(wrong.interactive("guess", empty_rounds), SSH_AUTH_DENIED);
}

TEST_F(Behaviours, ShellLoginNeedsNoSshPassword) {
  device(Behaviour::shell_login);
  start();
  Visitor visitor(port());
  ASSERT_TRUE(visitor.connect());
  EXPECT_EQ(visitor.try_none(), SSH_AUTH_SUCCESS);
  ASSERT_TRUE(visitor.open_shell());
  visitor.read_until("User Name:");
  visitor.type("nightjar\n");
  visitor.read_until("Password:");
  visitor.type("lab-password\n");
  EXPECT_EQ(visitor.read_until("core-01>"), "\r\n\r\ncore-01>");
}

TEST_F(Behaviours, APublicKeyOfThePlanLogsIn) {
  ssh_key pair = nullptr;
  ASSERT_EQ(ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &pair), SSH_OK);
  char* base64 = nullptr;
  ASSERT_EQ(ssh_pki_export_pubkey_base64(pair, &base64), SSH_OK);
  plan_.public_key = std::string("ssh-ed25519 ") + base64;
  ssh_string_free_char(base64);
  start();
  Visitor visitor(port());
  ASSERT_TRUE(visitor.connect());
  EXPECT_EQ(visitor.try_key(pair), SSH_AUTH_SUCCESS);
  EXPECT_TRUE(visitor.open_shell());
  ssh_key_free(pair);
}

TEST_F(Behaviours, ExecRunsCommandAfterCommandInOneSession) {
  plan_.kind = Kind::frr;
  start();
  Visitor visitor(port());
  ASSERT_TRUE(visitor.connect());
  ASSERT_EQ(visitor.try_password("lab-password"), SSH_AUTH_SUCCESS);
  int status = -1;
  EXPECT_TRUE(visitor.exec("show version", status).starts_with("FRRouting 8.4.4"));
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(visitor.exec("show everything", status).starts_with("% Unknown command"));
  EXPECT_EQ(status, 1);
}

}  // namespace
}  // namespace nightjar::lab
