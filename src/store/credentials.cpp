#include "store/connection.hpp"
#include "store/names.hpp"

#include <nightjar/store/breakers.hpp>
#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

std::string select_credential(std::string_view which) {
  return fmt::format(
      "SELECT k.id, k.customer_id, c.name, k.name, k.username, k.sealed_password, k.sealed_enable, "
      "k.sealed_key, "
      "k.sealed_passphrase FROM credential k LEFT JOIN customer c ON c.id = k.customer_id {}",
      which);
}

std::optional<Blob> sealed(const std::string& bytes) {
  if (bytes.empty()) return std::nullopt;
  return Blob{bytes};
}

Credential read_credential(const Statement& row) {
  Columns columns(row);
  Credential credential;
  credential.id = columns.next<CredentialId>();
  credential.customer = columns.next<std::optional<CustomerId>>();
  credential.customer_name = columns.next<std::string>();
  credential.name = columns.next<std::string>();
  credential.username = columns.next<std::string>();
  credential.sealed_password = columns.next<std::string>();
  credential.sealed_enable = columns.next<std::string>();
  credential.sealed_key = columns.next<std::string>();
  credential.sealed_passphrase = columns.next<std::string>();
  return credential;
}

Failure unknown(CredentialId id) {
  return setup_failure(fmt::format("credential {} does not exist", id.value));
}

// The name by which people know it; the customer's may have to be looked up.
std::string shown_name(Connection& c, const Credential& credential) {
  if (!credential.customer) return credential.name;
  Statement row(c, "SELECT name FROM customer WHERE id = ?1", *credential.customer);
  return fmt::format("{}/{}", row.step() ? Columns(row).next<std::string>() : std::string{"?"},
                     credential.name);
}

// What a database's constraint meant, in words; rethrows what is none of the caller's doing.
Failure refused(Connection& c, const Credential& credential, const DatabaseFault& fault) {
  if (fault.is_taken())
    return setup_failure(fmt::format("credential \"{}\" exists already", shown_name(c, credential)));
  if (fault.is_dangling() && credential.customer)
    return setup_failure(fmt::format("customer {} does not exist", credential.customer->value));
  throw fault;
}

}  // namespace

std::string credential_record(CredentialId id, std::string_view part) {
  return fmt::format("credential/{}/{}", id.value, part);
}

std::string full_name(const Credential& credential) {
  return credential.customer_name.empty() ? credential.name
                                          : fmt::format("{}/{}", credential.customer_name, credential.name);
}

Result<CredentialId> Inventory::add_credential(const Credential& credential) {
  return writing(db_, [&](Connection& c) -> Result<CredentialId> {
    if (auto name = check_name("credential", credential.name); !name) return name.error();
    try {
      c.run(
          "INSERT INTO credential (customer_id, name, username, sealed_password, sealed_enable, sealed_key, "
          "sealed_passphrase) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
          credential.customer, credential.name, credential.username, sealed(credential.sealed_password),
          sealed(credential.sealed_enable), sealed(credential.sealed_key),
          sealed(credential.sealed_passphrase));
    } catch (const DatabaseFault& fault) {
      return refused(c, credential, fault);
    }
    return CredentialId{c.last_insert_id()};
  });
}

Result<void> Inventory::update_credential(const Credential& credential) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (auto name = check_name("credential", credential.name); !name) return name;
    try {
      if (c.run("UPDATE credential SET customer_id = ?2, name = ?3, username = ?4, sealed_password = ?5, "
                "sealed_enable = ?6, sealed_key = ?7, sealed_passphrase = ?8 WHERE id = ?1",
                credential.id, credential.customer, credential.name, credential.username,
                sealed(credential.sealed_password), sealed(credential.sealed_enable),
                sealed(credential.sealed_key), sealed(credential.sealed_passphrase)) == 0)
        return unknown(credential.id);
    } catch (const DatabaseFault& fault) {
      return refused(c, credential, fault);
    }
    // Another secret: what devices said to the old one counts no more.
    if (auto reset = BreakerBook{db_}.reset(credential.id); !reset) return reset.error();
    return {};
  });
}

Result<void> Inventory::remove_credential(CredentialId id) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    std::size_t users = 0;
    {
      Statement row(c, "SELECT count(*) FROM device WHERE credential_id = ?1", id);
      if (row.step()) users = Columns(row).next<std::size_t>();
    }
    if (users > 0) {
      Statement row(c, select_credential("WHERE k.id = ?1"), id);
      const std::string name = row.step() ? full_name(read_credential(row)) : std::string{};
      return setup_failure(
          fmt::format("credential \"{}\" is used by {} device{}", name, users, users == 1 ? "" : "s"));
    }
    if (c.run("DELETE FROM credential WHERE id = ?1", id) == 0) return unknown(id);
    return {};
  });
}

Result<Credential> Inventory::credential(std::string_view name) {
  return reading(db_, [&](Connection& c) -> Result<Credential> {
    const auto slash = name.find('/');
    if (slash == std::string_view::npos) {
      Statement row(c, select_credential("WHERE k.customer_id IS NULL AND k.name = ?1"), name);
      if (row.step()) return read_credential(row);
    } else {
      Statement row(c, select_credential("WHERE c.name = ?1 AND k.customer_id = c.id AND k.name = ?2"),
                    name.substr(0, slash), name.substr(slash + 1));
      if (row.step()) return read_credential(row);
    }
    return setup_failure(fmt::format("unknown credential \"{}\"", name));
  });
}

Result<Credential> Inventory::credential(CredentialId id) {
  return reading(db_, [&](Connection& c) -> Result<Credential> {
    Statement row(c, select_credential("WHERE k.id = ?1"), id);
    if (!row.step()) return unknown(id);
    return read_credential(row);
  });
}

Result<std::vector<Credential>> Inventory::credentials() {
  return reading(db_, [](Connection& c) -> Result<std::vector<Credential>> {
    std::vector<Credential> all;
    Statement row(c, select_credential("ORDER BY c.name, k.name"));
    while (row.step()) all.push_back(read_credential(row));
    return all;
  });
}

}  // namespace nightjar::store
