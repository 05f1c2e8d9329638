#include <nightjar/admission/customer_breaker.hpp>

#include <limits>
#include <stdexcept>

namespace nightjar::admission {

bool is_open(const CustomerBreaker& breaker) {
  return breaker.opened_at.has_value();
}

Gate gate(const CustomerBreaker& breaker, const BreakerRule& rule, UtcTime now) {
  using enum Gate::Verdict;
  if (!is_open(breaker)) return {.verdict = go};
  if (breaker.probe) return {.verdict = hold, .until = now + rule.cooldown};
  const UtcTime probe_at = breaker.probe_at.value_or(now);
  if (probe_at > now && probe_at - now <= rule.cooldown) return {.verdict = hold, .until = probe_at};
  return {.verdict = probe};
}

CustomerBreaker begin_probe(CustomerBreaker breaker, SeriesId series) {
  if (!is_open(breaker)) throw std::logic_error("a probe through a closed breaker");
  if (breaker.probe) throw std::logic_error("a second probe beside the one under way");
  breaker.probe = series;
  return breaker;
}

CustomerBreaker observe(CustomerBreaker breaker, SeriesId series, Contact contact, const BreakerRule& rule,
                        UtcTime now) {
  const bool was_probe = breaker.probe && breaker.probe == series;
  if (was_probe) breaker.probe = {};
  switch (contact) {
    case Contact::reached:
      return {};
    case Contact::lost:
      return was_probe || !is_open(breaker) ? CustomerBreaker{} : breaker;
    case Contact::none:
      return breaker;
    case Contact::unreachable:
      break;
  }
  if (breaker.unreachable < std::numeric_limits<int>::max()) ++breaker.unreachable;
  if (is_open(breaker)) {
    if (was_probe) breaker.probe_at = now + rule.cooldown;
  } else if (breaker.unreachable >= rule.failures) {
    breaker.opened_at = now;
    breaker.probe_at = now + rule.cooldown;
  }
  return breaker;
}

CustomerBreaker recovered(CustomerBreaker breaker) {
  breaker.probe = {};
  return breaker;
}

}  // namespace nightjar::admission
