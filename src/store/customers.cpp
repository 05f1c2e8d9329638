#include "store/connection.hpp"
#include "store/names.hpp"

#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

std::vector<std::string> customer_names(Connection& c) {
  std::vector<std::string> names;
  Statement row(c, "SELECT name FROM customer ORDER BY name");
  while (row.step()) names.push_back(Columns(row).next<std::string>());
  return names;
}

Failure taken(const Customer& customer) {
  return setup_failure(fmt::format("customer \"{}\" exists already", customer.name));
}

Failure unknown(CustomerId id) {
  return setup_failure(fmt::format("customer {} does not exist", id.value));
}

Result<void> check(const Customer& customer) {
  return check_name("customer", customer.name);
}

// The time zone is one field of the customer's schedule.
Result<void> set_timezone(Database& db, CustomerId id, const std::string& timezone) {
  Settings settings{db};
  const Scope scope{rules::Level::customer, id, {}};
  auto layer = settings.layer<schedule::ScheduleFields>(scope);
  if (!layer) return layer.error();
  if (auto zone = rules::assign<schedule::ScheduleFields>(*layer, "timezone", timezone); !zone) return zone;
  return settings.set_layer<schedule::ScheduleFields>(scope, *layer);
}

constexpr std::string_view select_customer =
    "SELECT c.id, c.name, s.value FROM customer c "
    "LEFT JOIN setting s ON s.customer_id = c.id AND s.section = 'schedule' AND s.field = 'timezone' ";

Customer read_customer(const Statement& row) {
  Columns columns(row);
  Customer customer;
  customer.id = columns.next<CustomerId>();
  customer.name = columns.next<std::string>();
  customer.timezone = columns.next<std::string>();
  return customer;
}

}  // namespace

Result<CustomerId> Inventory::add_customer(const Customer& customer) {
  return writing(db_, [&](Connection& c) -> Result<CustomerId> {
    if (auto good = check(customer); !good) return good.error();
    try {
      c.run("INSERT INTO customer (name) VALUES (?1)", customer.name);
    } catch (const DatabaseFault& fault) {
      if (fault.is_taken()) return taken(customer);
      throw;
    }
    const CustomerId id{c.last_insert_id()};
    if (auto zone = set_timezone(db_, id, customer.timezone); !zone) return zone.error();
    return id;
  });
}

Result<void> Inventory::update_customer(const Customer& customer) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (auto good = check(customer); !good) return good;
    try {
      if (c.run("UPDATE customer SET name = ?2 WHERE id = ?1", customer.id, customer.name) == 0)
        return unknown(customer.id);
    } catch (const DatabaseFault& fault) {
      if (fault.is_taken()) return taken(customer);
      throw;
    }
    return set_timezone(db_, customer.id, customer.timezone);
  });
}

Result<void> Inventory::remove_customer(CustomerId id) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (c.run("DELETE FROM customer WHERE id = ?1", id) == 0) return unknown(id);
    return {};
  });
}

Result<Customer> Inventory::customer(std::string_view name) {
  return reading(db_, [&](Connection& c) -> Result<Customer> {
    {
      static const std::string sql{std::string{select_customer} + "WHERE c.name = ?1"};
      Statement row(c, sql, name);
      if (row.step()) return read_customer(row);
    }
    return setup_failure(fmt::format("unknown customer \"{}\"{}", name, suggestion(name, customer_names(c))));
  });
}

Result<std::vector<Customer>> Inventory::customers() {
  return reading(db_, [](Connection& c) -> Result<std::vector<Customer>> {
    std::vector<Customer> all;
    static const std::string sql{std::string{select_customer} + "ORDER BY c.name"};
    Statement row(c, sql);
    while (row.step()) all.push_back(read_customer(row));
    return all;
  });
}

}  // namespace nightjar::store
