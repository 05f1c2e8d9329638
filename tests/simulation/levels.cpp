#include "simulation/levels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nightjar::simulation {
Valued Levels::in_force(std::string_view field, CustomerId customer, std::optional<DeviceId> device) const {
  if (device)
    if (const auto own = devices.find(*device); own != devices.end())
      if (const auto found = own->second.find(field); found != own->second.end())
        return {found->second, "device"};
  if (const auto own = customers.find(customer); own != customers.end())
    if (const auto found = own->second.find(field); found != own->second.end())
      return {found->second, "customer"};
  if (const auto found = platform.find(field); found != platform.end()) return {found->second, "platform"};
  return {built_in_.find(field)->second, "built-in"};
}

RuleInWords Levels::rule(CustomerId customer, DeviceId device) const {
  RuleInWords rule;
  for (const auto& [field, value] : built_in_) rule.emplace(field, in_force(field, customer, device));
  return rule;
}

Levels retry_levels() {
  return Levels{{{"attempts", "3"},
                 {"delay_seconds", "300"},
                 {"backoff", "3"},
                 {"spacing", "geometric"},
                 {"max_delay_seconds", "3600"},
                 {"jitter", "none"},
                 {"attempt_timeout_seconds", "300"},
                 {"give_up_after_seconds", "none"},
                 {"retry_on", "unreachable,dropped,timeout,busy,incomplete,local"}}};
}

Levels schedule_levels() {
  return Levels{
      {{"cron", "0 2 * * *"}, {"timezone", "UTC"}, {"enabled", "true"}, {"catch_up_seconds", "21600"}}};
}

Levels limit_levels() {
  return Levels{{{"sessions", "50"}, {"breaker_failures", "20"}, {"breaker_cooldown_seconds", "60"}}};
}

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

WaitBounds wait_bounds(const RuleInWords& rule, int attempt) {
  const auto text = [&](std::string_view field) -> const std::string& {
    return rule.find(field)->second.value;
  };
  const auto ceiling = static_cast<double>(number(text("max_delay_seconds"))) * 1000;
  const auto first = static_cast<double>(number(text("delay_seconds"))) * 1000;
  const double wait = text("spacing") == "linear" ? first * (attempt - 1)
                                                  : first * std::pow(std::stod(text("backoff")), attempt - 2);
  const Milliseconds longest{std::llround(std::min(wait, ceiling))};
  const std::string& jitter = text("jitter");
  if (jitter == "none") return {longest, longest};
  if (jitter == "equal") return {longest / 2, longest};
  if (jitter == "full") return {Milliseconds{0}, longest};
  return {Milliseconds{std::llround(std::min(first, ceiling))}, Milliseconds{std::llround(ceiling)}};
}

}  // namespace nightjar::simulation
