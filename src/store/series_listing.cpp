// The book as people read it: one series, all of its attempts, lists.
#include "store/series_rows.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

std::optional<SeriesRow> find_row(Connection& c, SeriesId id) {
  static const std::string sql = select_series("WHERE s.id = ?1");
  Statement row(c, sql, id);
  if (!row.step()) return std::nullopt;
  return read_series(row);
}

std::optional<BackupRow> newest_backup(Connection& c, SeriesId id) {
  Statement row(c,
                "SELECT b.revision_id, lower(hex(r.sha256)), r.bytes, b.changed FROM attempt a "
                "JOIN backup b ON b.attempt_id = a.id JOIN revision r ON r.id = b.revision_id "
                "WHERE a.series_id = ?1 ORDER BY a.number DESC LIMIT 1",
                id);
  if (!row.step()) return std::nullopt;
  Columns columns(row);
  BackupRow backup;
  backup.revision = columns.next<RevisionId>();
  backup.sha256 = columns.next<std::string>();
  backup.bytes = columns.next<std::size_t>();
  backup.changed = columns.next<bool>();
  return backup;
}

std::string ids(const std::vector<DeviceId>& devices) {
  nlohmann::json all = nlohmann::json::array();
  for (const DeviceId device : devices) all.push_back(device.value);
  return all.dump();
}

}  // namespace

Result<SeriesRow> SeriesBook::find(SeriesId id) {
  return reading(db_, [&](Connection& c) -> Result<SeriesRow> {
    auto row = find_row(c, id);
    if (!row) return unknown_series(id);
    return std::move(*row);
  });
}

Result<SeriesDetail> SeriesBook::detail(SeriesId id) {
  return reading(db_, [&](Connection& c) -> Result<SeriesDetail> {
    auto row = find_row(c, id);
    if (!row) return unknown_series(id);
    SeriesDetail detail;
    detail.series = std::move(*row);
    detail.attempts = read_attempts(c, id);
    detail.backup = newest_backup(c, id);
    return detail;
  });
}

// Newest first. Each combination has the index that fits it: the open ones, the failed ones, those of a
// device, all by time.
Result<std::vector<SeriesRow>> SeriesBook::list(const SeriesQuery& query) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<SeriesRow>> {
    std::string where = "WHERE 1";
    if (!query.devices.empty()) where += " AND s.device_id IN (SELECT value FROM json_each(?1))";
    if (query.open_only) where += " AND s.ended_ms IS NULL";
    if (query.failed_only) where += " AND s.state = 'failed'";
    if (query.since) where += " AND s.scheduled_for_ms >= ?2";
    const std::string sql = select_series(where + " ORDER BY s.scheduled_for_ms DESC, s.id DESC LIMIT ?3");
    std::vector<SeriesRow> rows;
    Statement row(c, sql, ids(query.devices), query.since, query.limit);
    while (row.step()) rows.push_back(read_series(row));
    return rows;
  });
}

}  // namespace nightjar::store
