#include "api/exposition.hpp"

#include <nightjar/api/metrics.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::api {
namespace {

using orchestrator::Durations;
using orchestrator::Status;
using testing::Exposition;
using testing::ExpositionReader;
using ::testing::HasSubstr;
using ::testing::Not;

UtcTime at(std::string_view text) {
  return *parse_rfc3339(text);
}

orchestrator::OpenBreaker open_breaker(std::string customer) {
  orchestrator::OpenBreaker breaker;
  breaker.customer = std::move(customer);
  return breaker;
}

// A night with a little of everything.
Status some_night() {
  Status status;
  status.at = at("2026-11-30T02:10:00Z");
  status.started_at = at("2026-11-30T01:00:00.250Z");
  status.counters.attempts[{series::Outcome::success, std::nullopt}] = 480;
  status.counters.attempts[{series::Outcome::failure, FailureClass::timeout}] = 12;
  status.counters.attempts[{series::Outcome::interrupted, FailureClass::local}] = 1;
  status.counters.series_ended[{series::State::succeeded, std::nullopt}] = 480;
  status.counters.series_ended[{series::State::failed, series::End::exhausted}] = 3;
  status.counters.series_opened = 500;
  status.counters.retries_put_off = 7;
  status.counters.runs = 2;
  status.counters.runs_missed = 1;
  status.counters.durations.add(Milliseconds{500});
  status.counters.durations.add(Milliseconds{1'250});
  status.counters.durations.add(Milliseconds{700'000});
  status.standing.pending = 4;
  status.standing.running = 5;
  status.standing.retry_wait = 6;
  status.standing.due = 3;
  status.standing.oldest_due = at("2026-11-30T02:08:30Z");
  status.standing.next_run = at("2026-12-01T02:00:00Z");
  status.standing.breakers = {open_breaker("zenith"), open_breaker("acme")};
  status.standing.credentials.resize(1);
  return status;
}

TEST(Metrics, ASmallStatusIsExactlyThisText) {
  EXPECT_EQ(prometheus(some_night()),
            R"(# HELP nightjar_build_info The version that runs, as a label.
# TYPE nightjar_build_info gauge
nightjar_build_info{version=")" NIGHTJAR_VERSION R"("} 1
# HELP nightjar_start_time_seconds When the process started, in seconds since 1970.
# TYPE nightjar_start_time_seconds gauge
nightjar_start_time_seconds 1796000400.250
# HELP nightjar_attempts_total Attempts that ended, by outcome and class of failure.
# TYPE nightjar_attempts_total counter
nightjar_attempts_total{outcome="success",class=""} 480
nightjar_attempts_total{outcome="failure",class="unreachable"} 0
nightjar_attempts_total{outcome="failure",class="dropped"} 0
nightjar_attempts_total{outcome="failure",class="timeout"} 12
nightjar_attempts_total{outcome="failure",class="busy"} 0
nightjar_attempts_total{outcome="failure",class="incomplete"} 0
nightjar_attempts_total{outcome="failure",class="auth"} 0
nightjar_attempts_total{outcome="failure",class="host_key"} 0
nightjar_attempts_total{outcome="failure",class="negotiation"} 0
nightjar_attempts_total{outcome="failure",class="unsupported"} 0
nightjar_attempts_total{outcome="failure",class="setup"} 0
nightjar_attempts_total{outcome="failure",class="local"} 0
nightjar_attempts_total{outcome="failure",class="internal"} 0
nightjar_attempts_total{outcome="interrupted",class="local"} 1
# HELP nightjar_series_ended_total Series that ended, by state and, of failed ones, by end.
# TYPE nightjar_series_ended_total counter
nightjar_series_ended_total{state="succeeded",end=""} 480
nightjar_series_ended_total{state="failed",end="exhausted"} 3
nightjar_series_ended_total{state="failed",end="permanent"} 0
nightjar_series_ended_total{state="failed",end="overtaken"} 0
nightjar_series_ended_total{state="cancelled",end=""} 0
nightjar_series_ended_total{state="missed",end=""} 0
# HELP nightjar_series_opened_total Series that were opened.
# TYPE nightjar_series_opened_total counter
nightjar_series_opened_total 500
# HELP nightjar_series Open series, by state.
# TYPE nightjar_series gauge
nightjar_series{state="pending"} 4
nightjar_series{state="running"} 5
nightjar_series{state="retry_wait"} 6
# HELP nightjar_due_series Series whose time has come and that wait for a slot.
# TYPE nightjar_due_series gauge
nightjar_due_series 3
# HELP nightjar_oldest_due_age_seconds How long the oldest of them has been due; 0 without one.
# TYPE nightjar_oldest_due_age_seconds gauge
nightjar_oldest_due_age_seconds 90
# HELP nightjar_open_breakers Customers whose breaker is open.
# TYPE nightjar_open_breakers gauge
nightjar_open_breakers 2
# HELP nightjar_customer_breaker_open 1 while the customer's breaker is open.
# TYPE nightjar_customer_breaker_open gauge
nightjar_customer_breaker_open{customer="acme"} 1
nightjar_customer_breaker_open{customer="zenith"} 1
# HELP nightjar_tripped_credentials Credentials that are not tried until somebody looks at them.
# TYPE nightjar_tripped_credentials gauge
nightjar_tripped_credentials 1
# HELP nightjar_retries_put_off_total Retries that the retry budget put off.
# TYPE nightjar_retries_put_off_total counter
nightjar_retries_put_off_total 7
# HELP nightjar_runs_total Firings of schedules; missed ones passed while nothing ran.
# TYPE nightjar_runs_total counter
nightjar_runs_total{missed="false"} 2
nightjar_runs_total{missed="true"} 1
# HELP nightjar_next_run_timestamp_seconds The next firing of any schedule, in seconds since 1970.
# TYPE nightjar_next_run_timestamp_seconds gauge
nightjar_next_run_timestamp_seconds 1796090400
# HELP nightjar_attempt_duration_seconds How long attempts took.
# TYPE nightjar_attempt_duration_seconds histogram
nightjar_attempt_duration_seconds_bucket{le="0.5"} 1
nightjar_attempt_duration_seconds_bucket{le="1"} 1
nightjar_attempt_duration_seconds_bucket{le="2"} 2
nightjar_attempt_duration_seconds_bucket{le="5"} 2
nightjar_attempt_duration_seconds_bucket{le="10"} 2
nightjar_attempt_duration_seconds_bucket{le="30"} 2
nightjar_attempt_duration_seconds_bucket{le="60"} 2
nightjar_attempt_duration_seconds_bucket{le="120"} 2
nightjar_attempt_duration_seconds_bucket{le="300"} 2
nightjar_attempt_duration_seconds_bucket{le="600"} 2
nightjar_attempt_duration_seconds_bucket{le="+Inf"} 3
nightjar_attempt_duration_seconds_sum 701.75
nightjar_attempt_duration_seconds_count 3
)");
}

TEST(Metrics, AnIndependentReaderFindsEachFamilyWellFormedAndWithItsType) {
  const Exposition read = ExpositionReader::read(prometheus(some_night()));
  EXPECT_EQ(read.types.size(), 15U);
  EXPECT_EQ(read.types.at("nightjar_attempts_total"), "counter");
  EXPECT_EQ(read.types.at("nightjar_attempt_duration_seconds"), "histogram");
  EXPECT_EQ(read.value("nightjar_attempts_total", {{"outcome", "failure"}, {"class", "timeout"}}), "12");
  EXPECT_EQ(read.value("nightjar_attempt_duration_seconds_bucket", {{"le", "+Inf"}}), "3");
  for (const auto& [family, type] : read.types)
    EXPECT_EQ(family.ends_with("_total"), type == "counter") << family;
}

TEST(Metrics, ADaemonThatHasJustStartedIsWellFormedToo) {
  const std::string text = prometheus(Status{});
  const Exposition read = ExpositionReader::read(text);
  EXPECT_EQ(read.value("nightjar_oldest_due_age_seconds"), "0");
  EXPECT_EQ(read.value("nightjar_attempt_duration_seconds_count"), "0");
  EXPECT_EQ(read.value("nightjar_attempt_duration_seconds_sum"), "0");
  EXPECT_THAT(text, Not(HasSubstr("nightjar_next_run_timestamp_seconds")));
  EXPECT_THAT(text, Not(HasSubstr("nightjar_customer_breaker_open")));
}

TEST(Metrics, ACustomersNameStaysInsideOfItsLabel) {
  const std::string name = "Ac\"me\\\n} 1\nnightjar_forged 1";
  Status status;
  status.standing.breakers = {open_breaker(name)};
  const std::string text = prometheus(status);
  EXPECT_THAT(text,
              HasSubstr(R"(nightjar_customer_breaker_open{customer="Ac\"me\\\n} 1\nnightjar_forged 1"} 1)"
                        "\n"));
  const Exposition read = ExpositionReader::read(text);
  EXPECT_EQ(read.value("nightjar_customer_breaker_open", {{"customer", name}}), "1");
}

TEST(Metrics, ASeriesDueInTheFutureByAClockThatWasSetBackIsNotOlderThanNow) {
  Status status;
  status.at = at("2026-11-30T02:00:00Z");
  status.standing.oldest_due = at("2026-11-30T02:00:05Z");
  EXPECT_THAT(prometheus(status), HasSubstr("nightjar_oldest_due_age_seconds 0\n"));
}

TEST(Metrics, LargeCountsAreWrittenOut) {
  Status status;
  status.counters.series_opened = 123'456'789'012;
  EXPECT_THAT(prometheus(status), HasSubstr("nightjar_series_opened_total 123456789012\n"));
}

TEST(Metrics, AreServedAsTheFormatTheyAre) {
  const Response response = metrics(Status{});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8");
}

TEST(Durations, ATimeThatIsABoundCountsUnderIt) {
  Durations durations;
  durations.add(Milliseconds{500});
  durations.add(Milliseconds{501});
  durations.add(Milliseconds{600'000});
  durations.add(Milliseconds{600'001});
  EXPECT_EQ(durations.counts, (decltype(durations.counts){1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
}

TEST(Durations, AClockThatWasSetBackTakesNothingAway) {
  Durations durations;
  durations.add(Milliseconds{-3'600'000});
  EXPECT_EQ(durations.counts.front(), 1U);
  EXPECT_EQ(durations.sum_seconds, 0.0);
}

}  // namespace
}  // namespace nightjar::api
