#include "store/connection.hpp"
#include "store/names.hpp"

#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

Failure unknown(DeviceId id) {
  return setup_failure(fmt::format("device {} does not exist", id.value));
}

std::optional<std::string> name_of(Connection& c, CustomerId id) {
  Statement row(c, "SELECT name FROM customer WHERE id = ?1", id);
  if (!row.step()) return std::nullopt;
  return Columns(row).next<std::string>();
}

std::optional<CustomerId> customer_of(Connection& c, DeviceId id) {
  Statement row(c, "SELECT customer_id FROM device WHERE id = ?1", id);
  if (!row.step()) return std::nullopt;
  return Columns(row).next<CustomerId>();
}

// A customer's credential serves that customer's devices alone; the platform's serves all.
Result<void> check_credential(Connection& c, const Device& device) {
  if (!device.credential) return {};
  Statement row(c, "SELECT name, customer_id FROM credential WHERE id = ?1", *device.credential);
  if (!row.step())
    return setup_failure(fmt::format("credential {} does not exist", device.credential->value));
  Columns columns(row);
  const auto name = columns.next<std::string>();
  const auto owner = columns.next<std::optional<CustomerId>>();
  if (owner && *owner != device.customer)
    return setup_failure(
        fmt::format("device \"{}\" cannot use credential \"{}\" of another customer", device.name, name));
  return {};
}

Result<void> check(Connection& c, const Device& device) {
  if (auto name = check_name("device", device.name); !name) return name;
  if (auto address = check_address(device.address); !address) return address;
  if (device.port == 0) return setup_failure("port 0 is not between 1 and 65535");
  if (auto driver = check_name("driver", device.driver); !driver) return driver;
  for (const std::string& tag : device.tags)
    if (auto good = check_name("tag", tag); !good) return good;
  return check_credential(c, device);
}

Failure refused(Connection& c, const Device& device, const DatabaseFault& fault) {
  const auto customer = name_of(c, device.customer);
  if (!customer) return setup_failure(fmt::format("customer {} does not exist", device.customer.value));
  if (fault.is_taken())
    return setup_failure(fmt::format("device \"{}/{}\" exists already", *customer, device.name));
  throw fault;
}

void write_tags(Connection& c, DeviceId id, const std::vector<std::string>& tags) {
  for (const std::string& tag : tags)
    c.run("INSERT OR IGNORE INTO device_tag (device_id, tag) VALUES (?1, ?2)", id, tag);
}

Result<DeviceId> insert(Connection& c, const Device& device) {
  if (auto good = check(c, device); !good) return good.error();
  try {
    c.run(
        "INSERT INTO device (customer_id, name, address, port, driver, credential_id, enabled, created_ms) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, unixepoch() * 1000)",
        device.customer, device.name, device.address, device.port, device.driver, device.credential,
        device.enabled);
  } catch (const DatabaseFault& fault) {
    return refused(c, device, fault);
  }
  const DeviceId id{c.last_insert_id()};
  write_tags(c, id, device.tags);
  return id;
}

}  // namespace

std::string full_name(const Device& device) {
  return fmt::format("{}/{}", device.customer_name, device.name);
}

Result<DeviceId> Inventory::add_device(const Device& device) {
  return writing(db_, [&](Connection& c) { return insert(c, device); });
}

Result<void> Inventory::update_device(const Device& device) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (auto good = check(c, device); !good) return good;
    const auto before = customer_of(c, device.id);
    if (!before) return unknown(device.id);
    try {
      c.run(
          "UPDATE device SET customer_id = ?2, name = ?3, address = ?4, port = ?5, driver = ?6, "
          "credential_id = ?7, enabled = ?8 WHERE id = ?1",
          device.id, device.customer, device.name, device.address, device.port, device.driver,
          device.credential, device.enabled);
    } catch (const DatabaseFault& fault) {
      return refused(c, device, fault);
    }
    // History goes with the device: the series of one that moved are its new customer's.
    if (before != device.customer)
      c.run("UPDATE series SET customer_id = ?2 WHERE device_id = ?1", device.id, device.customer);
    c.run("DELETE FROM device_tag WHERE device_id = ?1", device.id);
    write_tags(c, device.id, device.tags);
    return {};
  });
}

Result<void> Inventory::remove_device(DeviceId id) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (c.run("DELETE FROM device WHERE id = ?1", id) == 0) return unknown(id);
    return {};
  });
}

Result<std::size_t> Inventory::add_devices(const std::vector<Device>& devices) {
  return writing(db_, [&](Connection& c) -> Result<std::size_t> {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto added = insert(c, devices[i]);
      if (added) continue;
      Failure refusal = added.error();
      refusal.reason = fmt::format("row {}: {}", i, refusal.reason);
      return refusal;
    }
    return devices.size();
  });
}

}  // namespace nightjar::store
