#include <nightjar/orchestrator/plan.hpp>
#include <nightjar/store/revisions.hpp>

#include <fmt/format.h>

namespace nightjar::orchestrator {
namespace {

Failure missing(std::string reason) {
  return failure(FailureClass::setup, Stage::none, std::move(reason));
}

}  // namespace

Result<ssh::PrivateKey> Planner::key_of(const store::Credential& row) {
  if (const auto known = keys_.find(row.sealed_key); known != keys_.end()) return known->second;
  auto text = vault_.unseal(row.sealed_key, store::credential_record(row.id, "key"));
  if (!text) return std::move(text).error();
  Secret passphrase;
  if (!row.sealed_passphrase.empty()) {
    auto unsealed = vault_.unseal(row.sealed_passphrase, store::credential_record(row.id, "passphrase"));
    if (!unsealed) return std::move(unsealed).error();
    passphrase = std::move(*unsealed);
  }
  auto key = ssh::PrivateKey::parse(*text, passphrase, "the key of credential " + store::full_name(row));
  if (key) keys_.emplace(row.sealed_key, *key);
  return key;
}

Result<ssh::Credential> Planner::unseal(const store::Credential& row, Secret& enable_password) {
  ssh::Credential credential;
  credential.name = store::full_name(row);
  credential.username = row.username;
  if (!row.sealed_password.empty()) {
    auto password = vault_.unseal(row.sealed_password, store::credential_record(row.id, "password"));
    if (!password) return std::move(password).error();
    credential.password = std::move(*password);
  }
  if (!row.sealed_enable.empty()) {
    auto enable = vault_.unseal(row.sealed_enable, store::credential_record(row.id, "enable"));
    if (!enable) return std::move(enable).error();
    enable_password = std::move(*enable);
  }
  if (!row.sealed_key.empty()) {
    auto key = key_of(row);
    if (!key) return std::move(key).error();
    credential.key = std::move(*key);
  }
  if (credential.password.empty() && !credential.key)
    return missing(fmt::format("credential {} has neither password nor key", credential.name));
  return credential;
}

Result<backup::Plan> Planner::plan(store::Database& db, const store::Device& device) {
  const config::Driver* driver = drivers_->find(device.driver);
  if (!driver) return missing(fmt::format("unknown driver \"{}\"", device.driver));
  if (!device.credential)
    return missing(fmt::format("no credential is set for {}", store::full_name(device)));

  store::Inventory inventory{db};
  auto row = inventory.credential(*device.credential);
  if (!row) return std::move(row).error();
  auto pinned = inventory.host_key(device.id);
  if (!pinned) return std::move(pinned).error();
  auto last_good = store::Revisions{db}.newest(device.id);
  if (!last_good) return std::move(last_good).error();

  backup::Plan plan;
  auto credential = unseal(*row, plan.enable_password);
  if (!credential) return std::move(credential).error();
  plan.credential = std::move(*credential);
  plan.driver = driver;
  plan.target.address = device.address;
  plan.target.port = device.port;
  plan.target.may_fall_back = driver->legacy_algorithms;
  if (*pinned) {
    plan.target.pinned = ssh::HostKey{(*pinned)->type, (*pinned)->fingerprint};
    plan.target.algorithms = (*pinned)->legacy_algorithms ? ssh::Algorithms::legacy : ssh::Algorithms::modern;
  }
  if (*last_good) plan.last_good = revision::LastGood{(*last_good)->bytes};
  return plan;
}

}  // namespace nightjar::orchestrator
