#include "store/compression.hpp"
#include "store/connection.hpp"

#include <nightjar/revision/text.hpp>
#include <nightjar/store/revisions.hpp>

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

RevisionRow read_revision(const Statement& row) {
  Columns columns(row);
  RevisionRow revision;
  revision.id = columns.next<RevisionId>();
  revision.first_seen_at = columns.next<UtcTime>();
  revision.last_seen_at = columns.next<UtcTime>();
  revision.sha256 = columns.next<std::string>();
  revision.bytes = columns.next<std::size_t>();
  revision.lines = columns.next<std::size_t>();
  return revision;
}

}  // namespace

Result<std::vector<RevisionRow>> Revisions::history(DeviceId device) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<RevisionRow>> {
    std::vector<RevisionRow> rows;
    Statement row(c,
                  "SELECT id, first_seen_ms, last_seen_ms, lower(hex(sha256)), bytes, lines FROM revision "
                  "WHERE device_id = ?1 ORDER BY last_seen_ms DESC, id DESC",
                  device);
    while (row.step()) rows.push_back(read_revision(row));
    return rows;
  });
}

// That of the newest backup: a clock that was set back does not bring an older text forward.
Result<std::optional<RevisionRow>> Revisions::newest(DeviceId device) {
  return reading(db_, [&](Connection& c) -> Result<std::optional<RevisionRow>> {
    Statement row(
        c,
        "SELECT r.id, r.first_seen_ms, r.last_seen_ms, lower(hex(r.sha256)), r.bytes, r.lines FROM backup b "
        "JOIN revision r ON r.id = b.revision_id WHERE b.device_id = ?1 ORDER BY b.attempt_id DESC LIMIT 1",
        device);
    std::optional<RevisionRow> newest;
    if (row.step()) newest = read_revision(row);
    return newest;
  });
}

Result<RevisionRow> Revisions::find(DeviceId device, RevisionId id) {
  return reading(db_, [&](Connection& c) -> Result<RevisionRow> {
    Statement row(c,
                  "SELECT id, first_seen_ms, last_seen_ms, lower(hex(sha256)), bytes, lines FROM revision "
                  "WHERE id = ?1 AND device_id = ?2",
                  id, device);
    if (!row.step()) return setup_failure(fmt::format("the device has no revision {}", id.value));
    return read_revision(row);
  });
}

Result<std::string> Revisions::text(RevisionId id) {
  return reading(db_, [&](Connection& c) -> Result<std::string> {
    Statement row(c,
                  "SELECT bytes, lower(hex(sha256)), text FROM revision JOIN revision_text ON revision_id = "
                  "id WHERE id = ?1",
                  id);
    if (!row.step()) return setup_failure(fmt::format("revision {} does not exist", id.value));
    Columns columns(row);
    const auto bytes = columns.next<std::size_t>();
    const auto sha256 = columns.next<std::string>();
    auto text = decompress(columns.next<std::string>(), bytes);
    if (!text || revision::to_hex(revision::digest(*text)) != sha256)
      return local_failure(
          fmt::format("database {}: the text of revision {} is damaged", c.file().string(), id.value));
    return std::move(*text);
  });
}

}  // namespace nightjar::store
