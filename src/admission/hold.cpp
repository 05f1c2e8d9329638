#include <nightjar/admission/hold.hpp>

#include <algorithm>

namespace nightjar::admission {

UtcTime hold_limit(UtcTime due, Milliseconds held_before, Seconds max_delay) {
  // A clock that was set back while it was held makes a span negative; that earns nobody a longer hold.
  const Milliseconds held = std::max(held_before, Milliseconds{0});
  return due + std::max(Milliseconds{max_delay} - held, Milliseconds{0});
}

Gate held_until(Gate gate, UtcTime limit, UtcTime now) {
  if (gate.verdict != Gate::Verdict::hold) return gate;
  if (limit <= now) return {.verdict = Gate::Verdict::go};
  gate.until = std::min(gate.until, limit);
  return gate;
}

}  // namespace nightjar::admission
