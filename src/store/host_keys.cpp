#include "store/host_keys.hpp"

#include "store/connection.hpp"

#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

namespace nightjar::store {

void write_host_key(Database::Connection& c, const PinnedHostKey& key) {
  c.run(
      "INSERT INTO host_key (device_id, type, fingerprint, first_seen_ms, legacy_algorithms) VALUES (?1, ?2, "
      "?3, ?4, ?5) "
      "ON CONFLICT (device_id) DO UPDATE SET type = excluded.type, fingerprint = excluded.fingerprint, "
      "first_seen_ms = excluded.first_seen_ms, legacy_algorithms = excluded.legacy_algorithms",
      key.device, key.type, key.fingerprint, key.first_seen_at, key.legacy_algorithms);
}

Result<std::optional<PinnedHostKey>> Inventory::host_key(DeviceId id) {
  return reading(db_, [&](Database::Connection& c) -> Result<std::optional<PinnedHostKey>> {
    std::optional<PinnedHostKey> pinned;
    Statement row(c,
                  "SELECT device_id, type, fingerprint, first_seen_ms, legacy_algorithms FROM host_key WHERE "
                  "device_id = ?1",
                  id);
    if (row.step()) {
      Columns columns(row);
      PinnedHostKey& key = pinned.emplace();
      key.device = columns.next<DeviceId>();
      key.type = columns.next<std::string>();
      key.fingerprint = columns.next<std::string>();
      key.first_seen_at = columns.next<UtcTime>();
      key.legacy_algorithms = columns.next<bool>();
    }
    return pinned;
  });
}

Result<void> Inventory::pin_host_key(const PinnedHostKey& key) {
  return writing(db_, [&](Database::Connection& c) -> Result<void> {
    try {
      write_host_key(c, key);
    } catch (const DatabaseFault& fault) {
      if (fault.is_dangling())
        return setup_failure(fmt::format("device {} does not exist", key.device.value));
      throw;
    }
    return {};
  });
}

Result<bool> Inventory::forget_host_key(DeviceId id) {
  return writing(db_, [&](Database::Connection& c) -> Result<bool> {
    return c.run("DELETE FROM host_key WHERE device_id = ?1", id) > 0;
  });
}

}  // namespace nightjar::store
