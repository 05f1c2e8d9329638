#include "report/given.hpp"

namespace nightjar::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names(const std::vector<FailedDevice>& devices) {
  std::vector<std::string> all;
  for (const FailedDevice& device : devices) all.push_back(device.place.name);
  return all;
}

Breaker open_breaker(std::string_view since) {
  return {acme, "acme", utc(since), {}, {}};
}

TEST(ReportModel, DevicesThatFailOnTheirOwnComeLongestFailingFirst) {
  const Report report =
      build(night_with({failed(1), failing_since(failed(2), "2026-11-29T01:00:00Z"),
                        failing_since(failed(3), "2026-11-11T01:00:00Z"), failed(4, globex)}));
  EXPECT_THAT(names(report.own), ElementsAre("sw-3", "sw-2", "sw-1", "sw-4"));
  EXPECT_EQ(report.own[0].nights, 20);
  EXPECT_EQ(report.own[1].nights, 2);
  EXPECT_EQ(report.own[2].nights, 1);
  EXPECT_THAT(report.shared, IsEmpty());
}

TEST(ReportModel, NightsAreCountedBeyondTheTrend) {
  const Report report = build(night_with({failing_since(failed(1), "2026-01-01T01:00:00Z")}));
  EXPECT_EQ(report.own[0].nights, 334);
}

TEST(ReportModel, UnreachableDevicesBehindAnOpenBreakerAreOneCause) {
  Input in = night_with({telling(failed(1), Evidence::unreachable), telling(failed(2), Evidence::unreachable),
                         failed(3), telling(failed(4, globex), Evidence::unreachable)});
  in.breakers = {open_breaker("2026-11-30T01:30:00Z")};
  const Report report = build(in);
  ASSERT_EQ(report.shared.size(), 1u);
  EXPECT_EQ(report.shared[0].kind, SharedCause::Kind::breaker);
  EXPECT_EQ(report.shared[0].customer_name, "acme");
  EXPECT_EQ(report.shared[0].open_since, utc("2026-11-30T01:30:00Z"));
  EXPECT_THAT(names(report.shared[0].devices), ElementsAre("sw-1", "sw-2"));
  EXPECT_THAT(names(report.own), ElementsAre("sw-3", "sw-4"));
  EXPECT_EQ(report.open_breakers.size(), 1u);
  EXPECT_EQ(devices_by_shared_causes(report), 2u);
}

TEST(ReportModel, WhatEndedBeforeTheBreakerOpenedOrAfterItClosedIsTheDevicesOwn) {
  FailedDevice early = telling(failed(1), Evidence::unreachable);
  early.failing.ended_at = utc("2026-11-30T01:10:00Z");
  FailedDevice during = telling(failed(2), Evidence::unreachable);
  FailedDevice late = telling(failed(3), Evidence::unreachable);
  late.failing.ended_at = utc("2026-11-30T03:10:00Z");
  late.failing.held = true;
  Input in = night_with({early, during, late});
  in.breakers = {{acme, "acme", {}, utc("2026-11-30T01:30:00Z"), utc("2026-11-30T03:00:00Z")}};
  const Report report = build(in);
  ASSERT_EQ(report.shared.size(), 1u);
  EXPECT_THAT(names(report.shared[0].devices), ElementsAre("sw-2"));
  EXPECT_EQ(report.shared[0].open_until, utc("2026-11-30T03:00:00Z"));
  EXPECT_THAT(names(report.own), ElementsAre("sw-1", "sw-3"));
  EXPECT_THAT(report.open_breakers, IsEmpty());
}

TEST(ReportModel, OfABreakerThatNobodyRemembersTheAttemptsThatWaitedTell) {
  FailedDevice held = telling(failed(1), Evidence::unreachable);
  held.failing.held = true;
  const Report report = build(night_with({held, telling(failed(2), Evidence::unreachable)}));
  ASSERT_EQ(report.shared.size(), 1u);
  EXPECT_THAT(names(report.shared[0].devices), ElementsAre("sw-1"));
  EXPECT_FALSE(report.shared[0].open_since);
}

TEST(ReportModel, ARejectedCredentialIsOneCauseWithTheDevicesThatWereNotTried) {
  const CredentialId netops{7};
  const Report report = build(night_with(
      {telling(failed(1), Evidence::rejected, netops), telling(failed(2), Evidence::rejected, netops),
       telling(failed(3), Evidence::rejected, netops), telling(failed(4), Evidence::refused, netops),
       telling(failed(5), Evidence::refused, netops),
       telling(failed(6), Evidence::rejected, CredentialId{8})}));
  ASSERT_EQ(report.shared.size(), 1u);
  EXPECT_EQ(report.shared[0].kind, SharedCause::Kind::credential);
  EXPECT_EQ(report.shared[0].credential, "acme/netops");
  EXPECT_EQ(report.shared[0].devices.size(), 5u);
  EXPECT_EQ(report.shared[0].rejected, 3u);
  EXPECT_THAT(names(report.own), ElementsAre("sw-6"));
}

TEST(ReportModel, TwoDevicesThatRejectACredentialAreTwoFailures) {
  const Report report = build(night_with({telling(failed(1), Evidence::rejected, CredentialId{7}),
                                          telling(failed(2), Evidence::rejected, CredentialId{7})}));
  EXPECT_THAT(report.shared, IsEmpty());
  EXPECT_EQ(report.own.size(), 2u);
}

TEST(ReportModel, ACauseSharedByCustomersNamesNone) {
  const CredentialId platforms{7};
  const Report report = build(night_with({telling(failed(1), Evidence::rejected, platforms),
                                          telling(failed(2, globex), Evidence::refused, platforms)}));
  ASSERT_EQ(report.shared.size(), 1u);
  EXPECT_EQ(report.shared[0].customer_name, "");
}

TEST(ReportModel, TheTrendCountsDevicesByNightAndCause) {
  Input in = night_with({telling(failed(1), Evidence::unreachable), failed(2)});
  in.breakers = {open_breaker("2026-11-30T01:30:00Z")};
  Failing again = failed(2).failing;  // the same device, once more that night
  again.scheduled_for += std::chrono::minutes{15};
  in.past.push_back(again);
  Failing before = failed(3).failing;
  before.scheduled_for = utc("2026-11-09T01:00:00Z");
  before.ended_at = before.scheduled_for + std::chrono::hours{1};
  before.evidence = Evidence::unreachable;
  before.held = true;
  in.past.push_back(before);
  const Report report = build(in);
  ASSERT_EQ(report.trend.size(), 30u);
  EXPECT_EQ(report.trend.front().date, date("2026-11-01"));
  EXPECT_EQ(report.trend.back().own, 1u);
  EXPECT_EQ(report.trend.back().shared, 1u);
  EXPECT_EQ(report.trend[8].date, date("2026-11-09"));
  EXPECT_EQ(report.trend[8].shared, 1u);
}

TEST(ReportModel, HoursHaveNoGaps) {
  Input in = night();
  in.hours = {{.begin = utc("2026-11-30T04:00:00Z"), .backed_up = 1},
              {.begin = utc("2026-11-30T01:00:00Z"), .backed_up = 2}};
  const Report report = build(in);
  ASSERT_EQ(report.hours.size(), 4u);
  EXPECT_EQ(report.hours[0].backed_up, 2u);
  EXPECT_EQ(report.hours[2].backed_up, 0u);
  EXPECT_EQ(report.hours[3].begin, utc("2026-11-30T04:00:00Z"));
}

TEST(ReportModel, ANightIsSoFarUntilTheReportsTime) {
  Input in = night();
  EXPECT_FALSE(build(in).so_far);
  in.now = in.night.end - Seconds{1};
  EXPECT_TRUE(build(in).so_far);
  EXPECT_EQ(build(in).as_of, in.now);
  in.now = in.night.end + std::chrono::hours{5};
  EXPECT_EQ(build(in).as_of, in.night.end);
}

TEST(ReportModel, ADeviceThatFailsIsMarkedWhereItIsStaleOrWithoutACopy) {
  Input in = night_with({failed(1), failed(2)});
  in.stale = {{.place = place(1), .last_good = {}, .stale_after_days = 14},
              {.place = place(3), .last_good = {}, .stale_after_days = 14}};
  in.never = {{.place = place(2), .added_at = {}, .next_run = {}}};
  const Report report = build(in);
  EXPECT_TRUE(report.stale[0].failed);
  EXPECT_FALSE(report.stale[1].failed);
  EXPECT_TRUE(report.never[0].failed);
}

TEST(ReportModel, TheVerdictIsFailedWellOrNothingDue) {
  EXPECT_EQ(verdict(build(night())), Verdict::nothing_due);
  EXPECT_EQ(verdict(build(night_with({}))), Verdict::well);
  EXPECT_EQ(verdict(build(night_with({failed(1)}))), Verdict::failed);
  Input missed = night();
  missed.missed = {{.customer_name = "acme", .devices = 3, .noticed_at = {}, .next = {}}};
  EXPECT_EQ(verdict(build(missed)), Verdict::failed);
  Input retrying = night();
  retrying.counts.retrying = 1;
  EXPECT_EQ(verdict(build(retrying)), Verdict::well);
}

TEST(ReportModel, AnOldCopyKeepsANightFromBeingQuiet) {
  Input in = night_with({});
  EXPECT_TRUE(is_quiet(build(in)));
  in.disabled = {{.place = place(1), .last_good = {}}};
  EXPECT_TRUE(is_quiet(build(in)));
  in.stale = {{.place = place(1), .last_good = {}, .stale_after_days = 14, .enabled = false}};
  EXPECT_FALSE(is_quiet(build(in)));
}

TEST(ReportModel, TheSentenceSaysWhatToLookAt) {
  EXPECT_EQ(sentence(build(night())), "Nothing was due.");
  EXPECT_EQ(sentence(build(night_with({failed(1)}))), "1 device failed.");
  Input quiet = night_with({});
  EXPECT_EQ(sentence(build(quiet)), "All 100 devices are backed up.");
  quiet.counts.repaired = 5;
  EXPECT_EQ(sentence(build(quiet)), "All 100 devices are backed up; 5 needed a retry.");
  Input both = night_with({telling(failed(1), Evidence::unreachable), failed(2), failed(3)});
  both.breakers = {open_breaker("2026-11-30T01:30:00Z")};
  EXPECT_EQ(headline(build(both)), "3 things to look at");
  EXPECT_EQ(sentence(build(both)), "2 devices failed on their own, 1 shared cause took 1 more.");
  Input other = night_with({});
  other.counts.retrying = 2;
  other.stale = {{.place = place(1), .last_good = {}, .stale_after_days = 14}};
  EXPECT_EQ(sentence(build(other)), "Nothing failed; 2 still retrying, 1 stale.");
}

}  // namespace
}  // namespace nightjar::report
