#include <nightjar/delivery/retry.hpp>

#include <algorithm>
#include <array>

namespace nightjar::delivery {

std::optional<UtcTime> next_try(int tries_made, UtcTime first_try, UtcTime now,
                                std::optional<Seconds> retry_after) {
  constexpr std::array waits{Seconds{5}, Seconds{30}, Seconds{120}, Seconds{600}, Seconds{3600}};
  const auto last = static_cast<int>(waits.size()) - 1;
  const Seconds wait = waits[static_cast<std::size_t>(std::clamp(tries_made - 1, 0, last))];
  if (now + wait > first_try + given_up_after) return std::nullopt;
  return now + std::max(wait, retry_after.value_or(Seconds{0}));
}

}  // namespace nightjar::delivery
