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
  if (auto name = check_name("customer", customer.name); !name) return name;
  if (customer.timezone.empty())
    return setup_failure(fmt::format("customer \"{}\" has no time zone", customer.name));
  return {};
}

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
      c.run("INSERT INTO customer (name, timezone) VALUES (?1, ?2)", customer.name, customer.timezone);
    } catch (const DatabaseFault& fault) {
      if (fault.is_taken()) return taken(customer);
      throw;
    }
    return CustomerId{c.last_insert_id()};
  });
}

Result<void> Inventory::update_customer(const Customer& customer) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (auto good = check(customer); !good) return good;
    try {
      if (c.run("UPDATE customer SET name = ?2, timezone = ?3 WHERE id = ?1", customer.id, customer.name,
                customer.timezone) == 0)
        return unknown(customer.id);
    } catch (const DatabaseFault& fault) {
      if (fault.is_taken()) return taken(customer);
      throw;
    }
    return {};
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
      Statement row(c, "SELECT id, name, timezone FROM customer WHERE name = ?1", name);
      if (row.step()) return read_customer(row);
    }
    return setup_failure(fmt::format("unknown customer \"{}\"{}", name, suggestion(name, customer_names(c))));
  });
}

Result<std::vector<Customer>> Inventory::customers() {
  return reading(db_, [](Connection& c) -> Result<std::vector<Customer>> {
    std::vector<Customer> all;
    Statement row(c, "SELECT id, name, timezone FROM customer ORDER BY name");
    while (row.step()) all.push_back(read_customer(row));
    return all;
  });
}

}  // namespace nightjar::store
