#include "lab/unit.hpp"

namespace nightjar::lab {

std::shared_ptr<const std::string> Unit::read_config(int connection) {
  const std::lock_guard lock(mutex_);
  if (plan.trait(Behaviour::changes, connection) && readings_ > 0) ++changes_;
  const int changes = changes_;
  const int reading = plan.trait(Behaviour::noisy, connection) ? readings_ : 0;
  ++readings_;
  if (!shown_ || changes != shown_changes_ || reading != shown_reading_) {
    shown_ = std::make_shared<const std::string>(running_config(plan, changes, reading));
    shown_changes_ = changes;
    shown_reading_ = reading;
  }
  return shown_;
}

std::string Unit::last_config() const {
  const std::lock_guard lock(mutex_);
  return shown_ ? *shown_ : std::string{};
}

const Identity& Unit::identity(int connection) const {
  if (legacy != nullptr && plan.trait(Behaviour::legacy_only, connection)) return *legacy;
  if (other != nullptr && plan.trait(Behaviour::host_key_changes, connection)) return *other;
  return *usual;
}

}  // namespace nightjar::lab
