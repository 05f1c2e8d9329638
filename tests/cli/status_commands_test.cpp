// status, and the breakers that it and `credential` show.
#include "cli/cli_fixture.hpp"

#include <nightjar/store/breakers.hpp>
#include <nightjar/store/daemon_lock.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/runs.hpp>

#include <gmock/gmock.h>

namespace nightjar::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const UtcTime one_oclock = *parse_rfc3339("2026-12-01T01:00:00Z");

class StatusCommands : public Cli {
 protected:
  void SetUp() override { set_up_acme(); }
  store::Database database() {
    return store::Database::open(data_ + "/nightjar.db", store::Database::Access::read_write).value();
  }
  // As three devices in a row that rejected it leave it.
  void trip_acme_core() {
    auto db = database();
    const auto credential = store::Inventory{db}.credential("acme/core").value().id;
    store::BreakerBook{db}
        .put(credential, {.in_a_row = {}, .tripped_at = one_oclock, .refused = 7, .edition = 0})
        .value();
  }
};

TEST_F(StatusCommands, WithoutADaemonItExitsWithOne) {
  const Answer answer = nightjar({"status", "--json"});
  EXPECT_EQ(answer.exit, 1);
  EXPECT_EQ(answer.json().at("daemon"), nlohmann::json::parse(R"({"running": false, "pid": null,
    "started_at": null, "address": null, "retries_put_off": null, "last_seen_at": null})"));
  EXPECT_THAT(nightjar({"status"}).out, HasSubstr("none runs, and none ever has"));
}

TEST_F(StatusCommands, ADaemonIsToldByItsLockAndDescribedByItsRow) {
  {
    auto db = database();
    store::BreakerBook{db}
        .put(store::Daemon{.owner = "o-1",
                           .pid = 4711,
                           .started_at = one_oclock,
                           .seen_at = one_oclock + Seconds{90},
                           .address = "127.0.0.1:8484",
                           .retries_put_off = 12})
        .value();
  }
  EXPECT_EQ(nightjar({"status", "--json"}).json().at("daemon").at("last_seen_at"), "2026-12-01T01:01:30Z");
  const auto lock = store::DaemonLock::acquire(data_);
  ASSERT_TRUE(lock);
  const Answer answer = nightjar({"status", "--json"});
  EXPECT_EQ(answer.exit, 0);
  EXPECT_EQ(answer.json().at("daemon"), nlohmann::json::parse(R"({"running": true, "pid": 4711,
    "started_at": "2026-12-01T01:00:00Z", "address": "127.0.0.1:8484", "retries_put_off": 12,
    "last_seen_at": "2026-12-01T01:01:30Z"})"));
  EXPECT_THAT(nightjar({"status"}).out,
              HasSubstr("runs since 2026-12-01 01:00:00 UTC: pid 4711, listens on 127.0.0.1:8484"));
}

TEST_F(StatusCommands, OpenBreakersSayWhoseSinceWhenAndWhatTheyHoldBack) {
  {
    auto db = database();
    const auto acme = store::Inventory{db}.customer("acme").value().id;
    store::BreakerBook{db}
        .put(acme, {.breaker = {.unreachable = 20,
                                .opened_at = one_oclock,
                                .probe_at = one_oclock + Seconds{60},
                                .probe = {}},
                    .was_open = {},
                    .closed_at = {}})
        .value();
  }
  EXPECT_EQ(nightjar({"status", "--json"}).json().at("breakers"),
            nlohmann::json::parse(R"([{"customer": "acme",
    "opened_at": "2026-12-01T01:00:00Z", "probe_at": "2026-12-01T01:01:00Z", "held_back": 0}])"));
  EXPECT_THAT(nightjar({"status"}).out, HasSubstr("BREAKER OPEN OF"));
}

TEST_F(StatusCommands, ARejectedCredentialIsShownUntilItIsReset) {
  trip_acme_core();
  EXPECT_EQ(nightjar({"status", "--json"}).json().at("credentials"), nlohmann::json::parse(R"([{
    "credential": "acme/core", "tripped_at": "2026-12-01T01:00:00Z", "refused": 7}])"));
  EXPECT_EQ(nightjar({"credential", "list", "--json"}).json()[0].at("rejected"), "2026-12-01T01:00:00Z");
  const Answer reset = nightjar({"credential", "reset", "acme/core"});
  EXPECT_EQ(reset.exit, 0);
  EXPECT_THAT(reset.err, HasSubstr("credential acme/core may be tried again"));
  EXPECT_EQ(nightjar({"credential", "list", "--json"}).json()[0].at("rejected"), nullptr);
  EXPECT_THAT(nightjar({"status", "--json"}).json().at("credentials"), IsEmpty());
  EXPECT_EQ(nightjar({"credential", "reset", "acme/core"}).exit, 2);
}

TEST_F(StatusCommands, ANewPasswordResetsACredentialToo) {
  trip_acme_core();
  ASSERT_EQ(nightjar({"credential", "set", "acme/core", "--password-stdin"}, "n3w\n").exit, 0);
  EXPECT_EQ(nightjar({"credential", "list", "--json"}).json()[0].at("rejected"), nullptr);
}

TEST_F(StatusCommands, RunsAreCountedByTheEndsOfTheirSeriesAndTimedByTheCustomersClocks) {
  ASSERT_EQ(nightjar({"customer", "set", "acme", "--timezone", "Asia/Tokyo"}).exit, 0);
  ASSERT_EQ(nightjar({"customer", "add", "globex"}).exit, 0);
  {
    auto db = database();
    for (const char* name : {"acme", "globex"})
      store::RunBook{db}
          .add(store::Inventory{db}.customer(name).value().id, one_oclock, store::RunKind::late,
               {"0 10 * * *", "Asia/Tokyo"}, one_oclock)
          .value();
  }
  const auto runs = nightjar({"status", "--customer", "acme", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].at("customer"), "acme");
  EXPECT_EQ(runs[0].at("scheduled_for"), "2026-12-01T01:00:00Z");
  EXPECT_EQ(runs[0].at("local"), "2026-12-01 10:00 JST");
  EXPECT_EQ(runs[0].at("kind"), "late");
  for (const char* count : {"series", "succeeded", "recovered", "failed", "cancelled", "missed", "open"})
    EXPECT_EQ(runs[0].at(count), 0) << count;
  EXPECT_EQ(nightjar({"status", "--json"}).json().at("runs").size(), 2u);
}

TEST_F(StatusCommands, AnUnknownCustomerIsNoAnswerAboutTheDaemon) {
  const Answer answer = nightjar({"status", "--customer", "acmee"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("did you mean \"acme\"?"));
}

}  // namespace
}  // namespace nightjar::cli
