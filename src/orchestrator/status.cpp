#include <nightjar/orchestrator/status.hpp>

#include <algorithm>

namespace nightjar::orchestrator {

void Durations::add(Milliseconds duration) {
  // A clock that was set back in the middle of an attempt must not take time away from the sum.
  const double seconds = std::max(std::chrono::duration<double>(duration).count(), 0.0);
  const auto* bound = std::lower_bound(bounds.begin(), bounds.end(), seconds);
  ++counts.at(static_cast<std::size_t>(bound - bounds.begin()));
  sum_seconds += seconds;
}

}  // namespace nightjar::orchestrator
