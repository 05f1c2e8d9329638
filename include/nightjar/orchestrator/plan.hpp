// From the rows of the inventory to the plan of one attempt: driver found, credential unsealed, key parsed,
// host key pinned. What is missing is a failure of class setup that names it.
#pragma once
#include <nightjar/backup/attempt.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/config/driver.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/vault/vault.hpp>

#include <map>
#include <string>

namespace nightjar::orchestrator {

// Parsing a key takes milliseconds and thousands of devices share one: each sealed key is parsed once.
class Planner {
 public:
  // Both outlive the planner. Used on the database's thread only.
  Planner(const vault::Vault& vault, const config::Drivers& drivers) : vault_(vault), drivers_(&drivers) {}
  void use(const config::Drivers& drivers) { drivers_ = &drivers; }

  // The deadline is left for the caller to set.
  Result<backup::Plan> plan(store::Database& db, const store::Device& device);

 private:
  Result<ssh::Credential> unseal(const store::Credential& row, Secret& enable_password);
  Result<ssh::PrivateKey> key_of(const store::Credential& row);

  const vault::Vault& vault_;
  const config::Drivers* drivers_;
  std::map<std::string, ssh::PrivateKey, std::less<>> keys_;  // by sealed bytes
};

}  // namespace nightjar::orchestrator
