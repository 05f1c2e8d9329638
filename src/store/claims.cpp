// Opening, claiming and finding series: who works on what, and when.
#include "store/series_rows.hpp"

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

Failure refused(DeviceId device, const DatabaseFault& fault) {
  if (fault.is_dangling()) return setup_failure(fmt::format("device {} does not exist", device.value));
  throw fault;
}

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
    if (auto good = check_owner(owner); !good) return good.error();
    std::vector<Opened> opened;
    opened.reserve(devices.size());
    for (const DeviceId device : devices) {
      if (const auto found = open_series(c, device)) {
        if (found->owner.empty() || found->owner == owner) claim(c, found->id, owner, lease_until);
        opened.push_back({found->id, device, true});
        continue;
      }
      try {
        c.run(
            "INSERT INTO series (device_id, cause, state, scheduled_for_ms, window_start_ms, due_ms, "
            "attempts, counted, "
            "interruptions, previous_wait_ms, overtaken, cancel_requested, owner, lease_until_ms) "
            "VALUES (?1, ?2, 'pending', ?3, ?3, ?3, 0, 0, 0, 0, 0, 0, ?4, ?5)",
            device, series::to_text(trigger), now, owner, lease_until);
      } catch (const DatabaseFault& fault) {
        return refused(device, fault);
      }
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

Result<std::vector<SeriesRow>> SeriesBook::due(std::string_view owner, UtcTime now, std::size_t limit) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<SeriesRow>> {
    static const std::string sql = select_series(
        "WHERE s.owner = ?1 AND s.due_ms <= ?2 AND NOT EXISTS "
        "(SELECT 1 FROM series r WHERE r.device_id = s.device_id AND r.state = 'running') "
        "ORDER BY s.due_ms, s.id LIMIT ?3");
    std::vector<SeriesRow> rows;
    Statement row(c, sql, owner, now, limit);
    while (row.step()) rows.push_back(read_series(row));
    return rows;
  });
}

Result<std::optional<UtcTime>> SeriesBook::next_due(std::string_view owner) {
  return reading(db_, [&](Connection& c) -> Result<std::optional<UtcTime>> {
    Statement row(c,
                  "SELECT due_ms FROM series WHERE owner = ?1 AND due_ms IS NOT NULL ORDER BY due_ms LIMIT 1",
                  owner);
    std::optional<UtcTime> due;
    if (row.step()) due = Columns(row).next<UtcTime>();
    return due;
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
