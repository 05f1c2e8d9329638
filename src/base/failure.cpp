#include <nightjar/base/failure.hpp>

#include <utility>

namespace nightjar {

std::string_view to_text(FailureClass c) {
  switch (c) {
    case FailureClass::unreachable:
      return "unreachable";
    case FailureClass::dropped:
      return "dropped";
    case FailureClass::timeout:
      return "timeout";
    case FailureClass::busy:
      return "busy";
    case FailureClass::incomplete:
      return "incomplete";
    case FailureClass::auth:
      return "auth";
    case FailureClass::host_key:
      return "host_key";
    case FailureClass::negotiation:
      return "negotiation";
    case FailureClass::unsupported:
      return "unsupported";
    case FailureClass::setup:
      return "setup";
    case FailureClass::local:
      return "local";
    case FailureClass::internal:
      return "internal";
  }
  return "internal";
}

std::string_view to_text(Stage s) {
  switch (s) {
    case Stage::none:
      return "none";
    case Stage::resolve:
      return "resolve";
    case Stage::connect:
      return "connect";
    case Stage::handshake:
      return "handshake";
    case Stage::host_key:
      return "host_key";
    case Stage::auth:
      return "auth";
    case Stage::login:
      return "login";
    case Stage::command:
      return "command";
    case Stage::verify:
      return "verify";
    case Stage::store:
      return "store";
  }
  return "none";
}

std::optional<FailureClass> parse_failure_class(std::string_view name) {
  for (const FailureClass c : all_failure_classes)
    if (to_text(c) == name) return c;
  return std::nullopt;
}

std::optional<Stage> parse_stage(std::string_view name) {
  for (const Stage s : {Stage::none, Stage::resolve, Stage::connect, Stage::handshake, Stage::host_key,
                        Stage::auth, Stage::login, Stage::command, Stage::verify, Stage::store})
    if (to_text(s) == name) return s;
  return std::nullopt;
}

bool is_retried_by_default(FailureClass c) {
  switch (c) {
    case FailureClass::unreachable:
    case FailureClass::dropped:
    case FailureClass::timeout:
    case FailureClass::busy:
    case FailureClass::incomplete:
    case FailureClass::local:
      return true;
    case FailureClass::auth:
    case FailureClass::host_key:
    case FailureClass::negotiation:
    case FailureClass::unsupported:
    case FailureClass::setup:
    case FailureClass::internal:
      return false;
  }
  return false;
}

FailureClasses FailureClasses::retried_by_default() {
  FailureClasses set;
  for (const FailureClass c : all_failure_classes)
    if (is_retried_by_default(c)) set.insert(c);
  return set;
}

std::optional<FailureClasses> FailureClasses::parse(std::string_view names) {
  FailureClasses set;
  while (!names.empty()) {
    const auto comma = names.find(',');
    auto name = names.substr(0, comma);
    names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    const auto c = parse_failure_class(name);
    if (!c) return std::nullopt;
    set.insert(*c);
  }
  return set;
}

std::string FailureClasses::to_text() const {
  std::string names;
  for (const FailureClass c : all_failure_classes) {
    if (!contains(c)) continue;
    if (!names.empty()) names += ',';
    names += nightjar::to_text(c);
  }
  return names;
}

Failure failure(FailureClass c, Stage stage, std::string reason) {
  return {c, stage, std::move(reason), {}};
}

}  // namespace nightjar
