#include "report/causes.hpp"

namespace nightjar::report {
namespace {

constexpr std::size_t devices_to_share = 3;  // as many as it takes to stop trying a credential

}  // namespace

Causes::Causes(const std::vector<Breaker>& breakers) {
  for (const Breaker& breaker : breakers) breakers_.emplace(breaker.customer, breaker);
}

void Causes::look_at(const Failing& failing) {
  if (!failing.credential) return;
  if (failing.evidence == Evidence::refused) credentials_[failing.credential].refused = true;
  if (failing.evidence == Evidence::rejected) credentials_[failing.credential].devices.insert(failing.device);
}

CauseKey Causes::of(const Failing& failing) const {
  switch (failing.evidence) {
    case Evidence::none:
      return {};
    case Evidence::unreachable:
      return behind_breaker(failing) ? CauseKey{failing.customer, {}} : CauseKey{};
    case Evidence::refused:
    case Evidence::rejected:
      break;
  }
  const auto found = credentials_.find(failing.credential);
  if (found == credentials_.end()) return {};
  const bool shared = found->second.refused || found->second.devices.size() >= devices_to_share;
  return shared ? CauseKey{{}, failing.credential} : CauseKey{};
}

const Breaker* Causes::breaker(CustomerId customer) const {
  const auto found = breakers_.find(customer);
  return found == breakers_.end() ? nullptr : &found->second;
}

// Only the last time a breaker was open is known; of the times before, attempts tell that waited behind it.
bool Causes::behind_breaker(const Failing& failing) const {
  const Breaker* known = breaker(failing.customer);
  if (!known) return failing.held;
  if (known->opened_at && failing.ended_at >= *known->opened_at) return true;
  if (!known->was_open || failing.ended_at < *known->was_open) return failing.held;
  return known->closed_at && failing.ended_at <= *known->closed_at;
}

}  // namespace nightjar::report
