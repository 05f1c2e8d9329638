// report, and report show and set.
#include "cli/cli_fixture.hpp"

#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/runs.hpp>

#include <gmock/gmock.h>

namespace nightjar::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ReportCommands : public Cli {
 protected:
  void SetUp() override { set_up_acme(); }

  void add_device(const std::string& name) {
    ASSERT_EQ(nightjar({"device", "add", name, "--address", "127.0.0.1", "--port", "1", "--driver", "ios",
                        "--credential", "acme/core"})
                  .exit,
              0);
  }
  // A device that nothing answers for, tried once: a night that failed.
  void back_up_in_vain() {
    add_device("acme/core-01");
    ASSERT_EQ(nightjar({"rule", "set", "--platform", "attempts=1"}).exit, 0);
    ASSERT_EQ(nightjar({"backup", "--all", "--quiet"}).exit, 1);
  }
};

TEST_F(ReportCommands, ANightInWhichNothingWasDueExitsWithTwo) {
  const Answer answer = nightjar({"report", "--date", "2026-11-30"});
  EXPECT_EQ(answer.exit, 2);
  EXPECT_EQ(answer.out, "30 Nov 2026: Nothing was due.\n");
}

TEST_F(ReportCommands, ANightThatFailedExitsWithOneAndNamesTheSeriesOnce) {
  back_up_in_vain();
  const Answer answer = nightjar({"report", "--format", "json"});
  EXPECT_EQ(answer.exit, 1);
  const auto report = answer.json();
  EXPECT_EQ(report.at("verdict"), "failed");
  EXPECT_EQ(report.at("counts").at("failed"), 1);
  EXPECT_EQ(report.at("counts").at("due"), 1);
  ASSERT_EQ(report.at("failed").size(), 1u);
  const auto& failed = report.at("failed")[0];
  EXPECT_EQ(failed.at("customer"), "acme");
  EXPECT_EQ(failed.at("device"), "core-01");
  EXPECT_EQ(failed.at("class"), "unreachable");
  EXPECT_EQ(failed.at("attempts"), 1);
  EXPECT_EQ(failed.at("failing_nights"), 1);
  EXPECT_EQ(failed.at("failing_since"), report.at("date"));
  EXPECT_EQ(failed.at("last_good_at"), nullptr);
  EXPECT_EQ(report.at("never_backed_up")[0].at("failed"), true);
  EXPECT_THAT(report.at("shared_causes"), IsEmpty());
  EXPECT_EQ(report.at("nights").size(), 30u);
  EXPECT_EQ(report.at("nights")[29].at("failed_own"), 1);
}

TEST_F(ReportCommands, TheSameReportComesAsTextMailAndTable) {
  back_up_in_vain();
  const std::string text = nightjar({"report"}).out;
  EXPECT_THAT(text, StartsWith("NIGHTJAR  morning report"));
  EXPECT_THAT(text, HasSubstr("core-01  (acme)"));
  EXPECT_THAT(nightjar({"report", "--format", "html"}).out, StartsWith("<!doctype html>"));
  const std::string csv = nightjar({"report", "--format", "csv"}).out;
  EXPECT_THAT(csv, StartsWith("section,customer,device,series,cause,class,reason,attempts,failing_since,"
                              "failing_nights,at,last_good_at,devices\r\nfailed,acme,core-01,"));
  EXPECT_THAT(csv, HasSubstr("\r\nnever_backed_up,acme,core-01,"));
  EXPECT_EQ(nightjar({"report", "--output", "csv"}).out, csv);
  EXPECT_EQ(nightjar({"report", "--json"}).json(), nightjar({"report", "--format", "json"}).json());
}

TEST_F(ReportCommands, AMissedRunIsNotWell) {
  add_device("acme/core-01");
  {
    auto db = store::Database::open(data_ + "/nightjar.db", store::Database::Access::read_write).value();
    const auto device = store::Inventory{db}.device("acme", "core-01").value();
    const UtcTime two = *parse_rfc3339("2026-11-30T02:00:00Z");
    store::Run run;
    run.customer = device.customer;
    run.scheduled_for = two;
    run.id =
        store::RunBook{db}.add(run.customer, two, store::RunKind::missed, {"0 2 * * *", "UTC"}, two).value();
    store::RunBook{db}.open_series(run, store::RunKind::missed, {device.id}, two).value();
  }
  const Answer answer = nightjar({"report", "--date", "2026-11-30", "--json"});
  EXPECT_EQ(answer.exit, 1);
  EXPECT_EQ(answer.json().at("counts").at("missed"), 1);
  EXPECT_EQ(answer.json().at("missed")[0].at("customer"), "acme");
  EXPECT_EQ(nightjar({"report", "--date", "2026-11-29"}).exit, 2);
}

TEST_F(ReportCommands, WhatIsWrongWithTheLineIsSaid) {
  EXPECT_THAT(nightjar({"report", "--date", "yesterday"}).err,
              HasSubstr("--date: \"yesterday\" is not a date such as 2026-11-30"));
  EXPECT_THAT(nightjar({"report", "--customer", "acmee"}).err, HasSubstr("did you mean \"acme\"?"));
  EXPECT_EQ(nightjar({"report", "--format", "pdf"}).exit, 3);
  EXPECT_THAT(nightjar({"report", "--json", "--format", "html"}).err, HasSubstr("contradict each other"));
}

TEST_F(ReportCommands, ItsSettingsAreShownWithTheirOrigins) {
  ASSERT_EQ(nightjar({"report", "set", "--platform", "stale_after_days=30"}).exit, 0);
  ASSERT_EQ(nightjar({"customer", "set", "acme", "--timezone", "Asia/Tokyo"}).exit, 0);
  ASSERT_EQ(nightjar({"report", "set", "--customer", "acme", "cron=0 6 * * *"}).exit, 0);
  const auto shown = nightjar({"report", "show", "--customer", "acme", "--json"}).json();
  EXPECT_EQ(shown.at("cron"),
            nlohmann::json::parse(R"({"value":"0 6 * * *","origin":"customer","origin_name":"acme"})"));
  EXPECT_EQ(shown.at("stale_after_days"),
            nlohmann::json::parse(R"({"value":30,"origin":"platform","origin_name":null})"));
  EXPECT_EQ(shown.at("enabled").at("origin"), "built-in");
  EXPECT_THAT(shown.at("next_report_at").get<std::string>(), ::testing::EndsWith("T21:00:00Z"));
  EXPECT_THAT(nightjar({"report", "show", "--customer", "acme"}).out, HasSubstr(" 06:00 JST."));
  EXPECT_THAT(nightjar({"report", "show", "--platform", "enabled=false"}).out,
              HasSubstr("No report is sent."));
}

TEST_F(ReportCommands, ADeviceHasAnAgeOfItsOwnButNoReport) {
  add_device("acme/core-01");
  EXPECT_EQ(nightjar({"report", "set", "--device", "acme/core-01", "stale_after_days=60"}).exit, 0);
  const Answer answer = nightjar({"report", "set", "--device", "acme/core-01", "cron=@daily"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("a device has no report of its own"));
  EXPECT_THAT(answer.err, HasSubstr("--customer acme"));
}

TEST_F(ReportCommands, AValueOutOfBoundsIsRefused) {
  EXPECT_THAT(nightjar({"report", "set", "--platform", "stale_after_days=0"}).err,
              HasSubstr("stale_after_days: '0' is not a whole number from 1 to 3650"));
}

}  // namespace
}  // namespace nightjar::cli
