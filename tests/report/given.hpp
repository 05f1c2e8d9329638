// A night to report on, and devices that failed in it: 29 to 30 November 2026, 07:30 in Paris.
#pragma once
#include <nightjar/report/model.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace nightjar::report {

inline schedule::Cron cron(std::string_view text) {
  return schedule::Cron::parse(text).value();
}

inline schedule::Zone paris() {
  return schedule::Zone::find("Europe/Paris").value();
}

inline UtcTime utc(std::string_view text) {
  const auto time = parse_rfc3339(text);
  EXPECT_TRUE(time) << text;
  return time.value_or(UtcTime{});
}

inline Date date(std::string_view text) {
  return parse_date(text).value();
}

inline constexpr CustomerId acme{1}, globex{2};

inline Place place(std::int64_t device, CustomerId customer = acme) {
  return {DeviceId{device}, "sw-" + std::to_string(device), customer, customer == acme ? "acme" : "globex"};
}

inline Failure refused_connection() {
  return failure(FailureClass::unreachable, Stage::connect, "connection refused by 192.0.2.10:22");
}

// Failed at 03:00 in Paris after three attempts, for the first time, with a copy of the night before.
inline FailedDevice failed(std::int64_t device, CustomerId customer = acme) {
  FailedDevice row;
  row.place = place(device, customer);
  row.failing = {.device = DeviceId{device},
                 .customer = customer,
                 .credential = {},
                 .scheduled_for = utc("2026-11-30T01:00:00Z"),
                 .ended_at = utc("2026-11-30T02:00:00Z"),
                 .evidence = Evidence::none,
                 .held = false};
  row.series = SeriesId{device * 10};
  row.failure = refused_connection();
  row.transport = "ssh";
  row.tries = row.allowed = 3;
  row.since = row.failing.scheduled_for;
  row.last_good = utc("2026-11-29T01:30:00Z");
  return row;
}

inline FailedDevice telling(FailedDevice row, Evidence evidence, CredentialId credential = {}) {
  row.failing.evidence = evidence;
  row.failing.credential = credential;
  if (credential) row.credential_name = "acme/netops";
  if (evidence == Evidence::rejected || evidence == Evidence::refused) {
    row.failure = failure(FailureClass::auth, Stage::auth, "password rejected");
    row.end = series::End::permanent;
    row.tries = 1;
  }
  return row;
}

inline FailedDevice failing_since(FailedDevice row, std::string_view since) {
  row.since = utc(since);
  row.last_good = row.since - std::chrono::days{1};
  return row;
}

inline Input night() {
  Input in;
  in.zone = paris();
  const auto at = cron("30 7 * * *");
  in.night = night_of(date("2026-11-30"), at, in.zone);
  for (int ago = 29; ago >= 0; --ago) in.nights.push_back(before(in.night, ago, at, in.zone));
  in.now = in.night.end;
  return in;
}

inline Input night_with(std::vector<FailedDevice> failed) {
  Input in = night();
  in.counts.failed = failed.size();
  in.counts.backed_up = 100;
  in.counts.devices = 100 + failed.size();
  for (const FailedDevice& device : failed) in.past.push_back(device.failing);
  in.failed = std::move(failed);
  return in;
}

}  // namespace nightjar::report
