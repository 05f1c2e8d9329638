// destination, and the deliveries to one.
#include "cli/cli_fixture.hpp"

#include <nightjar/store/destinations.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/outbox.hpp>

#include <gmock/gmock.h>

namespace nightjar::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

const std::string secret_path = "T0/B0/hidden-token";
const std::string hook = "https://hooks.example.net:8443/" + secret_path;

class DestinationCommands : public Cli {
 protected:
  void SetUp() override { set_up_acme(); }

  nlohmann::json list(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"destination", "list", "--json"});
    return nightjar(more).json();
  }
  store::Database database() {
    return store::Database::open(data_ + "/nightjar.db", store::Database::Access::read_write).value();
  }
  void add_hook() {
    ASSERT_EQ(nightjar({"destination", "add", "--customer", "acme", "--webhook", hook}).exit, 0);
  }
  // One message to destination 1 that no server would take.
  void add_dead_message() {
    store::Database db = database();
    store::Outbox outbox{db};
    store::Content content;
    content.subject = "Backup of acme/core-01 failed";
    content.text = "It did not answer.\n";
    const auto acme = store::Inventory{db}.customer("acme").value().id;
    const UtcTime now{Seconds{1'796'000'000}};
    ASSERT_TRUE(outbox.add(alerting::Event::report_daily, DestinationId{1}, acme, "2026-11-30", content, now)
                    .value());
    const auto due = outbox.due(now, 1).value();
    ASSERT_EQ(due.size(), 1u);
    ASSERT_TRUE(outbox.dead(due.front().id, 404, "hooks.example.net:8443 answered 404", now));
  }
};

TEST_F(DestinationCommands, ADestinationIsListedWithWhatItHearsOf) {
  const Answer mail =
      nightjar({"destination", "add", "--customer", "acme", "--email", "noc@Example.org, lead@example.org"});
  ASSERT_EQ(mail.exit, 0) << mail.err;
  EXPECT_EQ(mail.out, "1\n");
  ASSERT_EQ(nightjar({"destination", "add", "--platform", "--webhook", hook, "--preset", "slack", "--events",
                      "series.failed,platform.fault"})
                .exit,
            0);
  const auto acme = list({"--customer", "acme"});
  ASSERT_EQ(acme.size(), 1u);
  EXPECT_EQ(acme[0].at("customer"), "acme");
  EXPECT_EQ(acme[0].at("kind"), "email");
  EXPECT_EQ(acme[0].at("address"), "noc@example.org,lead@example.org");
  EXPECT_EQ(acme[0].at("preset"), nullptr);
  EXPECT_EQ(acme[0].at("events"),
            nlohmann::json::parse(R"(["series.failed", "series.recovered", "report.daily"])"));
  EXPECT_EQ(acme[0].at("enabled"), true);
  EXPECT_EQ(acme[0].at("disabled_because"), nullptr);
  const auto platform = list({"--platform"});
  ASSERT_EQ(platform.size(), 1u);
  EXPECT_EQ(platform[0].at("customer"), nullptr);
  EXPECT_EQ(platform[0].at("preset"), "slack");
  EXPECT_EQ(platform[0].at("events"), nlohmann::json::parse(R"(["series.failed", "platform.fault"])"));
  EXPECT_EQ(list().size(), 2u);
}

TEST_F(DestinationCommands, OfAWebhookOnlyTheHostIsShownUnlessItIsAskedFor) {
  add_hook();
  EXPECT_EQ(list()[0].at("address"), "https://hooks.example.net:8443/...");
  EXPECT_EQ(list({"--show-urls"})[0].at("address"), hook);
  EXPECT_THAT(nightjar({"destination", "list"}).out, Not(HasSubstr(secret_path)));
  const Answer removed = nightjar({"destination", "remove", "1", "--yes", "--json"});
  EXPECT_THAT(removed.out + removed.err, Not(HasSubstr(secret_path)));
  EXPECT_TRUE(list().empty());
}

TEST_F(DestinationCommands, AMadeSecretIsPrintedOnceAndSealed) {
  const Answer added =
      nightjar({"destination", "add", "--customer", "acme", "--webhook", hook, "--new-secret"});
  ASSERT_EQ(added.exit, 0) << added.err;
  EXPECT_THAT(added.out, MatchesRegex("1\nwhsec_[A-Za-z0-9+/=]+\n"));
  const std::string secret = added.out.substr(2, added.out.size() - 3);
  EXPECT_EQ(list()[0].at("signed"), true);
  EXPECT_THAT(nightjar({"destination", "list", "--json", "--show-urls"}).out, Not(HasSubstr("whsec_")));
  EXPECT_THAT(read_whole(data_ + "/nightjar.db") + read_whole(data_ + "/nightjar.db-wal"),
              Not(HasSubstr(secret)));
}

TEST_F(DestinationCommands, AnOldSecretSignsTooUntilTheRotationIsFinished) {
  add_hook();
  const std::string typed = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n";
  ASSERT_EQ(nightjar({"destination", "rotate", "1", "--secret-stdin"}, typed).exit, 0);
  EXPECT_EQ(list()[0].at("previous_secret"), false);
  const auto rotated = nightjar({"destination", "rotate", "1", "--new-secret", "--json"}).json();
  EXPECT_THAT(rotated.at("secret").get<std::string>(), HasSubstr("whsec_"));
  EXPECT_EQ(list()[0].at("previous_secret"), true);
  ASSERT_EQ(nightjar({"destination", "rotate", "1", "--finish"}).exit, 0);
  EXPECT_EQ(list()[0].at("previous_secret"), false);
  EXPECT_EQ(nightjar({"destination", "rotate", "1", "--finish"}).exit, 2);
}

TEST_F(DestinationCommands, ASecretThatIsNoneIsNotRepeated) {
  const Answer answer = nightjar(
      {"destination", "add", "--customer", "acme", "--webhook", hook, "--secret-stdin"}, "hunter2\n");
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("whsec_"));
  EXPECT_THAT(answer.err, Not(HasSubstr("hunter2")));
  EXPECT_TRUE(list().empty());
}

TEST_F(DestinationCommands, WhatCannotBeADestinationIsRefused) {
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"destination", "add"});
    const Answer answer = nightjar(more);
    EXPECT_EQ(answer.exit, 3);
    return answer.err;
  };
  EXPECT_THAT(refused({"--customer", "acme"}), HasSubstr("--email"));
  EXPECT_THAT(refused({"--email", "noc@example.org"}), HasSubstr("--platform"));
  EXPECT_THAT(refused({"--customer", "acme", "--email", "noc@example.org,"}), HasSubstr("empty"));
  EXPECT_THAT(refused({"--customer", "acme", "--webhook", "ftp://example.net/x"}), HasSubstr("http"));
  EXPECT_THAT(refused({"--customer", "acme", "--email", "noc@example.org", "--new-secret"}),
              HasSubstr("mail has none"));
  EXPECT_THAT(refused({"--customer", "acme", "--email", "noc@example.org", "--events", "platform.fault"}),
              HasSubstr("platform's"));
  EXPECT_THAT(refused({"--customer", "acme", "--email", "noc@example.org", "--events", "series.fail"}),
              HasSubstr("series.failed"));
  EXPECT_TRUE(list().empty());
}

TEST_F(DestinationCommands, SetChangesOnlyWhatItSays) {
  add_hook();
  ASSERT_EQ(nightjar({"destination", "set", "1", "--events", "series.failed", "--preset", "teams"}).exit, 0);
  EXPECT_EQ(list()[0].at("preset"), "teams");
  EXPECT_EQ(list()[0].at("events").size(), 1u);
  EXPECT_EQ(list({"--show-urls"})[0].at("address"), hook);
  EXPECT_EQ(nightjar({"destination", "set", "1", "--email", "noc@example.org"}).exit, 3);
  EXPECT_EQ(nightjar({"destination", "set", "1"}).exit, 3);
  EXPECT_EQ(nightjar({"destination", "set", "2", "--preset", "slack"}).exit, 3);
}

TEST_F(DestinationCommands, OneThatWantedNoMoreIsEnabledAgain) {
  add_hook();
  {
    store::Database db = database();
    ASSERT_TRUE(store::Destinations{db}.disable(DestinationId{1}, "it answered 410", UtcTime{Seconds{1}}));
  }
  EXPECT_EQ(list()[0].at("enabled"), false);
  EXPECT_EQ(list()[0].at("disabled_because"), "it answered 410");
  EXPECT_EQ(nightjar({"destination", "enable", "1"}).exit, 0);
  EXPECT_EQ(list()[0].at("enabled"), true);
  EXPECT_EQ(nightjar({"destination", "enable", "1"}).exit, 2);
}

TEST_F(DestinationCommands, ADestinationGoesOnlyWhenSomebodyIsSure) {
  add_hook();
  const Answer answer = nightjar({"destination", "remove", "1"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("--yes"));
  EXPECT_EQ(list().size(), 1u);
}

TEST_F(DestinationCommands, ADeadDeliveryIsShownAndReplayed) {
  add_hook();
  add_dead_message();
  const auto shown = nightjar({"delivery", "list", "--undelivered", "--customer", "acme", "--json"}).json();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].at("state"), "dead");
  EXPECT_EQ(shown[0].at("event"), "report.daily");
  EXPECT_EQ(shown[0].at("destination"), 1);
  EXPECT_EQ(shown[0].at("address"), "https://hooks.example.net:8443/...");
  EXPECT_EQ(shown[0].at("tries"), 0);
  EXPECT_EQ(shown[0].at("next_try_at"), nullptr);
  EXPECT_EQ(shown[0].at("status"), 404);
  EXPECT_EQ(shown[0].at("detail"), "hooks.example.net:8443 answered 404");
  const std::string text = nightjar({"delivery", "show", "1"}).out;
  EXPECT_THAT(text, HasSubstr("Backup of acme/core-01 failed"));
  EXPECT_THAT(text, HasSubstr("It did not answer."));
  EXPECT_THAT(text, Not(HasSubstr(secret_path)));
  EXPECT_EQ(nightjar({"delivery", "show", "1", "--json"}).json().at("text"), "It did not answer.\n");

  const auto replayed = nightjar({"delivery", "replay", "1", "--json"}).json();
  EXPECT_EQ(replayed.at("state"), "waiting");
  EXPECT_EQ(replayed.at("event_id"), shown[0].at("event_id"));
  EXPECT_EQ(nightjar({"delivery", "replay", "1"}).exit, 3);
}

TEST_F(DestinationCommands, NothingIsReplayedToADisabledDestination) {
  add_hook();
  add_dead_message();
  {
    store::Database db = database();
    ASSERT_TRUE(store::Destinations{db}.disable(DestinationId{1}, "it answered 410", UtcTime{Seconds{1}}));
  }
  const Answer answer = nightjar({"delivery", "replay", "1"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("destination enable 1"));
  EXPECT_EQ(nightjar({"delivery", "replay", "2"}).exit, 3);
}

}  // namespace
}  // namespace nightjar::cli
