// From the rows of the inventory to the plan of one attempt: driver found, credential unsealed, key parsed, host key pinned.
// What is missing is a failure of class setup that names it.
#pragma once
#include <memory>
#include <string>

#include <nightjar/backup/attempt.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/config/driver.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/vault/vault.hpp>

namespace nightjar::orchestrator {

// Reads what the plan needs; the deadline is left for the caller to set.
Result<backup::Plan> plan_attempt(store::Database& db, const store::Device& device, const vault::Vault& vault,
                                  const config::Drivers& drivers);

}  // namespace nightjar::orchestrator
