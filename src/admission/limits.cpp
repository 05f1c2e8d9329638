#include <nightjar/admission/limits.hpp>
#include <nightjar/rules/assign.hpp>

namespace nightjar::admission {

BreakerRule breaker_rule(const CustomerLimits& limits) {
  return {.failures = limits.breaker_failures, .cooldown = limits.breaker_cooldown};
}

}  // namespace nightjar::admission

namespace nightjar::rules {

using admission::CustomerLimits;
using admission::LimitFields;
using admission::LimitLayer;

CustomerLimits Describe<LimitFields>::built_in() {
  return {.sessions = 50, .breaker_failures = 20, .breaker_cooldown = Seconds{60}};
}

template Result<void> assign<LimitFields>(LimitLayer&, std::string_view, std::string_view);

}  // namespace nightjar::rules
