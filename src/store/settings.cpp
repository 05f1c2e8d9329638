// The cascade's storage: one row per field that a level sets, its value in the text form of `rules`.
#include "store/connection.hpp"

#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

#include <unordered_map>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;
using rules::Level;
using rules::RetryLayer;

constexpr std::string_view section = "retry";

void set_field(const Connection& c, RetryLayer& layer, const std::string& field, const std::string& value) {
  const auto assigned = rules::assign<rules::RetryFields>(layer, field, value);
  if (!assigned)
    throw DatabaseFault(SQLITE_CORRUPT, local_failure(fmt::format(
                                            "database {}: stored setting {}.{} is unusable: {}",
                                            c.file().string(), section, field, assigned.error().reason)));
}

RetryLayer read_layer(Statement& row) {
  RetryLayer layer;
  while (row.step()) {
    Columns columns(row);
    const auto field = columns.next<std::string>();
    const auto value = columns.next<std::string>();
    set_field(row.connection(), layer, field, value);
  }
  return layer;
}

RetryLayer platform_layer(Connection& c) {
  Statement row(
      c, "SELECT field, value FROM setting WHERE customer_id IS NULL AND device_id IS NULL AND section = ?1",
      section);
  return read_layer(row);
}

RetryLayer customer_layer(Connection& c, CustomerId id) {
  Statement row(c, "SELECT field, value FROM setting WHERE customer_id = ?1 AND section = ?2", id, section);
  return read_layer(row);
}

RetryLayer device_layer(Connection& c, DeviceId id) {
  Statement row(c, "SELECT field, value FROM setting WHERE device_id = ?1 AND section = ?2", id, section);
  return read_layer(row);
}

Result<std::string> customer_name(Connection& c, CustomerId id) {
  Statement row(c, "SELECT name FROM customer WHERE id = ?1", id);
  if (!row.step()) return setup_failure(fmt::format("customer {} does not exist", id.value));
  return Columns(row).next<std::string>();
}

Failure no_such_level(Level level) {
  return setup_failure(fmt::format("rules are set for the platform, a customer or a device, not at level {}",
                                   rules::to_text(level)));
}

struct Place {
  CustomerId customer;
  std::string name;
};

Result<Place> place_of(Connection& c, DeviceId id) {
  Statement row(c, "SELECT customer_id, name FROM device WHERE id = ?1", id);
  if (!row.step()) return setup_failure(fmt::format("device {} does not exist", id.value));
  Columns columns(row);
  Place place;
  place.customer = columns.next<CustomerId>();
  place.name = columns.next<std::string>();
  return place;
}

Result<RetryLayer> layer_of(Connection& c, const Scope& scope) {
  switch (scope.level) {
    case Level::platform:
      return platform_layer(c);
    case Level::customer: {
      if (const auto name = customer_name(c, scope.customer); !name) return name.error();
      return customer_layer(c, scope.customer);
    }
    case Level::device: {
      if (const auto place = place_of(c, scope.device); !place) return place.error();
      return device_layer(c, scope.device);
    }
    case Level::built_in:
      break;
  }
  return no_such_level(scope.level);
}

}  // namespace

std::string_view RuleInForce::origin_name(Level level) const {
  switch (level) {
    case Level::customer:
      return customer_name;
    case Level::device:
      return device_name;
    case Level::built_in:
    case Level::platform:
      break;
  }
  return {};
}

Result<RetryLayer> Inventory::retry_layer(const Scope& scope) {
  return reading(db_, [&](Connection& c) { return layer_of(c, scope); });
}

Result<void> Inventory::set_retry_layer(const Scope& scope, const RetryLayer& layer) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (const auto known = layer_of(c, scope); !known) return known.error();
    std::optional<CustomerId> customer;
    std::optional<DeviceId> device;
    if (scope.level == Level::customer) {
      customer = scope.customer;
      c.run("DELETE FROM setting WHERE customer_id = ?1 AND section = ?2", scope.customer, section);
    } else if (scope.level == Level::device) {
      device = scope.device;
      c.run("DELETE FROM setting WHERE device_id = ?1 AND section = ?2", scope.device, section);
    } else {
      c.run("DELETE FROM setting WHERE customer_id IS NULL AND device_id IS NULL AND section = ?1", section);
    }
    // What is written must be readable again: a value out of bounds is refused in the words of `rules`.
    std::optional<Failure> refusal;
    RetryLayer readable;
    rules::for_each_field<rules::RetryFields>([&](const auto& field) {
      using rules::to_text;
      const auto& own = field.get(layer);
      if (!own || refusal) return;
      const auto text = to_text(*own);
      if (const auto good = rules::assign<rules::RetryFields>(readable, field.name, text); !good)
        refusal = good.error();
      else
        c.run(
            "INSERT INTO setting (customer_id, device_id, section, field, value) VALUES (?1, ?2, ?3, ?4, ?5)",
            customer, device, section, field.name, text);
    });
    if (refusal) return *refusal;
    return {};
  });
}

Result<RuleInForce> Inventory::retry_rule(const Scope& scope) {
  return reading(db_, [&](Connection& c) -> Result<RuleInForce> {
    RuleInForce in_force;
    CustomerId customer_id = scope.customer;
    if (scope.level == Level::device) {
      const auto place = place_of(c, scope.device);
      if (!place) return place.error();
      customer_id = place->customer;
      in_force.device_name = place->name;
    }
    const RetryLayer platform = platform_layer(c);
    RetryLayer customer, device;
    rules::Layers<rules::RetryFields> layers{.platform = &platform};
    if (scope.level == Level::customer || scope.level == Level::device) {
      auto name = customer_name(c, customer_id);
      if (!name) return name.error();
      in_force.customer_name = std::move(*name);
      customer = customer_layer(c, customer_id);
      layers.customer = &customer;
    }
    if (scope.level == Level::device) {
      device = device_layer(c, scope.device);
      layers.device = &device;
    }
    if (scope.level == Level::built_in) layers = {};
    in_force.rule = rules::resolve(rules::Describe<rules::RetryFields>::built_in(), layers);
    return in_force;
  });
}

Result<std::vector<std::pair<DeviceId, rules::EffectiveRetryRule>>> Inventory::all_retry_rules() {
  using Rules = std::vector<std::pair<DeviceId, rules::EffectiveRetryRule>>;
  return reading(db_, [](Connection& c) -> Result<Rules> {
    const RetryLayer platform = platform_layer(c);
    std::unordered_map<CustomerId, RetryLayer> customers;
    {
      Statement row(
          c, "SELECT customer_id, field, value FROM setting WHERE customer_id IS NOT NULL AND section = ?1",
          section);
      while (row.step()) {
        Columns columns(row);
        RetryLayer& layer = customers[columns.next<CustomerId>()];
        const auto field = columns.next<std::string>();
        set_field(c, layer, field, columns.next<std::string>());
      }
    }
    const auto built_in = rules::Describe<rules::RetryFields>::built_in();
    // Devices without settings of their own, nearly all, share what their customer resolves to.
    std::unordered_map<CustomerId, rules::EffectiveRetryRule> shared;
    const auto customer_rule = [&](CustomerId id) -> const rules::EffectiveRetryRule& {
      auto found = shared.find(id);
      if (found == shared.end()) {
        const auto own = customers.find(id);
        const rules::Layers<rules::RetryFields> layers{
            .platform = &platform, .customer = own == customers.end() ? nullptr : &own->second};
        found = shared.emplace(id, rules::resolve(built_in, layers)).first;
      }
      return found->second;
    };

    Rules all;
    Statement own(c,
                  "SELECT device_id, field, value FROM setting WHERE device_id IS NOT NULL AND section = ?1 "
                  "ORDER BY device_id",
                  section);
    bool more = own.step();
    Statement row(c, "SELECT id, customer_id FROM device ORDER BY id");
    while (row.step()) {
      Columns columns(row);
      const auto id = columns.next<DeviceId>();
      const auto customer_id = columns.next<CustomerId>();
      all.emplace_back(id, customer_rule(customer_id));
      RetryLayer layer;
      bool has_own = false;
      for (; more; more = own.step()) {
        Columns setting(own);
        if (setting.next<DeviceId>() != id) break;
        const auto field = setting.next<std::string>();
        set_field(c, layer, field, setting.next<std::string>());
        has_own = true;
      }
      if (!has_own) continue;
      const auto above = customers.find(customer_id);
      all.back().second = rules::resolve(
          built_in,
          rules::Layers<rules::RetryFields>{.platform = &platform,
                                            .customer = above == customers.end() ? nullptr : &above->second,
                                            .device = &layer});
    }
    return all;
  });
}

}  // namespace nightjar::store
