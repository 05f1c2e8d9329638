#include "store/connection.hpp"

#include <nightjar/store/settings.hpp>

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;
using rules::Level;

// The name a settings struct has in the table.
template <template <template <class> class> class S>
constexpr std::string_view section = "";
template <>
constexpr std::string_view section<rules::RetryFields> = "retry";
template <>
constexpr std::string_view section<schedule::ScheduleFields> = "schedule";
template <>
constexpr std::string_view section<admission::LimitFields> = "limits";
template <>
constexpr std::string_view section<alerting::AlertFields> = "alerts";
template <>
constexpr std::string_view section<report::ReportFields> = "report";

template <template <template <class> class> class S>
void set_field(const Connection& c, S<std::optional>& layer, const std::string& field,
               const std::string& value) {
  const auto assigned = rules::assign<S>(layer, field, value);
  if (!assigned)
    throw DatabaseFault(SQLITE_CORRUPT, local_failure(fmt::format(
                                            "database {}: stored setting {}.{} is unusable: {}",
                                            c.file().string(), section<S>, field, assigned.error().reason)));
}

template <template <template <class> class> class S>
S<std::optional> read_layer(Statement& row) {
  S<std::optional> layer;
  while (row.step()) {
    Columns columns(row);
    const auto field = columns.next<std::string>();
    const auto value = columns.next<std::string>();
    set_field<S>(row.connection(), layer, field, value);
  }
  return layer;
}

template <template <template <class> class> class S>
S<std::optional> platform_layer(Connection& c) {
  Statement row(
      c, "SELECT field, value FROM setting WHERE customer_id IS NULL AND device_id IS NULL AND section = ?1",
      section<S>);
  return read_layer<S>(row);
}

template <template <template <class> class> class S>
S<std::optional> customer_layer(Connection& c, CustomerId id) {
  Statement row(c, "SELECT field, value FROM setting WHERE customer_id = ?1 AND section = ?2", id,
                section<S>);
  return read_layer<S>(row);
}

template <template <template <class> class> class S>
S<std::optional> device_layer(Connection& c, DeviceId id) {
  Statement row(c, "SELECT field, value FROM setting WHERE device_id = ?1 AND section = ?2", id, section<S>);
  return read_layer<S>(row);
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

template <template <template <class> class> class S>
Result<S<std::optional>> layer_of(Connection& c, const Scope& scope) {
  switch (scope.level) {
    case Level::platform:
      return platform_layer<S>(c);
    case Level::customer: {
      if (const auto name = customer_name(c, scope.customer); !name) return name.error();
      return customer_layer<S>(c, scope.customer);
    }
    case Level::device: {
      if (const auto place = place_of(c, scope.device); !place) return place.error();
      return device_layer<S>(c, scope.device);
    }
    case Level::built_in:
      break;
  }
  return no_such_level(scope.level);
}

// Rows of (owner, field, value), put into the layer of each owner.
template <template <template <class> class> class S, class Owner>
std::unordered_map<Owner, S<std::optional>> layers_by(Connection& c, std::string_view sql) {
  std::unordered_map<Owner, S<std::optional>> layers;
  Statement row(c, sql, section<S>);
  while (row.step()) {
    Columns columns(row);
    auto& layer = layers[columns.next<Owner>()];
    const auto field = columns.next<std::string>();
    const auto value = columns.next<std::string>();
    set_field<S>(c, layer, field, value);
  }
  return layers;
}

}  // namespace

template <template <template <class> class> class S>
Result<S<std::optional>> Settings::layer(const Scope& scope) {
  return reading(db_, [&](Connection& c) { return layer_of<S>(c, scope); });
}

template <template <template <class> class> class S>
Result<void> Settings::set_layer(const Scope& scope, const S<std::optional>& layer) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (const auto known = layer_of<S>(c, scope); !known) return known.error();
    std::optional<CustomerId> customer;
    std::optional<DeviceId> device;
    if (scope.level == Level::customer) {
      customer = scope.customer;
      c.run("DELETE FROM setting WHERE customer_id = ?1 AND section = ?2", scope.customer, section<S>);
    } else if (scope.level == Level::device) {
      device = scope.device;
      c.run("DELETE FROM setting WHERE device_id = ?1 AND section = ?2", scope.device, section<S>);
    } else {
      c.run("DELETE FROM setting WHERE customer_id IS NULL AND device_id IS NULL AND section = ?1",
            section<S>);
    }
    // What is written must be readable again: a value out of bounds is refused in the words of `rules`.
    std::optional<Failure> refusal;
    S<std::optional> readable;
    rules::for_each_field<S>([&](const auto& field) {
      using rules::to_text;
      const auto& own = field.get(layer);
      if (!own || refusal) return;
      const std::string text{to_text(*own)};
      if (const auto good = rules::assign<S>(readable, field.name, text); !good)
        refusal = good.error();
      else
        c.run(
            "INSERT INTO setting (customer_id, device_id, section, field, value) VALUES (?1, ?2, ?3, ?4, ?5)",
            customer, device, section<S>, field.name, text);
    });
    if (refusal) return *refusal;
    return {};
  });
}

template <template <template <class> class> class S>
Result<InForce<S>> Settings::in_force(const Scope& scope) {
  return reading(db_, [&](Connection& c) -> Result<InForce<S>> {
    InForce<S> in_force;
    CustomerId customer_id = scope.customer;
    if (scope.level == Level::device) {
      const auto place = place_of(c, scope.device);
      if (!place) return place.error();
      customer_id = place->customer;
      in_force.device_name = place->name;
    }
    const auto platform = platform_layer<S>(c);
    S<std::optional> customer, device;
    rules::Layers<S> layers{.platform = &platform};
    if (scope.level == Level::customer || scope.level == Level::device) {
      auto name = customer_name(c, customer_id);
      if (!name) return name.error();
      in_force.customer_name = std::move(*name);
      customer = customer_layer<S>(c, customer_id);
      layers.customer = &customer;
    }
    if (scope.level == Level::device) {
      device = device_layer<S>(c, scope.device);
      layers.device = &device;
    }
    if (scope.level == Level::built_in) layers = {};
    in_force.rule = rules::resolve(rules::Describe<S>::built_in(), layers);
    return in_force;
  });
}

template <template <template <class> class> class S>
Result<AllLayers<S>> Settings::all() {
  return reading(db_, [](Connection& c) -> Result<AllLayers<S>> {
    AllLayers<S> all;
    all.platform = platform_layer<S>(c);
    all.customers = layers_by<S, CustomerId>(
        c, "SELECT customer_id, field, value FROM setting WHERE customer_id IS NOT NULL AND section = ?1");
    all.devices = layers_by<S, DeviceId>(
        c, "SELECT device_id, field, value FROM setting WHERE device_id IS NOT NULL AND section = ?1");
    return all;
  });
}

template Result<rules::RetryLayer> Settings::layer<rules::RetryFields>(const Scope&);
template Result<void> Settings::set_layer<rules::RetryFields>(const Scope&, const rules::RetryLayer&);
template Result<InForce<rules::RetryFields>> Settings::in_force<rules::RetryFields>(const Scope&);
template Result<AllLayers<rules::RetryFields>> Settings::all<rules::RetryFields>();

template Result<schedule::ScheduleLayer> Settings::layer<schedule::ScheduleFields>(const Scope&);
template Result<void> Settings::set_layer<schedule::ScheduleFields>(const Scope&,
                                                                    const schedule::ScheduleLayer&);
template Result<InForce<schedule::ScheduleFields>> Settings::in_force<schedule::ScheduleFields>(const Scope&);
template Result<AllLayers<schedule::ScheduleFields>> Settings::all<schedule::ScheduleFields>();

template Result<admission::LimitLayer> Settings::layer<admission::LimitFields>(const Scope&);
template Result<void> Settings::set_layer<admission::LimitFields>(const Scope&, const admission::LimitLayer&);
template Result<InForce<admission::LimitFields>> Settings::in_force<admission::LimitFields>(const Scope&);
template Result<AllLayers<admission::LimitFields>> Settings::all<admission::LimitFields>();

template Result<alerting::PolicyLayer> Settings::layer<alerting::AlertFields>(const Scope&);
template Result<void> Settings::set_layer<alerting::AlertFields>(const Scope&, const alerting::PolicyLayer&);
template Result<InForce<alerting::AlertFields>> Settings::in_force<alerting::AlertFields>(const Scope&);
template Result<AllLayers<alerting::AlertFields>> Settings::all<alerting::AlertFields>();

template Result<report::ReportLayer> Settings::layer<report::ReportFields>(const Scope&);
template Result<void> Settings::set_layer<report::ReportFields>(const Scope&, const report::ReportLayer&);
template Result<InForce<report::ReportFields>> Settings::in_force<report::ReportFields>(const Scope&);
template Result<AllLayers<report::ReportFields>> Settings::all<report::ReportFields>();

}  // namespace nightjar::store
