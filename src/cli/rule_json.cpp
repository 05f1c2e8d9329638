#include "cli/rule_json.hpp"

namespace nightjar::cli {

Json to_json(const rules::Timetable& timetable) {
  Json attempts = Json::array();
  for (const rules::TimetableRow& row : timetable.rows)
    attempts.push_back({{"attempt", row.attempt},
                        {"wait_seconds", json_seconds(row.wait)},
                        {"since_scheduled_seconds", json_seconds(row.since_scheduled)}});
  return {{"attempts", std::move(attempts)},
          {"told_after_seconds", json_seconds(timetable.told_after)},
          {"told_after_seconds_with_timeouts", json_seconds(timetable.told_after_with_timeouts)}};
}

Listing timetable_listing(const rules::Timetable& timetable) {
  Listing listing({{"attempt", "ATTEMPT", Align::right},
                   {"wait_seconds", "WAIT", Align::right},
                   {"since_scheduled_seconds", "SINCE SCHEDULED", Align::right}});
  for (const rules::TimetableRow& row : timetable.rows)
    listing.add({row.attempt,
                 Cell(json_seconds(row.wait),
                      row.attempt == 1 ? "-" : to_span(row.wait) + (row.capped ? " (ceiling)" : "")),
                 Cell(json_seconds(row.since_scheduled), "+" + to_span(row.since_scheduled))});
  return listing;
}

Json to_json(const store::DecisionRow& row) {
  return {{"action", series::to_text(row.decision.action)},
          {"wait_seconds", json_seconds(row.decision.wait)},
          {"jitter_seconds", json_seconds(row.decision.jitter)},
          {"next_attempt_at", json_time(row.decision.next_attempt_at)},
          {"rule", to_json(row.rule)}};
}

}  // namespace nightjar::cli
