// Customers, credentials, devices, settings and pinned host keys. Names are unique where people use them;
// identity is the id.
#pragma once
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/rules/retry.hpp>
#include <nightjar/series/series.hpp>
#include <nightjar/store/database.hpp>
#include <nightjar/store/settings.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightjar::store {

struct Customer {
  CustomerId id;
  std::string name;
  std::string timezone{};  // IANA, what its schedule says for itself; "": inherited from the platform
};

// Sealed secrets are as vault::Vault::seal returned them; empty: none. Their record ids are
// credential_record(id, "password") etc.
struct Credential {
  CredentialId id;
  std::optional<CustomerId> customer;  // none: the platform's
  std::string customer_name;           // "" for the platform's
  std::string name;
  std::string username;
  std::string sealed_password, sealed_enable, sealed_key, sealed_passphrase;
};
std::string credential_record(CredentialId, std::string_view part);
std::string full_name(const Credential&);  // "customer/name" or "name"

struct Device {
  DeviceId id;
  CustomerId customer;
  std::string customer_name;
  std::string name;
  std::string address;
  std::uint16_t port = 22;
  std::string driver;
  std::optional<CredentialId> credential;
  std::string credential_name;  // full name, "" when none
  bool enabled = true;
  std::vector<std::string> tags;  // sorted
};
std::string full_name(const Device&);  // "customer/name"

struct DeviceSummary {
  Device device;
  std::optional<UtcTime> last_backup_at;
  std::optional<series::State> last_series_state;
};

struct PinnedHostKey {
  DeviceId device;
  std::string type;
  std::string fingerprint;  // SHA256:...
  UtcTime first_seen_at{};
  bool legacy_algorithms = false;  // the set that worked last
};

// Which devices; several kinds are combined by "and", several of one kind by "or".
struct Selector {
  bool all = false;
  std::vector<std::string> customers;
  std::vector<std::pair<std::string, std::string>> devices;  // customer, device
  std::vector<std::string> tags;
};

class Inventory {
 public:
  explicit Inventory(Database& db) : db_(db) {}

  // Names: 1 to 100 bytes, no control characters, no '/'. A name that is taken is class setup.
  Result<CustomerId> add_customer(const Customer&);
  Result<void> update_customer(const Customer&);
  Result<void> remove_customer(CustomerId);          // with all that hangs on it
  Result<Customer> customer(std::string_view name);  // unknown: class setup, the nearest name suggested
  Result<std::vector<Customer>> customers();

  Result<CredentialId> add_credential(const Credential&);  // sealed fields empty: they need the id first
  Result<void> update_credential(const Credential&);
  Result<void> remove_credential(CredentialId);  // refused while devices use it, naming how many
  Result<Credential> credential(std::string_view full_name);
  Result<Credential> credential(CredentialId);
  Result<std::vector<Credential>> credentials();

  Result<DeviceId> add_device(const Device&);
  Result<void> update_device(const Device&);
  Result<void> remove_device(DeviceId);
  // All or nothing. The failure's reason names the row by its index: "row 17: ...".
  Result<std::size_t> add_devices(const std::vector<Device>&);
  Result<Device> device(std::string_view customer, std::string_view name);
  Result<Device> device(DeviceId);
  // Unknown names in the selector are class setup. Ordered by customer and name; a page when limit > 0.
  Result<std::vector<DeviceSummary>> devices(const Selector&, std::size_t limit = 0, std::size_t offset = 0);
  Result<std::vector<DeviceId>> select(const Selector&, bool enabled_only);

  Result<rules::RetryLayer> retry_layer(const Scope&);
  Result<void> set_retry_layer(const Scope&, const rules::RetryLayer&);
  Result<RuleInForce> retry_rule(const Scope&);
  // All devices at once, in the order of ids: for benchmarks and impact counts.
  Result<std::vector<std::pair<DeviceId, rules::EffectiveRetryRule>>> all_retry_rules();

  Result<std::optional<PinnedHostKey>> host_key(DeviceId);
  Result<void> pin_host_key(const PinnedHostKey&);
  Result<bool> forget_host_key(DeviceId);  // false: none was pinned

 private:
  Database& db_;
};

}  // namespace nightjar::store
