// What the parts of one running Nightjar share: the store on its thread, the vault, the drivers, the clock
// and the data folder. Owned by the caller, outlives everything that is given it.
#pragma once
#include <nightjar/config/driver.hpp>
#include <nightjar/runtime/clock.hpp>
#include <nightjar/store/worker.hpp>
#include <nightjar/vault/vault.hpp>

#include <filesystem>

namespace nightjar::orchestrator {

struct Site {
  store::Worker& store;
  const vault::Vault& vault;
  const config::Drivers& drivers;
  const runtime::Clock& clock;
  std::filesystem::path data_folder;
};

}  // namespace nightjar::orchestrator
