#include "cli/narrator.hpp"

#include "cli/status_line.hpp"

#include <gtest/gtest.h>

namespace nightjar::cli {
namespace {

using namespace std::chrono_literals;

constexpr UtcTime two_o_clock = std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 2h;

TEST(Narrator, AnEventHasEveryKeyOfItsLineAndNullForWhatIsAbsent) {
  orchestrator::Event event;
  event.kind = orchestrator::EventKind::attempt_ended;
  event.at = two_o_clock;
  event.customer = "acme";
  event.device = "core-01";
  event.series = SeriesId{7};
  event.attempt = 2;
  event.outcome = series::Outcome::failure;
  event.failure = failure(FailureClass::unreachable, Stage::connect, "connection refused by 192.0.2.10:22");
  event.transport = "ssh";
  event.next_attempt_at = two_o_clock + 15s;
  event.state = series::State::retry_wait;
  event.duration = 12ms;
  EXPECT_EQ(
      to_text(to_json(event)),
      R"({"event":"attempt.ended","at":"2026-11-30T02:00:00Z","customer":"acme","device":"core-01","series":7,)"
      R"("attempt":2,"outcome":"failure","class":"unreachable","stage":"connect",)"
      R"("reason":"connection refused by 192.0.2.10:22","transport":"ssh",)"
      R"("next_attempt_at":"2026-11-30T02:00:15Z","state":"retry_wait","end":null,"changed":null,"duration_ms":12})");
}

TEST(Narrator, TheSummaryIsTheLastEvent) {
  orchestrator::Summary summary;
  summary.series = 3;
  summary.succeeded = 2;
  summary.failed = 1;
  summary.recovered_by_retry = 1;
  const Json json = to_json(summary);
  EXPECT_EQ(json.at("event"), "summary");
  EXPECT_EQ(json.at("recovered_by_retry"), 1);
}

TEST(StatusLine, ItTellsWhatWaitsAndWhenTheNextTryIs) {
  orchestrator::Progress progress;
  progress.done = 1200;
  progress.failed = 3;
  progress.running = 5;
  progress.waiting = 14;
  progress.pending = 500;
  progress.next_attempt_at = two_o_clock + 12s;
  EXPECT_EQ(status_text(progress, two_o_clock),
            "1,200 done, 3 failed, 5 running, 14 waiting (next try 02:00:12 UTC, in 12 s), 500 pending");
}

}  // namespace
}  // namespace nightjar::cli
