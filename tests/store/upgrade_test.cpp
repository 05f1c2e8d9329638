// A database that an earlier version wrote, with something in every table, opened by this one.
#include "store/compression.hpp"
#include "store/migration.hpp"
#include "store/rule_text.hpp"
#include "store_fixture.hpp"

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using rules::Level;
using series::State;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

RuleInForce rule_of_acme() {
  RuleInForce rule = built_in_rule();
  rule.customer_name = "acme";
  rule.rule.attempts = {5, Level::customer};
  return rule;
}

std::string_view bytes(const revision::Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

constexpr std::string_view config = "hostname sw-1\nend\n";

// Customers acme (Paris) and globex (UTC). acme/sw-1 succeeded at its second attempt; acme/sw-2 waits for its
// second; an attempt of globex/fw-1 is under way; the newest series, 4, has been removed.
void write_version_1(Database::Connection& c) {
  c.execute(
      "INSERT INTO customer VALUES (1, 'acme', 'Europe/Paris'), (2, 'globex', 'UTC');"
      "INSERT INTO credential (id, customer_id, name, username, sealed_password) VALUES (1, 1, 'ssh', "
      "'backup', x'00ff');"
      "INSERT INTO device VALUES (1, 1, 'sw-1', '192.0.2.1', 22, 'ios', 1, 1), (2, 1, 'sw-2', '192.0.2.2', "
      "22, 'ios', NULL, 1),"
      "  (3, 2, 'fw-1', '198.51.100.1', 2222, 'junos', NULL, 0);"
      "INSERT INTO device_tag VALUES (1, 'core');"
      "INSERT INTO setting (customer_id, section, field, value) VALUES (1, 'retry', 'attempts', '5');"
      "INSERT INTO host_key VALUES (1, 'ssh-ed25519', 'SHA256:abc', 1796000000000, 0);");
  const auto series = [&](int id, int device, std::string_view state, std::optional<UtcTime> due,
                          int attempts, int counted, std::optional<UtcTime> ended,
                          std::optional<std::string> owner) {
    c.run(
        "INSERT INTO series (id, device_id, cause, state, scheduled_for_ms, window_start_ms, due_ms, "
        "attempts, "
        "counted, interruptions, previous_wait_ms, overtaken, cancel_requested, started_ms, ended_ms, owner, "
        "lease_until_ms) VALUES (?1, ?2, 'manual', ?3, ?4, ?4, ?5, ?6, ?7, 0, 300000, 0, 0, ?4, ?8, ?9, ?10)",
        id, device, state, at(id), due, attempts, counted, ended, owner,
        owner ? std::optional{far_lease} : std::nullopt);
  };
  series(1, 1, "succeeded", {}, 2, 1, at(400), {});
  series(2, 2, "retry_wait", at(305), 1, 1, {}, "cli");
  series(3, 3, "running", {}, 1, 0, {}, "cli");
  series(4, 1, "cancelled", {}, 0, 0, at(5), {});
  const std::string rule = write_rule(rule_of_acme());
  const std::string transcript = pack(std::string(3000, 't'));
  c.run(
      "INSERT INTO attempt (id, series_id, number, queued_ms, started_ms, ended_ms, outcome, failure_class, "
      "stage, reason, "
      "transport, action, wait_ms, jitter_ms, next_attempt_ms, rule, transcript) VALUES "
      "(1, 1, 1, 1500, ?1, ?2, 'failure', 'timeout', 'login', 'no prompt', 'ssh', 'retry', 300000, 0, ?3, "
      "?4, ?5),"
      "(2, 1, 2, 0, ?3, ?3, 'success', NULL, NULL, NULL, 'ssh', 'end', 0, 0, NULL, ?4, NULL),"
      "(3, 2, 1, 0, ?1, ?2, 'failure', 'incomplete', 'verify', 'end mark missing', 'ssh', 'retry', 300000, "
      "0, ?3, ?4, NULL),"
      "(4, 3, 1, 0, ?1, NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, NULL)",
      at(1), at(5), at(305), rule, Blob{transcript});
  c.run("INSERT INTO evidence (attempt_id, text) VALUES (3, ?1)", Blob{pack("hostname sw-2\n")});
  c.run(
      "INSERT INTO revision (id, device_id, comparable, sha256, bytes, lines, first_seen_ms, last_seen_ms, "
      "text) "
      "VALUES (1, 1, ?1, ?2, ?3, 2, ?4, ?4, ?5)",
      Blob{bytes(revision::fingerprint(config))}, Blob{bytes(revision::digest(config))}, config.size(),
      at(305), Blob{compress(config)});
  c.run("INSERT INTO backup (attempt_id, device_id, revision_id, taken_ms, changed) VALUES (2, 1, 1, ?1, 1)",
        at(305));
  c.run("DELETE FROM series WHERE id = 4");
}

class UpgradeTest : public ::testing::TestWithParam<int> {
 protected:
  UpgradeTest() {
    std::ofstream(file()).flush();
    auto old = Database::Connection::open(file()).value();
    EXPECT_TRUE(migrate(*old, migrations().first(1)));
    write_version_1(*old);
    const auto raised = migrate(*old, migrations().first(static_cast<std::size_t>(GetParam())));
    EXPECT_TRUE(raised) << raised.error().reason;
    EXPECT_EQ(version_of(*old), GetParam());
  }
  std::filesystem::path file() const { return folder_ / "nightjar.db"; }

  TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(FromVersion, UpgradeTest, ::testing::Values(1, 2));

TEST_P(UpgradeTest, ItIsWholeAndACopyOfTheOldOneIsBeside) {
  Database db = open_database(file());
  EXPECT_EQ(db.version(), Database::newest_version());
  EXPECT_TRUE(db.check());
  EXPECT_TRUE(std::filesystem::exists(fmt::format("{}.before-{}", file().string(), GetParam() + 1)));
}

TEST_P(UpgradeTest, TheInventoryReadsAsBefore) {
  Database db = open_database(file());
  Inventory inventory(db);
  EXPECT_EQ(inventory.customer("acme").value().timezone, "Europe/Paris");
  EXPECT_EQ(inventory.customer("globex").value().timezone, "");
  const auto credential = inventory.credential("acme/ssh").value();
  EXPECT_EQ(credential.sealed_password, (std::string{"\0\xff", 2}));
  const Device device = inventory.device("acme", "sw-1").value();
  EXPECT_EQ(device.credential, credential.id);
  EXPECT_THAT(device.tags, ElementsAre("core"));
  EXPECT_FALSE(inventory.device("globex", "fw-1").value().enabled);
  EXPECT_EQ(inventory.host_key(device.id).value()->fingerprint, "SHA256:abc");
  EXPECT_EQ(inventory.retry_rule({Level::device, {}, device.id}).value().rule.attempts,
            (rules::Resolved<int>{5, Level::customer}));
  Selector all;
  all.all = true;
  EXPECT_EQ(inventory.devices(all, 1).value().at(0).last_backup_at, at(305));
}

TEST_P(UpgradeTest, TheTimeZoneOfACustomerIsAFieldOfItsScheduleAndUtcIsInherited) {
  Database db = open_database(file());
  Settings settings(db);
  const auto all = settings.all<schedule::ScheduleFields>().value();
  EXPECT_EQ(all.in_force(CustomerId{1}).timezone.value.name(), "Europe/Paris");
  EXPECT_EQ(all.in_force(CustomerId{1}).timezone.origin, Level::customer);
  EXPECT_EQ(all.in_force(CustomerId{2}).timezone, (rules::Resolved<schedule::Zone>{{}, Level::built_in}));
}

TEST_P(UpgradeTest, AnEndedSeriesKeepsItsAttemptsDecisionsAndBackup) {
  Database db = open_database(file());
  const SeriesDetail detail = SeriesBook(db).detail(SeriesId{1}).value();
  EXPECT_EQ(detail.series.machine.state, State::succeeded);
  EXPECT_EQ(detail.series.customer, CustomerId{1});
  EXPECT_FALSE(detail.series.run);
  EXPECT_EQ(detail.series.held, Milliseconds{0});
  EXPECT_EQ(detail.series.ended_at, at(400));
  ASSERT_EQ(detail.attempts.size(), 2u);
  const AttemptRow& first = detail.attempts[0];
  EXPECT_EQ(first.queued, Milliseconds{1500});
  EXPECT_EQ(first.held, Milliseconds{0});
  EXPECT_FALSE(first.held_by);
  ASSERT_TRUE(first.failure);
  EXPECT_EQ(first.failure->reason, "no prompt");
  EXPECT_EQ(first.failure->transcript_tail, std::string(3000, 't'));
  ASSERT_TRUE(first.decision);
  EXPECT_EQ(first.decision->decision.next_attempt_at, at(305));
  EXPECT_EQ(first.decision->rule.rule, rule_of_acme().rule);
  EXPECT_EQ(first.decision->rule.origin_name(Level::customer), "acme");
  ASSERT_TRUE(detail.backup);
  EXPECT_TRUE(detail.backup->changed);
  EXPECT_EQ(Revisions(db).text(detail.backup->revision).value(), config);
}

TEST_P(UpgradeTest, ASeriesThatWaitsKeepsItsPlaceAndItsOwner) {
  Database db = open_database(file());
  SeriesBook book(db);
  const SeriesDetail detail = book.detail(SeriesId{2}).value();
  EXPECT_EQ(detail.series.machine.state, State::retry_wait);
  EXPECT_EQ(detail.series.machine.due, at(305));
  EXPECT_EQ(detail.series.machine.counted, 1);
  EXPECT_EQ(detail.series.machine.previous_wait, Seconds{300});
  EXPECT_EQ(detail.series.owner, "cli");
  EXPECT_EQ(detail.series.lease_until, far_lease);
  EXPECT_EQ(book.evidence(detail.attempts.at(0).id).value(), "hostname sw-2\n");
  EXPECT_EQ(book.waiting("cli", {CustomerId{1}, true}, at(305), 10).value().at(0).id, SeriesId{2});
  ASSERT_TRUE(book.release("cli"));
  EXPECT_EQ(book.waiting("", {CustomerId{1}, true}, at(305), 10).value().at(0).id, SeriesId{2});
}

TEST_P(UpgradeTest, AnAttemptThatWasUnderWayIsFoundAndEnds) {
  Database db = open_database(file());
  SeriesBook book(db);
  const auto orphans = book.held_by("cli").value();
  ASSERT_EQ(orphans.size(), 2u);
  ASSERT_TRUE(orphans[1].running);
  AttemptEnd end = retry_of(orphans[1].series.id, orphans[1].running->id, orphans[1].series.machine,
                            failure(FailureClass::dropped, Stage::command, "closed"), at(50), at(350));
  end.keep_claim = false;
  ASSERT_TRUE(book.end_attempt(end));
  EXPECT_EQ(book.waiting("", {CustomerId{2}, true}, at(350), 10).value().at(0).id, SeriesId{3});
}

TEST_P(UpgradeTest, ADeviceGoesOnWithTheNextBackup) {
  Database db = open_database(file());
  SeriesBook book(db);
  const SeriesId id =
      book.open({DeviceId{1}}, series::Trigger::manual, at(1000), "me", far_lease).value().at(0).series;
  EXPECT_EQ(id, SeriesId{5});  // the id of the removed one does not come back
  const AttemptBegin begin = beginning_of(id, book.find(id).value().machine, at(1000));
  const AttemptId attempt = book.begin_attempt(begin, "me").value();
  const auto backup =
      book.end_attempt(success_of(id, attempt, begin.after, backup_of(std::string{config}), at(1001)))
          .value();
  ASSERT_TRUE(backup);
  EXPECT_FALSE(backup->changed);
  EXPECT_EQ(backup->revision, RevisionId{1});
}

TEST_P(UpgradeTest, ItsDevicesWereThereAtAnyTimeAndFireWithTheirSchedule) {
  Database db = open_database(file());
  RunBook runs(db);
  ASSERT_TRUE(runs.add(CustomerId{1}, at(0), RunKind::late, {"0 2 * * *", "Europe/Paris"}, at(9)));
  const store::Run run = runs.unfinished().value().at(0);
  const auto candidates = runs.candidates(run, {}, 10).value();
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[0].device, DeviceId{1});
  EXPECT_EQ(candidates[1].open, SeriesId{2});
}

TEST_P(UpgradeTest, ACustomerIsRemovedWithAllOfItsOldRows) {
  Database db = open_database(file());
  ASSERT_TRUE(Inventory(db).remove_customer(CustomerId{1}));
  EXPECT_TRUE(db.check());
  EXPECT_THAT(SeriesBook(db).list({}).value(), ::testing::SizeIs(1));
  EXPECT_THAT(Revisions(db).history(DeviceId{1}).value(), IsEmpty());
}

// Without a row there is nothing that tells how far the ids had come, but for what SQLite remembers.
TEST(UpgradeOfAnEmptyBook, TheIdsOfRemovedSeriesDoNotComeBack) {
  const TemporaryFolder folder;
  const auto file = folder / "nightjar.db";
  std::ofstream(file).flush();
  {
    auto old = Database::Connection::open(file).value();
    ASSERT_TRUE(migrate(*old, migrations().first(1)));
    write_version_1(*old);
    old->execute("DELETE FROM series");
  }
  Database db = open_database(file);
  const auto opened =
      SeriesBook(db).open({DeviceId{1}}, series::Trigger::manual, at(0), "me", far_lease).value();
  EXPECT_EQ(opened.at(0).series, SeriesId{5});
}

}  // namespace
}  // namespace nightjar::store
