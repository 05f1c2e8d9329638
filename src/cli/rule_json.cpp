#include "cli/rule_json.hpp"

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

Json value_json(int value) {
  return value;
}
Json value_json(double value) {
  return value;
}
Json value_json(Seconds value) {
  return value.count();
}
Json value_json(rules::Spacing value) {
  return rules::to_text(value);
}
Json value_json(rules::Jitter value) {
  return rules::to_text(value);
}
Json value_json(rules::GiveUpAfter value) {
  return value.limit ? Json(value.limit->count()) : Json("none");
}
Json value_json(const FailureClasses& value) {
  Json names = Json::array();
  for (const FailureClass c : all_failure_classes)
    if (value.contains(c)) names.push_back(to_text(c));
  return names;
}

// What to type into `rule set`, and for seconds what that is in words.
template <class T>
std::string value_text(const T& value) {
  return std::string{rules::to_text(value)};
}
std::string value_text(const FailureClasses& value) {
  return rules::to_text(value);
}
std::string value_text(Seconds value) {
  return fmt::format("{} ({})", value.count(), to_span(value));
}
std::string value_text(rules::GiveUpAfter value) {
  return value.limit ? value_text(*value.limit) : "none";
}

}  // namespace

std::string origin_text(const store::RuleInForce& rule, rules::Level level) {
  const std::string_view name = rule.origin_name(level);
  return name.empty() ? std::string{rules::to_text(level)}
                      : fmt::format("{} {}", rules::to_text(level), name);
}

Json to_json(const store::RuleInForce& rule) {
  Json object = Json::object();
  rules::for_each_field<rules::RetryFields>([&](const auto& field) {
    const auto& slot = field.get(rule.rule);
    object[std::string{field.name}] = {
        {"value", value_json(slot.value)},
        {"origin", rules::to_text(slot.origin)},
        {"origin_name", json_or_null(std::string{rule.origin_name(slot.origin)})}};
  });
  return object;
}

Listing rule_listing(const store::RuleInForce& rule) {
  Listing listing({{"field", "FIELD"}, {"value", "VALUE"}, {"origin", "FROM"}, {"origin_name", ""}});
  rules::for_each_field<rules::RetryFields>([&](const auto& field) {
    const auto& slot = field.get(rule.rule);
    listing.add({field.name, Cell(value_json(slot.value), value_text(slot.value)),
                 Cell(rules::to_text(slot.origin), origin_text(rule, slot.origin)),
                 json_or_null(std::string{rule.origin_name(slot.origin)})});
  });
  return listing;
}

Json to_json(const rules::Timetable& timetable, const std::vector<std::string>& warnings) {
  Json attempts = Json::array();
  for (const rules::TimetableRow& row : timetable.rows)
    attempts.push_back({{"attempt", row.attempt},
                        {"wait_seconds", json_seconds(row.wait)},
                        {"since_scheduled_seconds", json_seconds(row.since_scheduled)}});
  return {{"attempts", std::move(attempts)},
          {"told_after_seconds", json_seconds(timetable.told_after)},
          {"told_after_seconds_with_timeouts", json_seconds(timetable.told_after_with_timeouts)},
          {"warnings", warnings}};
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
