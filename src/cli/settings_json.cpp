#include "cli/settings_json.hpp"

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

Json value_json(int value) {
  return value;
}
Json value_json(double value) {
  return value;
}
Json value_json(bool value) {
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
Json value_json(const schedule::Cron& value) {
  return schedule::to_text(value);
}
Json value_json(const schedule::Zone& value) {
  return schedule::to_text(value);
}
Json value_json(const schedule::Windows& value) {
  return schedule::to_text(value);
}
Json value_json(alerting::Repeat value) {
  return alerting::to_text(value);
}

template <class T>
std::string value_text(const T& value) {
  using rules::to_text;  // or the one beside T
  return std::string{to_text(value)};
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

template <template <template <class> class> class S>
std::string origin_text(const store::InForce<S>& settings, rules::Level level) {
  const std::string_view name = settings.origin_name(level);
  return name.empty() ? std::string{rules::to_text(level)}
                      : fmt::format("{} {}", rules::to_text(level), name);
}

template <template <template <class> class> class S>
Json to_json(const store::InForce<S>& settings) {
  Json object = Json::object();
  rules::for_each_field<S>([&](const auto& field) {
    const auto& slot = field.get(settings.rule);
    object[std::string{field.name}] = {
        {"value", value_json(slot.value)},
        {"origin", rules::to_text(slot.origin)},
        {"origin_name", json_or_null(std::string{settings.origin_name(slot.origin)})}};
  });
  return object;
}

template <template <template <class> class> class S>
Listing settings_listing(const store::InForce<S>& settings) {
  Listing listing({{"field", "FIELD"}, {"value", "VALUE"}, {"origin", "FROM"}, {"origin_name", ""}});
  rules::for_each_field<S>([&](const auto& field) {
    const auto& slot = field.get(settings.rule);
    listing.add({field.name, Cell(value_json(slot.value), value_text(slot.value)),
                 Cell(rules::to_text(slot.origin), origin_text(settings, slot.origin)),
                 json_or_null(std::string{settings.origin_name(slot.origin)})});
  });
  return listing;
}

#define NIGHTJAR_SHOWN_SETTINGS(S)                                \
  template Json to_json<S>(const store::InForce<S>&);             \
  template Listing settings_listing<S>(const store::InForce<S>&); \
  template std::string origin_text<S>(const store::InForce<S>&, rules::Level);
NIGHTJAR_SHOWN_SETTINGS(rules::RetryFields)
NIGHTJAR_SHOWN_SETTINGS(schedule::ScheduleFields)
NIGHTJAR_SHOWN_SETTINGS(admission::LimitFields)
NIGHTJAR_SHOWN_SETTINGS(report::ReportFields)
NIGHTJAR_SHOWN_SETTINGS(alerting::AlertFields)
#undef NIGHTJAR_SHOWN_SETTINGS

}  // namespace nightjar::cli
