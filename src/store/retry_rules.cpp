#include "store/connection.hpp"

#include <nightjar/store/inventory.hpp>

namespace nightjar::store {

Result<rules::RetryLayer> Inventory::retry_layer(const Scope& scope) {
  return Settings{db_}.layer<rules::RetryFields>(scope);
}

Result<void> Inventory::set_retry_layer(const Scope& scope, const rules::RetryLayer& layer) {
  return Settings{db_}.set_layer<rules::RetryFields>(scope, layer);
}

Result<RuleInForce> Inventory::retry_rule(const Scope& scope) {
  return Settings{db_}.in_force<rules::RetryFields>(scope);
}

Result<std::vector<std::pair<DeviceId, rules::EffectiveRetryRule>>> Inventory::all_retry_rules() {
  using Rules = std::vector<std::pair<DeviceId, rules::EffectiveRetryRule>>;
  return reading(db_, [this](Database::Connection& c) -> Result<Rules> {
    const auto layers = Settings{db_}.all<rules::RetryFields>();
    if (!layers) return layers.error();
    // Devices without settings of their own, nearly all, share what their customer resolves to.
    std::unordered_map<CustomerId, rules::EffectiveRetryRule> shared;
    Rules all;
    Statement row(c, "SELECT id, customer_id FROM device ORDER BY id");
    while (row.step()) {
      Columns columns(row);
      const auto id = columns.next<DeviceId>();
      const auto customer = columns.next<CustomerId>();
      if (layers->devices.contains(id)) {
        all.emplace_back(id, layers->in_force(customer, id));
        continue;
      }
      auto found = shared.find(customer);
      if (found == shared.end()) found = shared.emplace(customer, layers->in_force(customer)).first;
      all.emplace_back(id, found->second);
    }
    return all;
  });
}

}  // namespace nightjar::store
