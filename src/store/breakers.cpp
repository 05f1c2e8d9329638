#include "store/connection.hpp"

#include <nightjar/store/breakers.hpp>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

admission::CustomerBreaker read_customer_breaker(Columns& columns) {
  admission::CustomerBreaker breaker;
  breaker.unreachable = columns.next<int>();
  breaker.opened_at = columns.next<std::optional<UtcTime>>();
  breaker.probe_at = columns.next<std::optional<UtcTime>>();
  breaker.probe = columns.next<SeriesId>();
  return breaker;
}

admission::CredentialBreaker read_credential_breaker(Connection& c, CredentialId id) {
  admission::CredentialBreaker breaker;
  {
    Statement row(c, "SELECT tripped_ms, refused, edition FROM credential_breaker WHERE credential_id = ?1",
                  id);
    if (!row.step()) return breaker;
    Columns columns(row);
    breaker.tripped_at = columns.next<std::optional<UtcTime>>();
    breaker.refused = columns.next<std::int64_t>();
    breaker.edition = columns.next<std::int64_t>();
  }
  Statement row(c,
                "SELECT device_id, at_ms FROM credential_rejection WHERE credential_id = ?1 "
                "ORDER BY at_ms, device_id",
                id);
  while (row.step()) {
    Columns columns(row);
    admission::Rejection& rejection = breaker.in_a_row.emplace_back();
    rejection.device = columns.next<DeviceId>();
    rejection.at = columns.next<UtcTime>();
  }
  return breaker;
}

// An answer may come in when the device, or even the credential, has been removed: what is gone has no row.
void write_credential_breaker(Connection& c, CredentialId id, const admission::CredentialBreaker& breaker) {
  if (c.run("INSERT INTO credential_breaker (credential_id, tripped_ms, refused, edition) "
            "SELECT id, ?2, ?3, ?4 FROM credential WHERE id = ?1 "
            "ON CONFLICT (credential_id) DO UPDATE SET tripped_ms = excluded.tripped_ms, "
            "refused = excluded.refused, edition = excluded.edition",
            id, breaker.tripped_at, breaker.refused, breaker.edition) == 0)
    return;
  c.run("DELETE FROM credential_rejection WHERE credential_id = ?1", id);
  for (const auto& rejection : breaker.in_a_row)
    c.run(
        "INSERT INTO credential_rejection (credential_id, device_id, at_ms) "
        "SELECT ?1, id, ?3 FROM device WHERE id = ?2",
        id, rejection.device, rejection.at);
}

}  // namespace

Result<CustomerBreakerRow> BreakerBook::of(CustomerId id) {
  return reading(db_, [&](Connection& c) -> Result<CustomerBreakerRow> {
    CustomerBreakerRow out;
    Statement row(
        c,
        "SELECT unreachable, opened_ms, probe_ms, probe, was_open_ms, closed_ms FROM customer_breaker "
        "WHERE customer_id = ?1",
        id);
    if (!row.step()) return out;
    Columns columns(row);
    out.breaker = read_customer_breaker(columns);
    out.was_open = columns.next<std::optional<UtcTime>>();
    out.closed_at = columns.next<std::optional<UtcTime>>();
    return out;
  });
}

Result<void> BreakerBook::put(CustomerId id, const CustomerBreakerRow& row) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run(
        "INSERT INTO customer_breaker (customer_id, unreachable, opened_ms, probe_ms, probe, was_open_ms, "
        "closed_ms) SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM customer WHERE id = ?1 "
        "ON CONFLICT (customer_id) DO UPDATE SET "
        "unreachable = excluded.unreachable, opened_ms = excluded.opened_ms, probe_ms = excluded.probe_ms, "
        "probe = excluded.probe, was_open_ms = excluded.was_open_ms, closed_ms = excluded.closed_ms",
        id, row.breaker.unreachable, row.breaker.opened_at, row.breaker.probe_at, row.breaker.probe,
        row.was_open, row.closed_at);
    return {};
  });
}

Result<admission::CredentialBreaker> BreakerBook::of(CredentialId id) {
  return reading(db_, [&](Connection& c) -> Result<admission::CredentialBreaker> {
    return read_credential_breaker(c, id);
  });
}

Result<void> BreakerBook::put(CredentialId id, const admission::CredentialBreaker& breaker) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    write_credential_breaker(c, id, breaker);
    return {};
  });
}

Result<std::vector<OpenBreakerRow>> BreakerBook::open_breakers() {
  return reading(db_, [](Connection& c) -> Result<std::vector<OpenBreakerRow>> {
    std::vector<OpenBreakerRow> all;
    Statement row(
        c,
        "SELECT c.id, c.name, b.unreachable, b.opened_ms, b.probe_ms, b.probe FROM customer c "
        "JOIN customer_breaker b ON b.customer_id = c.id WHERE b.opened_ms IS NOT NULL ORDER BY c.name");
    while (row.step()) {
      Columns columns(row);
      OpenBreakerRow& open = all.emplace_back();
      open.customer = columns.next<CustomerId>();
      open.customer_name = columns.next<std::string>();
      open.breaker = read_customer_breaker(columns);
    }
    return all;
  });
}

Result<std::vector<CredentialBreakerRow>> BreakerBook::tripped() {
  return reading(db_, [](Connection& c) -> Result<std::vector<CredentialBreakerRow>> {
    std::vector<CredentialBreakerRow> all;
    {
      Statement row(c,
                    "SELECT k.id, coalesce(c.name || '/', '') || k.name FROM credential k "
                    "JOIN credential_breaker b ON b.credential_id = k.id "
                    "LEFT JOIN customer c ON c.id = k.customer_id WHERE b.tripped_ms IS NOT NULL ORDER BY 2");
      while (row.step()) {
        Columns columns(row);
        CredentialBreakerRow& tripped = all.emplace_back();
        tripped.credential = columns.next<CredentialId>();
        tripped.name = columns.next<std::string>();
      }
    }
    for (auto& tripped : all) tripped.breaker = read_credential_breaker(c, tripped.credential);
    return all;
  });
}

Result<bool> BreakerBook::reset(CredentialId id) {
  return writing(db_, [&](Connection& c) -> Result<bool> {
    const auto before = read_credential_breaker(c, id);
    // Also when nothing was counted: attempts under way may still bring answers about what was reset.
    write_credential_breaker(c, id, admission::reset(before));
    return before.tripped_at.has_value() || !before.in_a_row.empty();
  });
}

Result<bool> BreakerBook::reset(CustomerId id) {
  return writing(db_, [&](Connection& c) -> Result<bool> {
    return c.run("DELETE FROM customer_breaker WHERE customer_id = ?1 AND opened_ms IS NOT NULL", id) > 0;
  });
}

Result<void> BreakerBook::put(const Daemon& daemon) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run(
        "INSERT OR REPLACE INTO daemon (id, owner, pid, started_ms, seen_ms, address, retries_put_off) "
        "VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)",
        daemon.owner, daemon.pid, daemon.started_at, daemon.seen_at, daemon.address,
        static_cast<std::int64_t>(daemon.retries_put_off));
    return {};
  });
}

Result<std::optional<Daemon>> BreakerBook::daemon() {
  return reading(db_, [](Connection& c) -> Result<std::optional<Daemon>> {
    Statement row(
        c, "SELECT owner, pid, started_ms, seen_ms, address, retries_put_off FROM daemon WHERE id = 1");
    std::optional<Daemon> out;
    if (!row.step()) return out;
    Columns columns(row);
    Daemon& daemon = out.emplace();
    daemon.owner = columns.next<std::string>();
    daemon.pid = columns.next<std::int64_t>();
    daemon.started_at = columns.next<UtcTime>();
    daemon.seen_at = columns.next<UtcTime>();
    daemon.address = columns.next<std::string>();
    daemon.retries_put_off = columns.next<std::size_t>();
    return out;
  });
}

}  // namespace nightjar::store
