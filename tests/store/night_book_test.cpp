// A night of made-up series read back as the morning report gets it: 29 to 30 November 2026 in Paris.
#include "store_fixture.hpp"

#include <nightjar/report/model.hpp>
#include <nightjar/store/night_book.hpp>

#include <algorithm>

namespace nightjar::store {
namespace {

using report::Evidence;
using series::State;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

UtcTime utc(std::string_view text) {
  return parse_rfc3339(text).value();
}

const UtcTime two = utc("2026-11-30T01:00:00Z");  // 02:00 in Paris
const UtcTime seven_thirty = utc("2026-11-30T06:30:00Z");
const report::Date thirtieth = report::parse_date("2026-11-30").value();

Failure no_answer() {
  return failure(FailureClass::unreachable, Stage::connect, "no answer from 192.0.2.10:22 within 30 s");
}
Failure rejected() {
  return failure(FailureClass::auth, Stage::auth, "password rejected");
}

class NightBookTest : public StoreTest {
 protected:
  NightBookTest() { created(utc("2026-01-01T00:00:00Z")); }

  void created(UtcTime when) { db_.connection().run("UPDATE device SET created_ms = ?1", when); }
  DeviceId add(const std::string& name, CustomerId customer) {
    const DeviceId id = inventory_.add_device(device_named(customer, name)).value();
    created(utc("2026-01-01T00:00:00Z"));
    return id;
  }

  // One that fails for good at `when` + 1 min; of a `held` one the attempt had waited behind the breaker.
  SeriesId fail(DeviceId device, UtcTime when, Failure why, Milliseconds held = {},
                std::string transport = "ssh") {
    const SeriesId id = open_series(device, when);
    auto beginning = beginning_of(id, book_.find(id).value().machine, when);
    beginning.held = held;
    const AttemptId attempt = book_.begin_attempt(beginning, "me").value();
    AttemptEnd end =
        retry_of(id, attempt, beginning.after, std::move(why), when + Seconds{60}, when + Seconds{60});
    end.transport = std::move(transport);
    end.after.state = State::failed;
    end.after.end = series::End::permanent;
    end.after.due.reset();
    end.decision.decision = {.action = series::Action::end};
    book_.end_attempt(end).value();
    return id;
  }
  // One that is tried again, and then either stays so or succeeds.
  SeriesId retry(DeviceId device, UtcTime when, UtcTime next) {
    const Begun begun = begin(open_series(device, when), when);
    book_.end_attempt(retry_of(begun.series, begun.attempt, begun.machine, no_answer(), when, next)).value();
    return begun.series;
  }
  void repair(DeviceId device, UtcTime when, const std::string& text) {
    const Begun begun = begin(retry(device, when, when + Seconds{300}), when + Seconds{300});
    book_
        .end_attempt(
            success_of(begun.series, begun.attempt, begun.machine, backup_of(text), when + Seconds{301}))
        .value();
  }

  report::Input input(std::optional<CustomerId> customer = {}, UtcTime now = seven_thirty) {
    return nights_.input(customer, thirtieth, now).value();
  }

  NightBook nights_{db_};
};

TEST_F(NightBookTest, ItIsTheNightOfTheReportsTimeInTheScopesZone) {
  EXPECT_EQ(input().night.end, utc("2026-11-30T07:30:00Z"));
  const auto acme = input(customer_);
  EXPECT_EQ(acme.customer_name, "acme");
  EXPECT_EQ(acme.night.end, seven_thirty);
  EXPECT_EQ(acme.nights.size(), 30u);
  EXPECT_EQ(acme.nights.back(), acme.night);
  report::ReportLayer layer;
  ASSERT_TRUE(rules::assign<report::ReportFields>(layer, "cron", "0 6 * * *"));
  ASSERT_TRUE(settings_.set_layer<report::ReportFields>({rules::Level::customer, customer_, {}}, layer));
  EXPECT_EQ(input(customer_).night.end, utc("2026-11-30T05:00:00Z"));
}

TEST_F(NightBookTest, WhatWentWellIsCountedByTheHourItEndedIn) {
  back_up(device_, backup_of("a\n"), two - std::chrono::days{1});
  back_up(device_, backup_of("a\n"), two);
  back_up(add_device("sw-2"), backup_of("b\n"), two + std::chrono::hours{2});
  repair(add_device("sw-3"), two + std::chrono::minutes{58}, "c\n");
  created(utc("2026-01-01T00:00:00Z"));
  const auto in = input(customer_);
  EXPECT_EQ(in.counts.backed_up, 3u);
  EXPECT_EQ(in.counts.devices, 3u);
  EXPECT_EQ(in.counts.repaired, 1u);
  EXPECT_EQ(in.counts.changed, 2u);
  ASSERT_THAT(in.hours, SizeIs(3));
  EXPECT_EQ(in.hours[0].begin, two);
  EXPECT_EQ(in.hours[0].backed_up, 1u);
  EXPECT_EQ(in.hours[1].begin, two + std::chrono::hours{1});
  EXPECT_EQ(in.hours[1].repaired, 1u);
  EXPECT_THAT(in.failed, IsEmpty());
  EXPECT_THAT(in.never, IsEmpty());
}

TEST_F(NightBookTest, AFailedDeviceComesOnceWithItsNewestSeries) {
  const auto week_ago = two - std::chrono::days{7};
  back_up(device_, backup_of("a\n"), week_ago);
  for (int ago = 5; ago > 0; --ago) fail(device_, two - std::chrono::days{ago}, no_answer());
  const SeriesId first = fail(device_, two, no_answer());
  const SeriesId newest = fail(device_, two + std::chrono::hours{1}, rejected());
  const auto in = input(customer_);
  EXPECT_EQ(in.counts.failed, 2u);
  ASSERT_THAT(in.failed, SizeIs(1));
  const report::FailedDevice& device = in.failed[0];
  EXPECT_EQ(device.place.name, "sw-1");
  EXPECT_EQ(device.place.customer_name, "acme");
  EXPECT_EQ(device.series, newest);
  EXPECT_THAT(device.earlier, ElementsAre(first));
  EXPECT_EQ(device.failure, rejected());
  EXPECT_EQ(device.failing.evidence, Evidence::rejected);
  EXPECT_EQ(device.end, series::End::permanent);
  EXPECT_EQ(device.tries, 1);
  EXPECT_EQ(device.allowed, 3);
  EXPECT_EQ(device.last_good, week_ago);
  EXPECT_EQ(device.since, two - std::chrono::days{5});
  EXPECT_EQ(report::build(in).own.at(0).nights, 6);
  EXPECT_THAT(in.past, SizeIs(7));
}

TEST_F(NightBookTest, ABackupAfterTheFailureDoesNotHideHowLongItHadFailed) {
  fail(device_, two - std::chrono::days{2}, no_answer());
  fail(device_, two, no_answer());
  back_up(device_, backup_of("a\n"), two + std::chrono::hours{1});
  const auto in = input(customer_);
  EXPECT_EQ(in.failed.at(0).since, two - std::chrono::days{2});
  EXPECT_EQ(in.failed.at(0).last_good, two + std::chrono::hours{1});
}

TEST_F(NightBookTest, WhatFailuresTellAboutOthersIsReadOffClassAndTransport) {
  const DeviceId refused = add("sw-2", customer_), held = add("sw-3", customer_),
                 own = add("sw-4", customer_);
  Credential credential;
  credential.customer = customer_;
  credential.name = "ssh";
  credential.id = inventory_.add_credential(credential).value();
  Device device = inventory_.device(refused).value();
  device.credential = credential.id;
  ASSERT_TRUE(inventory_.update_device(device));
  fail(device_, two, no_answer());
  fail(refused, two, failure(FailureClass::auth, Stage::none, "credential acme/ssh rejected by 3 devices"),
       {}, "");
  fail(held, two, no_answer(), Seconds{90});
  fail(own, two, failure(FailureClass::busy, Stage::login, "all vty lines in use"));
  const auto failed = input(customer_).failed;
  ASSERT_THAT(failed, SizeIs(4));
  EXPECT_EQ(failed[0].failing.evidence, Evidence::unreachable);
  EXPECT_FALSE(failed[0].failing.held);
  EXPECT_EQ(failed[1].failing.evidence, Evidence::refused);
  EXPECT_EQ(failed[1].failing.credential, credential.id);
  EXPECT_EQ(failed[1].credential_name, "acme/ssh");
  EXPECT_TRUE(failed[2].failing.held);
  EXPECT_EQ(failed[3].failing.evidence, Evidence::none);
}

TEST_F(NightBookTest, OpenAndCancelledSeriesAreRows) {
  const SeriesId waiting = retry(device_, two, seven_thirty + Seconds{92});
  const DeviceId other = add("sw-2", customer_);
  const SeriesId stopped = open_series(other, two);
  auto machine = book_.find(stopped).value().machine;
  machine.state = State::cancelled;
  machine.due.reset();
  ASSERT_TRUE(book_.update(stopped, machine, two + Seconds{200}));
  open_series(add("sw-3", customer_), two);
  const auto in = input(customer_);
  EXPECT_EQ(in.counts.retrying, 1u);
  EXPECT_EQ(in.counts.pending, 1u);
  ASSERT_THAT(in.retrying, SizeIs(1));
  EXPECT_EQ(in.retrying[0].series, waiting);
  EXPECT_EQ(in.retrying[0].failure, no_answer());
  EXPECT_EQ(in.retrying[0].tries, 1);
  EXPECT_EQ(in.retrying[0].allowed, 3);
  EXPECT_EQ(in.retrying[0].next_at, seven_thirty + Seconds{92});
  ASSERT_THAT(in.cancelled, SizeIs(1));
  EXPECT_EQ(in.cancelled[0].series, stopped);
  EXPECT_EQ(in.cancelled[0].at, two + Seconds{200});
}

TEST_F(NightBookTest, DevicesWithoutACopyWithAnOldOneAndDisabledOnesAreListed) {
  const DeviceId stale = add("sw-2", customer_), fresh = add("sw-3", customer_), off = add("sw-4", customer_);
  const UtcTime old = two - std::chrono::days{15};
  for (const DeviceId device : {stale, off}) back_up(device, backup_of("a\n"), old);
  back_up(fresh, backup_of("a\n"), two - std::chrono::days{13});
  Device device = inventory_.device(off).value();
  device.enabled = false;
  ASSERT_TRUE(inventory_.update_device(device));
  auto in = input(customer_);
  ASSERT_THAT(in.never, SizeIs(1));
  EXPECT_EQ(in.never[0].place.device, device_);
  EXPECT_EQ(in.never[0].added_at, utc("2026-01-01T00:00:00Z"));
  EXPECT_EQ(in.never[0].next_run, utc("2026-12-01T01:00:00Z"));
  ASSERT_THAT(in.stale, SizeIs(2));
  EXPECT_EQ(in.stale[0].place.device, stale);
  EXPECT_EQ(in.stale[0].last_good, old);
  EXPECT_FALSE(in.stale[1].enabled);
  ASSERT_THAT(in.disabled, SizeIs(1));
  EXPECT_EQ(in.disabled[0].last_good, old);

  report::ReportLayer layer;
  layer.stale_after_days = 20;
  ASSERT_TRUE(settings_.set_layer<report::ReportFields>({rules::Level::customer, customer_, {}}, layer));
  layer.stale_after_days = 12;
  ASSERT_TRUE(settings_.set_layer<report::ReportFields>({rules::Level::device, {}, fresh}, layer));
  in = input(customer_);
  ASSERT_THAT(in.stale, SizeIs(1));
  EXPECT_EQ(in.stale[0].place.device, fresh);
  EXPECT_EQ(in.stale[0].stale_after_days, 12);
}

TEST_F(NightBookTest, MissedAndLateRunsHaveARowEach) {
  const ScheduleKey nightly{"0 2 * * *", "Europe/Paris"};
  const UtcTime noticed = two + std::chrono::hours{3};
  const auto run = [&](UtcTime when, RunKind kind) {
    const RunId id = runs_.add(customer_, when, kind, nightly, noticed).value();
    store::Run row;
    row.id = id;
    row.customer = customer_;
    row.scheduled_for = when;
    ASSERT_TRUE(runs_.open_series(row, kind, {device_}, noticed));
    ASSERT_TRUE(runs_.set_opened_to(id, std::nullopt));
  };
  run(two - std::chrono::hours{8}, RunKind::missed);
  run(two, RunKind::late);
  const auto in = input(customer_);
  EXPECT_EQ(in.counts.missed, 1u);
  EXPECT_EQ(in.counts.pending, 1u);
  ASSERT_THAT(in.missed, SizeIs(1));
  EXPECT_EQ(in.missed[0].customer_name, "acme");
  EXPECT_EQ(in.missed[0].scheduled_for, two - std::chrono::hours{8});
  EXPECT_EQ(in.missed[0].noticed_at, noticed);
  EXPECT_EQ(in.missed[0].catch_up, Seconds{21600});
  EXPECT_EQ(in.missed[0].next, two + std::chrono::days{1});
  ASSERT_THAT(in.caught_up, SizeIs(1));
  EXPECT_EQ(in.caught_up[0].devices, 1u);
  EXPECT_EQ(in.caught_up[0].started_at, noticed);
}

TEST_F(NightBookTest, ARunThatNothingHasStartedIsMissedWhereThereWasADaemon) {
  ASSERT_TRUE(runs_.set_handled({customer_, {"0 2 * * *", "Europe/Paris"}, two - std::chrono::days{1}}));
  EXPECT_THAT(input(customer_).missed, IsEmpty());
  ASSERT_TRUE(breakers_.put(Daemon{"me", 1, at(0), at(4), "", 0}));
  const auto in = input(customer_);
  ASSERT_THAT(in.missed, SizeIs(1));
  EXPECT_EQ(in.missed[0].scheduled_for, two);
  EXPECT_EQ(in.missed[0].devices, 1u);
  EXPECT_FALSE(in.missed[0].noticed_at);
  EXPECT_THAT(input(customer_, two + Seconds{30}).missed, IsEmpty());
  EXPECT_THAT(input(customer_, two - std::chrono::hours{1}).missed, IsEmpty());
}

TEST_F(NightBookTest, BreakersThatWereOpenInTheNightAreKnown) {
  CustomerBreakerRow row;
  row.breaker.opened_at = row.breaker.probe_at = two;
  ASSERT_TRUE(breakers_.put(customer_, row));
  EXPECT_EQ(input(customer_).breakers.at(0).opened_at, two);
  EXPECT_EQ(input().breakers.at(0).customer_name, "acme");
  row.breaker = {};
  row.was_open = two - std::chrono::days{3};
  row.closed_at = two - std::chrono::days{2};
  ASSERT_TRUE(breakers_.put(customer_, row));
  EXPECT_THAT(input(customer_).breakers, IsEmpty());
}

TEST_F(NightBookTest, OfOneCustomerNothingOfOthersIsRead) {
  const CustomerId other = inventory_.add_customer({{}, "globex", ""}).value();
  const DeviceId theirs = add("fw-1", other);
  fail(theirs, two, no_answer());
  back_up(device_, backup_of("a\n"), two);
  const auto in = input(customer_);
  EXPECT_EQ(in.counts.failed, 0u);
  EXPECT_THAT(in.failed, IsEmpty());
  EXPECT_THAT(in.past, IsEmpty());
  EXPECT_THAT(in.never, IsEmpty());
  EXPECT_EQ(input(other).counts.failed, 1u);
  EXPECT_EQ(input().counts.failed, 1u);
  EXPECT_EQ(input().counts.backed_up, 1u);
}

TEST_F(NightBookTest, TheNewestReportIsTodaysAndBeforeItsTimeTheNightSoFar) {
  back_up(device_, backup_of("a\n"), two);
  EXPECT_EQ(nights_.newest(customer_, two + Seconds{60}).value(), thirtieth);
  EXPECT_EQ(nights_.newest(customer_, seven_thirty + Seconds{60}).value(), thirtieth);
  EXPECT_EQ(nights_.newest(customer_, utc("2026-11-30T22:59:00Z")).value(), thirtieth);
  EXPECT_EQ(nights_.newest(customer_, utc("2026-11-30T23:01:00Z")).value(), report::parse_date("2026-12-01"));
}

TEST_F(NightBookTest, WhatWasBackedUpAfterAnEmptyNightIsInTheReportToCome) {
  const UtcTime afternoon = utc("2026-11-30T15:00:00Z");
  EXPECT_EQ(nights_.newest(customer_, afternoon).value(), thirtieth);
  back_up(device_, backup_of("a\n"), afternoon - Seconds{60});
  EXPECT_EQ(nights_.newest(customer_, afternoon).value(), report::parse_date("2026-12-01"));
}

std::vector<std::string> plans(Database& db) {
  std::vector<std::string> statements, lines;
  for (sqlite3_stmt* s = nullptr; (s = sqlite3_next_stmt(db.connection().handle(), s)) != nullptr;)
    if (std::string_view{sqlite3_sql(s)}.starts_with("SELECT")) statements.emplace_back(sqlite3_sql(s));
  for (const std::string& sql : statements) {
    Statement row(db.connection(), "EXPLAIN QUERY PLAN " + sql);
    while (row.step()) {
      Columns columns(row);
      for (int i = 0; i < 3; ++i) columns.next<int>();
      lines.push_back(columns.next<std::string>());
    }
  }
  return lines;
}

TEST_F(NightBookTest, OneCustomersNightIsReadFromIndexesAndThePlatformsWalksOnlyThroughItsDevices) {
  fail(device_, two, no_answer());
  back_up(add("sw-2", customer_), backup_of("a\n"), two);
  retry(add("sw-3", customer_), two, seven_thirty);
  ASSERT_TRUE(breakers_.put(Daemon{"me", 1, at(0), at(4), "", 0}));
  input(customer_);
  const auto walks = [&] {
    std::vector<std::string> found;
    for (const std::string& line : plans(db_))
      if (line.starts_with("SCAN") && line != "SCAN CONSTANT ROW" && line != "SCAN sqlite_master")
        found.push_back(line);
    return found;
  };
  // All that waits, everywhere; the breakers and schedules there are.
  for (const std::string& line : walks())
    EXPECT_TRUE(line == "SCAN s USING INDEX series_open" || line.starts_with("SCAN setting") ||
                line == "SCAN h")
        << line;
  EXPECT_TRUE(std::ranges::any_of(plans(db_), [](const std::string& line) {
    return line.find("series_of_customer (customer_id=? AND scheduled_for_ms>?") != std::string::npos;
  }));
  input();
  EXPECT_EQ(std::ranges::count(walks(), "SCAN series"), 0);
  EXPECT_EQ(std::ranges::count(walks(), "SCAN s"), 0);
}

}  // namespace
}  // namespace nightjar::store
