#include <nightjar/admission/retry_budget.hpp>

#include <algorithm>

namespace nightjar::admission {

void RetryBudget::advance(MonoTime now) {
  const std::int64_t second = std::chrono::floor<Seconds>(now.time_since_epoch()).count();
  if (second <= second_) return;
  const std::int64_t passed = std::min(second - second_, minute);
  second_ = second - passed;
  for (std::int64_t i = 0; i < passed; ++i) {
    ++second_;
    total_.firsts -= newest().firsts;
    total_.shared -= newest().shared;
    newest() = {};
  }
  own_ = 0;
}

void RetryBudget::first(MonoTime now) {
  advance(now);
  ++newest().firsts;
  ++total_.firsts;
}

bool RetryBudget::take_retry(MonoTime now) {
  advance(now);
  if (has_own()) {
    ++own_;
    return true;
  }
  if (has_share()) {
    ++newest().shared;
    ++total_.shared;
    return true;
  }
  ++put_off_;
  return false;
}

MonoTime RetryBudget::next_retry_at(MonoTime now) {
  advance(now);
  return has_own() || has_share() ? now : MonoTime{Seconds{second_ + 1}};
}

}  // namespace nightjar::admission
