#include "cli/series_json.hpp"

#include "cli/rule_json.hpp"
#include "cli/text.hpp"

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

Json failure_part(const std::optional<Failure>& failure, std::string_view part) {
  if (!failure) return nullptr;
  if (part == "class") return to_text(failure->failure_class);
  if (part == "stage") return failure->stage == Stage::none ? Json(nullptr) : Json(to_text(failure->stage));
  return failure->reason;
}

// The last failure of a series that succeeded in the end is history, not its reason.
std::optional<Failure> reason_of(const store::SeriesRow& row) {
  return row.machine.state == series::State::succeeded ? std::nullopt : row.last_failure;
}

Json to_json(const store::AttemptRow& attempt) {
  return {{"number", attempt.number},
          {"queued_ms", attempt.queued.count()},
          {"started_at", json_time(attempt.started_at)},
          {"ended_at", json_time(attempt.ended_at)},
          {"outcome", attempt.outcome ? Json(series::to_text(*attempt.outcome)) : Json(nullptr)},
          {"class", failure_part(attempt.failure, "class")},
          {"stage", failure_part(attempt.failure, "stage")},
          {"reason", failure_part(attempt.failure, "reason")},
          {"transport", json_or_null(attempt.transport)},
          {"transcript", attempt.failure ? json_or_null(attempt.failure->transcript_tail) : Json(nullptr)},
          {"decision", attempt.decision ? cli::to_json(*attempt.decision) : Json(nullptr)}};
}

std::string decision_words(const store::DecisionRow& row) {
  const auto origin = [&](const auto& field) { return origin_text(row.rule, field.origin); };
  const auto& rule = row.rule.rule;
  const std::string by =
      fmt::format("attempts {} ({}), first delay {} ({}), factor {} ({}), ceiling {} ({})",
                  rule.attempts.value, origin(rule.attempts), to_span(rule.delay.value), origin(rule.delay),
                  rules::to_text(rule.backoff.value), origin(rule.backoff), to_span(rule.max_delay.value),
                  origin(rule.max_delay));
  if (row.decision.action != series::Action::retry)
    return fmt::format("{}; rule: {}", series::to_text(row.decision.action), by);
  const std::string at =
      row.decision.next_attempt_at ? table_time(*row.decision.next_attempt_at) + " UTC" : "once";
  return fmt::format("retry in {}, at {}; rule: {}", to_span(row.decision.wait), at, by);
}

std::string attempt_words(const store::AttemptRow& attempt) {
  if (!attempt.outcome) return "running";
  std::string text{series::to_text(*attempt.outcome)};
  if (attempt.ended_at) text += fmt::format(" after {}", to_span(*attempt.ended_at - attempt.started_at));
  if (attempt.failure)
    text += fmt::format(": {} ({}, {})", printable(attempt.failure->reason),
                        to_text(attempt.failure->failure_class), to_text(attempt.failure->stage));
  return text;
}

std::string transcript_words(std::string_view transcript) {
  std::string out;
  while (!transcript.empty()) {
    const std::size_t end = std::min(transcript.find('\n'), transcript.size());
    out += "     | " + printable(transcript.substr(0, end)) + '\n';
    transcript.remove_prefix(std::min(end + 1, transcript.size()));
  }
  return out;
}

}  // namespace

Listing series_listing() {
  return Listing({{"id", "SERIES", Align::right},
                  {"customer", ""},
                  {"device", ""},
                  {"", "DEVICE"},
                  {"scheduled_for", "SCHEDULED (UTC)"},
                  {"trigger", "TRIGGER"},
                  {"state", "STATE"},
                  {"end", "END"},
                  {"attempts", "ATTEMPTS", Align::right},
                  {"class", "CLASS"},
                  {"stage", ""},
                  {"reason", ""},
                  {"transport", ""},
                  {"started_at", ""},
                  {"ended_at", ""},
                  {"next_attempt_at", "NEXT TRY (UTC)"},
                  {"", "REASON"}});
}

void add_row(Listing& into, const store::SeriesRow& row) {
  const series::Series& machine = row.machine;
  Cell state{series::to_text(machine.state)};
  if (machine.state == series::State::failed) state.tone = Tone::bad;
  if (machine.state == series::State::retry_wait) state.tone = Tone::waiting;
  const auto failure = reason_of(row);
  into.add({row.id.value, row.customer_name, row.device_name, row.customer_name + "/" + row.device_name,
            machine.scheduled_for, series::to_text(row.trigger), state,
            machine.end ? Cell(series::to_text(*machine.end)) : Cell(Json(nullptr)), machine.attempts,
            failure_part(failure, "class"), failure_part(failure, "stage"), failure_part(failure, "reason"),
            json_or_null(row.transport), row.started_at, row.ended_at, machine.due,
            failure_part(failure, "reason")});
}

Json to_json(const store::SeriesDetail& detail) {
  Listing one = series_listing();
  add_row(one, detail.series);
  Json object = one.as_record_json();
  Json attempts = Json::array();
  for (const store::AttemptRow& attempt : detail.attempts) attempts.push_back(to_json(attempt));
  object["attempt_list"] = std::move(attempts);
  object["backup"] = nullptr;
  if (detail.backup)
    object["backup"] = {{"revision", detail.backup->revision.value},
                        {"sha256", detail.backup->sha256},
                        {"bytes", detail.backup->bytes},
                        {"changed", detail.backup->changed}};
  return object;
}

std::string to_people(const store::SeriesDetail& detail, bool with_transcripts) {
  const store::SeriesRow& row = detail.series;
  const series::Series& machine = row.machine;
  std::string out =
      fmt::format("Series {} of {}, scheduled for {} UTC ({}): {}", row.id.value,
                  printable(row.customer_name + "/" + row.device_name), table_time(machine.scheduled_for),
                  series::to_text(row.trigger), series::to_text(machine.state));
  if (machine.end) out += fmt::format(", {}", series::to_text(*machine.end));
  if (machine.state == series::State::retry_wait && machine.due)
    out += fmt::format(", next try at {} UTC", table_time(*machine.due));
  out += '\n';
  if (detail.backup)
    out += fmt::format("Revision {}, {} bytes, {}\n", detail.backup->revision.value,
                       grouped(detail.backup->bytes), detail.backup->changed ? "changed" : "unchanged");
  for (const store::AttemptRow& attempt : detail.attempts) {
    out += fmt::format("\n{:>3}. {} UTC  {}\n", attempt.number, table_time(attempt.started_at),
                       attempt_words(attempt));
    if (attempt.queued > Milliseconds{0})
      out += fmt::format("     waited {} for a slot\n", to_span(attempt.queued));
    if (attempt.decision) out += fmt::format("     decision: {}\n", decision_words(*attempt.decision));
    if (with_transcripts && attempt.failure) out += transcript_words(attempt.failure->transcript_tail);
  }
  return out;
}

}  // namespace nightjar::cli
