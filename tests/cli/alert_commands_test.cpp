// alert show and set, and the mail server.
#include "cli/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace nightjar::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AlertCommands : public Cli {
 protected:
  void SetUp() override { set_up_acme(); }
};

TEST_F(AlertCommands, ALevelInheritsWhatItDoesNotSay) {
  ASSERT_EQ(nightjar({"alert", "set", "--platform", "group_seconds=300", "repeat=every"}).exit, 0);
  ASSERT_EQ(nightjar({"alert", "set", "--customer", "acme", "repeat=never"}).exit, 0);
  EXPECT_EQ(nightjar({"alert", "show", "--customer", "acme", "--json"}).json(), nlohmann::json::parse(R"({
    "repeat": {"value": "never", "origin": "customer", "origin_name": "acme"},
    "group_seconds": {"value": 300, "origin": "platform", "origin_name": null},
    "recovered": {"value": true, "origin": "built-in", "origin_name": null},
    "maintenance": {"value": "none", "origin": "built-in", "origin_name": null}})"));
}

TEST_F(AlertCommands, ADeviceMayHaveMaintenanceOfItsOwn) {
  ASSERT_EQ(nightjar({"device", "add", "acme/core-01", "--address", "192.0.2.10", "--driver", "ios",
                      "--credential", "acme/core"})
                .exit,
            0);
  const std::string windows = "0 22 * * sat for 6h; 2026-12-24 18:00 to 2026-12-27 06:00";
  ASSERT_EQ(nightjar({"alert", "set", "--device", "acme/core-01", "maintenance=" + windows}).exit, 0);
  const auto shown = nightjar({"alert", "show", "--device", "acme/core-01", "--json"}).json();
  EXPECT_EQ(shown.at("maintenance").at("value"), windows);
  EXPECT_EQ(shown.at("maintenance").at("origin"), "device");
  ASSERT_EQ(nightjar({"alert", "set", "--device", "acme/core-01", "maintenance="}).exit, 0);
  EXPECT_EQ(
      nightjar({"alert", "show", "--device", "acme/core-01", "--json"}).json().at("maintenance").at("value"),
      "none");
}

TEST_F(AlertCommands, AWindowThatIsNoneIsQuoted) {
  const Answer answer = nightjar({"alert", "set", "--customer", "acme", "maintenance=every other sunday"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("every other sunday"));
}

class MailCommands : public Cli {
 protected:
  void SetUp() override { ASSERT_EQ(nightjar({"init"}).exit, 0); }
};

TEST_F(MailCommands, ThePasswordIsSealedAndOnlySaidToBeThere) {
  const Answer set =
      nightjar({"mail", "set", "--host", "smtp.example.net", "--security", "tls", "--sender",
                "Nightjar@Example.net", "--username", "nightjar", "--password-stdin", "--json"},
               "correct horse\n");
  ASSERT_EQ(set.exit, 0) << set.err;
  const auto shown = nightjar({"mail", "show", "--json"});
  EXPECT_EQ(shown.json(), set.json());
  EXPECT_EQ(shown.json(),
            nlohmann::json::parse(R"({"host": "smtp.example.net", "port": 465, "security": "tls",
    "sender": "Nightjar@example.net", "username": "nightjar", "password": true, "ca_file": null})"));
  EXPECT_THAT(set.out + set.err + nightjar({"mail", "show"}).out, Not(HasSubstr("correct horse")));
  EXPECT_THAT(read_whole(data_ + "/nightjar.db") + read_whole(data_ + "/nightjar.db-wal"),
              Not(HasSubstr("correct horse")));
}

TEST_F(MailCommands, ALoginInTheClearGoesToThisMachineAlone) {
  const auto set = [&](const std::string& host) {
    return nightjar({"mail", "set", "--host", host, "--security", "none", "--sender", "nightjar@example.net",
                     "--username", "nightjar", "--password-stdin"},
                    "correct horse\n");
  };
  const Answer refused = set("smtp.example.net");
  EXPECT_EQ(refused.exit, 3);
  EXPECT_THAT(refused.err, HasSubstr("without encryption"));
  EXPECT_EQ(set("192.0.2.25").exit, 3);
  EXPECT_EQ(set("localhost").exit, 0);
  EXPECT_EQ(set("127.0.0.1").exit, 0);
  EXPECT_EQ(set("::1").exit, 0);
}

TEST_F(MailCommands, WhatCannotBeAServerIsRefusedAndNothingIsStored) {
  EXPECT_THAT(nightjar({"mail", "set", "--host", "smtp.example.net", "--sender", "a@@b"}).err,
              HasSubstr("has two @"));
  EXPECT_THAT(nightjar({"mail", "set", "--host", "smtp.example.net:25", "--sender", "a@example.net"}).err,
              HasSubstr("--port"));
  EXPECT_EQ(nightjar({"mail", "set", "--host", "https://smtp", "--sender", "a@example.net"}).exit, 3);
  EXPECT_THAT(
      nightjar({"mail", "set", "--host", "smtp.example.net", "--sender", "a@example.net", "--username", "u"})
          .err,
      HasSubstr("--password-stdin"));
  write_whole(folder_.at("empty.pem"), "");
  EXPECT_THAT(nightjar({"mail", "set", "--host", "smtp.example.net", "--sender", "a@example.net", "--ca-file",
                        folder_.at("empty.pem")})
                  .err,
              HasSubstr("no certificate"));
  EXPECT_EQ(nightjar({"mail", "show"}).exit, 2);
}

TEST_F(MailCommands, WithoutAServerAMailTestSaysSo) {
  const Answer answer = nightjar({"mail", "test", "--to", "noc@example.org"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("no mail server is set"));
}

TEST_F(MailCommands, AServerIsForgotten) {
  ASSERT_EQ(nightjar({"mail", "set", "--host", "smtp.example.net", "--sender", "a@example.net"}).exit, 0);
  EXPECT_EQ(nightjar({"mail", "show", "--json"}).json().at("port"), 587);
  EXPECT_EQ(nightjar({"mail", "set", "--none"}).exit, 0);
  const Answer shown = nightjar({"mail", "show", "--json"});
  EXPECT_EQ(shown.exit, 2);
  EXPECT_EQ(shown.json(), nullptr);
  EXPECT_EQ(nightjar({"mail", "set", "--none"}).exit, 2);
}

}  // namespace
}  // namespace nightjar::cli
