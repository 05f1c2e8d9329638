#include "cli/narrator.hpp"

#include "cli/text.hpp"

#include <nightjar/store/series_book.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace nightjar::cli {
namespace {

using orchestrator::Event;
using orchestrator::EventKind;
using orchestrator::Summary;

constexpr std::size_t most_named = 200;  // devices a closing list names one by one

std::string_view to_text(EventKind kind) {
  switch (kind) {
    case EventKind::attempt_started:
      return "attempt.started";
    case EventKind::attempt_ended:
      return "attempt.ended";
    case EventKind::series_ended:
      return "series.ended";
  }
  return "";
}

std::string name_of(const Event& event) {
  return printable(event.customer + "/" + event.device);
}

std::string reason_of(const Failure& failure) {
  const std::string stage =
      failure.stage == Stage::none ? "" : fmt::format(", {}", nightjar::to_text(failure.stage));
  return fmt::format("{} ({}{})", printable(failure.reason), nightjar::to_text(failure.failure_class), stage);
}

// The event comes some milliseconds after its decision: whole seconds are what was decided.
Milliseconds wait_from(const Event& event) {
  const Milliseconds wait = *event.next_attempt_at - event.at;
  return wait < Milliseconds{500} ? wait : std::chrono::round<Seconds>(wait);
}

std::string changed_words(const Event& event) {
  return !event.changed ? "" : *event.changed ? ", configuration changed" : ", unchanged";
}

}  // namespace

Json to_json(const Event& event) {
  const Failure* failure = event.failure ? &*event.failure : nullptr;
  const auto or_null = [](const auto& value, auto text) {
    return value ? Json(text(*value)) : Json(nullptr);
  };
  return {{"event", to_text(event.kind)},
          {"at", json_time(event.at)},
          {"customer", event.customer},
          {"device", event.device},
          {"series", event.series.value},
          {"attempt", event.attempt},
          {"outcome", or_null(event.outcome, [](series::Outcome o) { return series::to_text(o); })},
          {"class", failure ? Json(nightjar::to_text(failure->failure_class)) : Json(nullptr)},
          {"stage", failure ? Json(nightjar::to_text(failure->stage)) : Json(nullptr)},
          {"reason", failure ? Json(failure->reason) : Json(nullptr)},
          {"transport", json_or_null(event.transport)},
          {"next_attempt_at", json_time(event.next_attempt_at)},
          {"state", series::to_text(event.state)},
          {"end", or_null(event.end, [](series::End e) { return series::to_text(e); })},
          {"changed", event.changed ? Json(*event.changed) : Json(nullptr)},
          {"duration_ms", event.duration.count()}};
}

Json to_json(const Summary& summary) {
  return {{"event", "summary"},
          {"series", summary.series},
          {"succeeded", summary.succeeded},
          {"failed", summary.failed},
          {"recovered_by_retry", summary.recovered_by_retry},
          {"changed", summary.changed},
          {"unchanged", summary.unchanged},
          {"cancelled", summary.cancelled},
          {"left_open", summary.left_open}};
}

Narrator::Narrator(const Output& out, store::Database& book, std::function<void()> before_line)
    : out_(out), book_(book), before_line_(std::move(before_line)) {}

void Narrator::tell(const Event& event) {
  if (out_.format() == Format::table) return tell_people(event);
  before_line_();
  out_.json_line(to_json(event));
}

void Narrator::tell_people(const Event& event) {
  const std::string name = name_of(event);
  switch (event.kind) {
    case EventKind::attempt_started:
      if (out_.verbose()) line(fmt::format("{}  attempt {} started", name, event.attempt));
      return;
    case EventKind::attempt_ended:
      if (event.outcome == series::Outcome::failure && !out_.quiet()) line(failed_attempt(event));
      if (event.outcome == series::Outcome::interrupted && !out_.quiet())
        line(fmt::format("{}  attempt {} interrupted", name, event.attempt));
      return;
    case EventKind::series_ended:
      break;
  }
  if (event.state == series::State::succeeded) {
    const bool retried = event.attempt > 1;
    const std::string words = fmt::format(
        "backed up{}{}", retried ? fmt::format(" on attempt {}", event.attempt) : "", changed_words(event));
    if (recovered(event)) recovered_.push_back({name, words});
    if (!out_.quiet()) line(fmt::format("{}  {} ({})", name, words, to_span(event.duration)));
  } else if (event.state == series::State::failed) {
    const std::string words =
        fmt::format("{} after {}: {}", event.end ? series::to_text(*event.end) : "failed",
                    counted(static_cast<std::size_t>(event.attempt), "attempt"),
                    event.failure ? reason_of(*event.failure) : "no reason is known");
    failed_.push_back({name, words});
    line(fmt::format("{}  FAILED, {}", name, words));
  } else if (!out_.quiet()) {
    line(fmt::format("{}  {}", name, series::to_text(event.state)));
  }
}

// `acme/core-01  attempt 2 of 3 failed: connection refused by 192.0.2.10:22 (unreachable, connect); next try
// in 15 s`
std::string Narrator::failed_attempt(const Event& event) {
  std::string of;
  // The rule may change under way and reruns count afresh: what was decided with is in the row of the
  // attempt.
  if (const auto detail = store::SeriesBook{book_}.detail(event.series))
    for (const store::AttemptRow& row : detail->attempts)
      if (row.number == event.attempt && row.decision) {
        const series::Series& machine = detail->series.machine;
        of = fmt::format(" of {}",
                         machine.attempts - machine.counted + row.decision->rule.rule.attempts.value);
      }
  std::string text = fmt::format("{}  attempt {}{} failed: {}", name_of(event), event.attempt, of,
                                 event.failure ? reason_of(*event.failure) : "no reason is known");
  if (event.next_attempt_at) text += fmt::format("; next try in {}", to_span(wait_from(event)));
  return text;
}

// An attempt that was interrupted is tried again too, but nothing had failed.
bool Narrator::recovered(const Event& event) {
  if (event.attempt < 2) return false;
  const auto detail = store::SeriesBook{book_}.detail(event.series);
  return detail && std::ranges::any_of(detail->attempts, [](const store::AttemptRow& row) {
           return row.outcome == series::Outcome::failure;
         });
}

void Narrator::sum_up(const Summary& summary) {
  before_line_();
  if (out_.format() != Format::table) return out_.json_line(to_json(summary));
  if (out_.quiet()) return;
  const auto list = [&](std::string_view title, const std::vector<Ending>& endings) {
    if (endings.empty()) return;
    out_.line(fmt::format("\n{}:", title));
    for (std::size_t i = 0; i < std::min(endings.size(), most_named); ++i)
      out_.line(fmt::format("  {}  {}", endings[i].device, endings[i].words));
    if (endings.size() > most_named)
      out_.line(fmt::format("  and {} more: `nightjar series list`", endings.size() - most_named));
  };
  list("Recovered by a retry", recovered_);
  list("Failed", failed_);
  std::string text =
      fmt::format("\n{}: {} backed up", counted(summary.series, "series"), grouped(summary.succeeded));
  if (summary.succeeded > 0)
    text += fmt::format(" ({} after a retry, {} changed, {} unchanged)", grouped(summary.recovered_by_retry),
                        grouped(summary.changed), grouped(summary.unchanged));
  text += fmt::format(", {} failed", grouped(summary.failed));
  if (summary.cancelled > 0) text += fmt::format(", {} cancelled", grouped(summary.cancelled));
  if (summary.left_open > 0) text += fmt::format(", {} still open", grouped(summary.left_open));
  out_.line(text);
}

void Narrator::line(const std::string& text) {
  before_line_();
  out_.line(text);
}

}  // namespace nightjar::cli
