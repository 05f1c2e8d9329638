// Opening, claiming and finding series: who works on what, and when.
#include "store/series_rows.hpp"

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

Result<void> check_owner(std::string_view owner) {
  if (owner.empty()) return setup_failure("a claim needs an owner");
  return {};
}

// The newest open series of a device and who holds it.
struct OpenSeries {
  SeriesId id;
  std::string owner;
};
std::optional<OpenSeries> open_series(Connection& c, DeviceId device) {
  Statement row(
      c, "SELECT id, owner FROM series WHERE device_id = ?1 AND ended_ms IS NULL ORDER BY id DESC LIMIT 1",
      device);
  if (!row.step()) return std::nullopt;
  Columns columns(row);
  OpenSeries found;
  found.id = columns.next<SeriesId>();
  found.owner = columns.next<std::string>();
  return found;
}

void claim(Connection& c, SeriesId id, std::string_view owner, UtcTime lease_until) {
  c.run("UPDATE series SET owner = ?2, lease_until_ms = ?3 WHERE id = ?1", id, owner, lease_until);
}

}  // namespace

Result<std::vector<SeriesBook::Opened>> SeriesBook::open(const std::vector<DeviceId>& devices,
                                                         series::Trigger trigger, UtcTime now,
                                                         std::string_view owner, UtcTime lease_until) {
  return writing(db_, [&](Connection& c) -> Result<std::vector<Opened>> {
    std::vector<Opened> opened;
    opened.reserve(devices.size());
    const auto claimant = owner_or_null(owner);
    const auto until = claimant ? std::optional{lease_until} : std::nullopt;
    for (const DeviceId device : devices) {
      if (const auto found = open_series(c, device)) {
        if (claimant && (found->owner.empty() || found->owner == owner))
          claim(c, found->id, owner, lease_until);
        opened.push_back({found->id, device, true});
        continue;
      }
      const int added = c.run(
          "INSERT INTO series (device_id, customer_id, cause, state, scheduled_for_ms, window_start_ms, "
          "due_ms, attempts, counted, interruptions, previous_wait_ms, overtaken, cancel_requested, owner, "
          "lease_until_ms) "
          "SELECT id, customer_id, ?2, 'pending', ?3, ?3, ?3, 0, 0, 0, 0, 0, 0, ?4, ?5 FROM device "
          "WHERE id = ?1",
          device, series::to_text(trigger), now, claimant, until);
      if (added == 0) return setup_failure(fmt::format("device {} does not exist", device.value));
      opened.push_back({SeriesId{c.last_insert_id()}, device, false});
    }
    return opened;
  });
}

Result<std::vector<SeriesId>> SeriesBook::adopt(const std::vector<DeviceId>& devices, std::string_view owner,
                                                UtcTime lease_until) {
  return writing(db_, [&](Connection& c) -> Result<std::vector<SeriesId>> {
    if (auto good = check_owner(owner); !good) return good.error();
    std::vector<SeriesId> adopted;
    for (const DeviceId device : devices) {
      Statement row(c,
                    "UPDATE series SET owner = ?2, lease_until_ms = ?3 WHERE device_id = ?1 AND ended_ms IS "
                    "NULL AND owner IS NULL "
                    "RETURNING id",
                    device, owner, lease_until);
      while (row.step()) adopted.push_back(Columns(row).next<SeriesId>());
    }
    return adopted;
  });
}

// Jumps from customer to customer in the index.
Result<std::vector<CustomerId>> SeriesBook::customers_waiting(std::string_view owner) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<CustomerId>> {
    std::vector<CustomerId> all;
    CustomerId last;
    for (;;) {
      Statement row(
          c,
          "SELECT customer_id FROM series WHERE due_ms IS NOT NULL AND owner IS ?1 AND customer_id > ?2 "
          "ORDER BY customer_id LIMIT 1",
          owner_or_null(owner), last);
      if (!row.step()) return all;
      last = Columns(row).next<CustomerId>();
      all.push_back(last);
    }
  });
}

Result<std::vector<Waiting>> SeriesBook::waiting(std::string_view owner, Line line, UtcTime now,
                                                 std::size_t limit) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Waiting>> {
    std::vector<Waiting> all;
    Statement row(
        c,
        "SELECT s.id, s.device_id, d.credential_id, s.due_ms, s.held_ms FROM series s "
        "JOIN device d ON d.id = s.device_id "
        "WHERE s.due_ms IS NOT NULL AND s.owner IS ?1 AND s.customer_id = ?2 AND (s.attempts > 0) = ?3 "
        "AND s.due_ms <= ?4 AND NOT EXISTS "
        "(SELECT 1 FROM series r WHERE r.device_id = s.device_id AND r.state = 'running') "
        "ORDER BY s.due_ms, s.id LIMIT ?5",
        owner_or_null(owner), line.customer, line.retries, now, limit);
    while (row.step()) {
      Columns columns(row);
      Waiting& waiting = all.emplace_back();
      waiting.id = columns.next<SeriesId>();
      waiting.device = columns.next<DeviceId>();
      waiting.credential = columns.next<CredentialId>();
      waiting.due = columns.next<UtcTime>();
      waiting.held = columns.next<Milliseconds>();
    }
    return all;
  });
}

Result<std::optional<UtcTime>> SeriesBook::next_due(std::string_view owner, Line line, UtcTime after) {
  return reading(db_, [&](Connection& c) -> Result<std::optional<UtcTime>> {
    Statement row(
        c,
        "SELECT due_ms FROM series WHERE due_ms IS NOT NULL AND owner IS ?1 AND customer_id = ?2 AND "
        "(attempts > 0) = ?3 AND due_ms > ?4 ORDER BY due_ms LIMIT 1",
        owner_or_null(owner), line.customer, line.retries, after);
    std::optional<UtcTime> due;
    if (row.step()) due = Columns(row).next<UtcTime>();
    return due;
  });
}

Result<std::vector<SeriesId>> SeriesBook::to_cancel(std::string_view owner) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<SeriesId>> {
    std::vector<SeriesId> all;
    Statement row(c, "SELECT id FROM series WHERE owner = ?1 AND state = 'running' AND cancel_requested = 1",
                  owner);
    while (row.step()) all.push_back(Columns(row).next<SeriesId>());
    return all;
  });
}

// A series that has ended has no owner: what is held is open.
Result<std::size_t> SeriesBook::count_open(std::string_view owner) {
  return reading(db_, [&](Connection& c) -> Result<std::size_t> {
    Statement row(c, "SELECT count(*) FROM series WHERE owner = ?1", owner);
    return row.step() ? Columns(row).next<std::size_t>() : 0;
  });
}

// Jumps from owner to owner in the index, so that 100,000 series of one owner cost two look-ups.
Result<std::vector<std::string>> SeriesBook::owners() {
  return reading(db_, [](Connection& c) -> Result<std::vector<std::string>> {
    std::vector<std::string> all;
    std::string last;
    for (;;) {
      Statement row(c, "SELECT owner FROM series WHERE owner > ?1 ORDER BY owner LIMIT 1", last);
      if (!row.step()) return all;
      last = Columns(row).next<std::string>();
      all.push_back(last);
    }
  });
}

Result<std::vector<SeriesBook::Orphan>> SeriesBook::held_by(std::string_view owner) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Orphan>> {
    static const std::string sql = select_series("WHERE s.owner = ?1 ORDER BY s.id");
    std::vector<Orphan> orphans;
    {
      Statement row(c, sql, owner);
      while (row.step()) orphans.push_back({read_series(row), std::nullopt});
    }
    for (Orphan& orphan : orphans) {
      if (orphan.series.machine.state != series::State::running) continue;
      auto attempts = read_attempts(c, orphan.series.id);
      if (!attempts.empty() && !attempts.back().ended_at) orphan.running = std::move(attempts.back());
    }
    return orphans;
  });
}

Result<void> SeriesBook::release(std::string_view owner) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run("UPDATE series SET owner = NULL, lease_until_ms = NULL WHERE owner = ?1 AND state <> 'running'",
          owner);
    return {};
  });
}

}  // namespace nightjar::store
