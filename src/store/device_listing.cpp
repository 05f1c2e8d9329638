// Which devices a selector means, and the rows that people list.
#include "store/connection.hpp"
#include "store/names.hpp"

#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;
using Json = nlohmann::json;

constexpr char tag_separator = '\n';  // no tag holds a control character

// Columns of a device `d` of customer `c`. The credential's full name is put together from the two names.
constexpr std::string_view device_columns =
    "d.id, d.customer_id, c.name, d.name, d.address, d.port, d.driver, d.credential_id, d.enabled, "
    "(SELECT k.name FROM credential k WHERE k.id = d.credential_id), "
    "(SELECT kc.name FROM credential k JOIN customer kc ON kc.id = k.customer_id WHERE k.id = "
    "d.credential_id), "
    "(SELECT group_concat(t.tag, char(10)) FROM device_tag t WHERE t.device_id = d.id)";

std::vector<std::string> split_tags(const std::string& joined) {
  std::vector<std::string> tags;
  for (std::size_t begin = 0; begin < joined.size();) {
    const std::size_t end = std::min(joined.find(tag_separator, begin), joined.size());
    tags.push_back(joined.substr(begin, end - begin));
    begin = end + 1;
  }
  std::sort(tags.begin(), tags.end());
  return tags;
}

Device read_device(Columns& columns) {
  Device device;
  device.id = columns.next<DeviceId>();
  device.customer = columns.next<CustomerId>();
  device.customer_name = columns.next<std::string>();
  device.name = columns.next<std::string>();
  device.address = columns.next<std::string>();
  device.port = columns.next<std::uint16_t>();
  device.driver = columns.next<std::string>();
  device.credential = columns.next<std::optional<CredentialId>>();
  device.enabled = columns.next<bool>();
  const auto credential = columns.next<std::string>();
  const auto credential_customer = columns.next<std::string>();
  device.credential_name =
      credential_customer.empty() ? credential : fmt::format("{}/{}", credential_customer, credential);
  device.tags = split_tags(columns.next<std::string>());
  return device;
}

// A selector with its names looked up: JSON arrays of ids (tags by name), none where the selector does not
// restrict.
struct Selection {
  bool nothing = false;
  std::optional<std::string> customers, devices, tags;
};

Result<Selection> resolve(Inventory& inventory, Connection& c, const Selector& selector) {
  Selection selection;
  if (!selector.customers.empty()) {
    Json ids = Json::array();
    for (const std::string& name : selector.customers) {
      const auto customer = inventory.customer(name);
      if (!customer) return customer.error();
      ids.push_back(customer->id.value);
    }
    selection.customers = ids.dump();
  }
  if (!selector.devices.empty()) {
    Json ids = Json::array();
    for (const auto& [customer, name] : selector.devices) {
      const auto device = inventory.device(customer, name);
      if (!device) return device.error();
      ids.push_back(device->id.value);
    }
    selection.devices = ids.dump();
  }
  if (!selector.tags.empty()) {
    for (const std::string& tag : selector.tags) {
      Statement row(c, "SELECT 1 FROM device_tag WHERE tag = ?1 LIMIT 1", tag);
      if (!row.step()) return setup_failure(fmt::format("no device has the tag \"{}\"", tag));
    }
    selection.tags = Json(selector.tags).dump();
  }
  selection.nothing = !selector.all && !selection.customers && !selection.devices && !selection.tags;
  return selection;
}

// FROM, WHERE and ORDER BY for a selection; ?1, ?2, ?3 are its customers, devices and tags. Names come out of
// their indexes in order, so that a page of all devices sorts nothing.
std::string from_where(const Selection& selection, std::string_view further = "") {
  std::string sql = "FROM customer c CROSS JOIN device d ON d.customer_id = c.id WHERE 1";
  // Single devices are looked up by their ids; CROSS JOIN fixes that order too.
  if (selection.devices)
    sql =
        "FROM json_each(?2) j CROSS JOIN device d ON d.id = j.value CROSS JOIN customer c ON c.id = "
        "d.customer_id WHERE 1";
  else if (selection.tags && !selection.customers)
    sql =
        "FROM (SELECT DISTINCT t.device_id FROM json_each(?3) j CROSS JOIN device_tag t ON t.tag = j.value) "
        "w "
        "CROSS JOIN device d ON d.id = w.device_id CROSS JOIN customer c ON c.id = d.customer_id WHERE 1";
  if (selection.customers) sql += " AND c.id IN (SELECT value FROM json_each(?1))";
  if (selection.tags && (selection.devices || selection.customers))
    sql +=
        " AND EXISTS (SELECT 1 FROM device_tag t WHERE t.device_id = d.id AND t.tag IN (SELECT value FROM "
        "json_each(?3)))";
  sql += further;
  if (selection.devices) sql += " GROUP BY d.id";  // one named twice is one
  return sql + " ORDER BY c.name, d.name";
}

}  // namespace

Result<Device> Inventory::device(std::string_view customer_name, std::string_view name) {
  return reading(db_, [&](Connection& c) -> Result<Device> {
    static const std::string sql = fmt::format(
        "SELECT {} FROM customer c JOIN device d ON d.customer_id = c.id WHERE c.name = ?1 AND d.name = ?2",
        device_columns);
    {
      Statement row(c, sql, customer_name, name);
      if (row.step()) {
        Columns columns(row);
        return read_device(columns);
      }
    }
    const auto known = customer(customer_name);
    if (!known) return known.error();
    return setup_failure(fmt::format("unknown device \"{}/{}\"", customer_name, name));
  });
}

Result<Device> Inventory::device(DeviceId id) {
  return reading(db_, [&](Connection& c) -> Result<Device> {
    static const std::string sql = fmt::format(
        "SELECT {} FROM device d JOIN customer c ON c.id = d.customer_id WHERE d.id = ?1", device_columns);
    Statement row(c, sql, id);
    if (!row.step()) return setup_failure(fmt::format("device {} does not exist", id.value));
    Columns columns(row);
    return read_device(columns);
  });
}

Result<std::vector<DeviceSummary>> Inventory::devices(const Selector& selector, std::size_t limit,
                                                      std::size_t offset) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<DeviceSummary>> {
    const auto selection = resolve(*this, c, selector);
    if (!selection) return selection.error();
    std::vector<DeviceSummary> page;
    if (selection->nothing) return page;
    const std::string sql = fmt::format(
        "SELECT {}, "
        "(SELECT b.taken_ms FROM backup b WHERE b.device_id = d.id ORDER BY b.attempt_id DESC LIMIT 1), "
        "(SELECT s.state FROM series s WHERE s.device_id = d.id ORDER BY s.scheduled_for_ms DESC, s.id DESC "
        "LIMIT 1) "
        "{} LIMIT ?4 OFFSET ?5",
        device_columns, from_where(*selection));
    const std::int64_t rows = limit == 0 ? -1 : static_cast<std::int64_t>(limit);
    Statement row(c, sql, selection->customers, selection->devices, selection->tags, rows, offset);
    while (row.step()) {
      Columns columns(row);
      DeviceSummary& summary = page.emplace_back();
      summary.device = read_device(columns);
      summary.last_backup_at = columns.next<std::optional<UtcTime>>();
      summary.last_series_state = columns.next_named_or_null(series::parse_state);
    }
    return page;
  });
}

Result<std::vector<DeviceId>> Inventory::select(const Selector& selector, bool enabled_only) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<DeviceId>> {
    const auto selection = resolve(*this, c, selector);
    if (!selection) return selection.error();
    std::vector<DeviceId> ids;
    if (selection->nothing) return ids;
    // LIMIT ?4, although there is none: a value can only be bound up to the highest number a statement names.
    const std::string sql = fmt::format("SELECT d.id {} LIMIT ?4",
                                        from_where(*selection, enabled_only ? " AND d.enabled = 1" : ""));
    Statement row(c, sql, selection->customers, selection->devices, selection->tags, std::int64_t{-1});
    while (row.step()) ids.push_back(Columns(row).next<DeviceId>());
    return ids;
  });
}

}  // namespace nightjar::store
