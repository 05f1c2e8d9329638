#include "store/rule_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace nightjar::store {
namespace {

using Json = nlohmann::ordered_json;
using rules::Level;

std::optional<Level> parse_level(std::string_view name) {
  for (const Level level : {Level::built_in, Level::platform, Level::customer, Level::device})
    if (rules::to_text(level) == name) return level;
  return std::nullopt;
}

// One field's object; false when it is missing or not what write_rule writes.
template <class Field>
bool read_field(const Json& rule, const Field& field, RuleInForce& in_force) {
  const auto found = rule.find(std::string{field.name});
  if (found == rule.end() || !found->is_object()) return false;
  const auto text = [&](const char* key) { return found->value(key, std::string{}); };
  const auto origin = parse_level(text("origin"));
  rules::RetryLayer layer;
  if (!origin || !rules::assign<rules::RetryFields>(layer, field.name, text("value")) || !field.get(layer))
    return false;
  field.get(in_force.rule) = {*field.get(layer), *origin};
  if (*origin == Level::customer) in_force.customer_name = text("origin_name");
  if (*origin == Level::device) in_force.device_name = text("origin_name");
  return true;
}

}  // namespace

// Written by hand: every attempt of a night ends with one, and the shape is all literals but for the names.
std::string write_rule(const RuleInForce& in_force) {
  std::string rule;
  rules::for_each_field<rules::RetryFields>([&](const auto& field) {
    using rules::to_text;
    const auto& resolved = field.get(in_force.rule);
    // replace: a name that is not UTF-8 must not keep an attempt from ending.
    const auto name = in_force.origin_name(resolved.origin);
    const auto quoted =
        name.empty() ? std::string{"\"\""} : Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
    fmt::format_to(std::back_inserter(rule), R"({}"{}":{{"value":"{}","origin":"{}","origin_name":{}}})",
                   rule.empty() ? '{' : ',', field.name, to_text(resolved.value), to_text(resolved.origin),
                   quoted);
  });
  return rule + '}';
}

std::optional<RuleInForce> read_rule(std::string_view text) {
  const Json rule = Json::parse(text, nullptr, false);
  if (!rule.is_object()) return std::nullopt;
  try {
    RuleInForce in_force;
    bool whole = true;
    rules::for_each_field<rules::RetryFields>(
        [&](const auto& field) { whole = whole && read_field(rule, field, in_force); });
    if (!whole) return std::nullopt;
    return in_force;
  } catch (const Json::exception&) {  // a member of the wrong type
    return std::nullopt;
  }
}

}  // namespace nightjar::store
