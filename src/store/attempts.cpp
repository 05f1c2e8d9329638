// The two ends of an attempt. What belongs together is one transaction: a crash leaves either all of it or
// none.
#include "store/compression.hpp"
#include "store/host_keys.hpp"
#include "store/rule_text.hpp"
#include "store/series_rows.hpp"

#include <nightjar/store/revisions.hpp>

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

// How long a claim stands without being renewed; only another engine than SQLite, where owner locks do not
// reach, looks at it.
constexpr std::chrono::hours lease{24};

std::string_view bytes(const revision::Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string hex(std::string_view raw) {
  revision::Digest digest{};
  std::copy_n(raw.begin(), std::min(raw.size(), digest.size()), digest.begin());
  return revision::to_hex(digest);
}

bool has_running_attempt(Connection& c, DeviceId device) {
  Statement row(c, "SELECT 1 FROM series WHERE device_id = ?1 AND state = 'running'", device);
  return row.step();
}

struct Kept {
  RevisionId id;
  std::string sha256;  // raw
  std::size_t bytes = 0;
};

std::optional<Kept> kept_revision(Connection& c, DeviceId device, const revision::Digest& comparable) {
  Statement row(c, "SELECT id, sha256, bytes FROM revision WHERE device_id = ?1 AND comparable = ?2", device,
                Blob{bytes(comparable)});
  if (!row.step()) return std::nullopt;
  Columns columns(row);
  Kept kept;
  kept.id = columns.next<RevisionId>();
  kept.sha256 = columns.next<std::string>();
  kept.bytes = columns.next<std::size_t>();
  return kept;
}

Kept keep(Connection& c, DeviceId device, const NewBackup& backup, UtcTime now) {
  if (auto kept = kept_revision(c, device, backup.comparable)) {
    // max: a clock that was set back does not make a text older.
    c.run("UPDATE revision SET last_seen_ms = max(last_seen_ms, ?2) WHERE id = ?1", kept->id, now);
    return *kept;
  }
  const auto digest = revision::digest(backup.text);
  c.run(
      "INSERT INTO revision (device_id, comparable, sha256, bytes, lines, first_seen_ms, last_seen_ms) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
      device, Blob{bytes(backup.comparable)}, Blob{bytes(digest)}, backup.text.size(),
      revision::count_lines(backup.text), now);
  const RevisionId id{c.last_insert_id()};
  c.run("INSERT INTO revision_text (revision_id, text) VALUES (?1, ?2)", id, Blob{compress(backup.text)});
  return {id, std::string{bytes(digest)}, backup.text.size()};
}

std::optional<RevisionId> revision_before(Connection& c, DeviceId device) {
  Statement row(c, "SELECT revision_id FROM backup WHERE device_id = ?1 ORDER BY attempt_id DESC LIMIT 1",
                device);
  if (!row.step()) return std::nullopt;
  return Columns(row).next<RevisionId>();
}

BackupRow write_backup(Connection& c, DeviceId device, AttemptId attempt, const NewBackup& backup,
                       UtcTime now) {
  const auto before = revision_before(c, device);
  const Kept kept = keep(c, device, backup, now);
  BackupRow row;
  row.revision = kept.id;
  row.sha256 = hex(kept.sha256);
  row.bytes = kept.bytes;
  row.changed = before != kept.id;
  c.run(
      "INSERT INTO backup (attempt_id, device_id, revision_id, taken_ms, changed) VALUES (?1, ?2, ?3, ?4, "
      "?5)",
      attempt, device, kept.id, now, row.changed);
  return row;
}

// Few rules are in force at a time, and each is kept once.
std::int64_t rule_id(Connection& c, const RuleInForce& in_force) {
  const auto rule = write_rule(in_force);
  {
    Statement known(c, "SELECT id FROM rule_in_force WHERE rule = ?1", rule);
    if (known.step()) return Columns(known).next<std::int64_t>();
  }
  c.run("INSERT INTO rule_in_force (rule) VALUES (?1)", rule);
  return c.last_insert_id();
}

// False: no such attempt of this series is running.
bool write_end(Connection& c, const AttemptEnd& end) {
  std::optional<std::string_view> failure_class, stage, reason;
  std::optional<std::string> transcript;
  if (end.failure) {
    failure_class = to_text(end.failure->failure_class);
    stage = to_text(end.failure->stage);
    reason = end.failure->reason;
    if (!end.failure->transcript_tail.empty()) transcript = pack(end.failure->transcript_tail);
  }
  const auto packed = transcript ? std::optional{Blob{*transcript}} : std::nullopt;
  const series::Decision& decision = end.decision.decision;
  return c.run(
             "UPDATE attempt SET ended_ms = ?3, outcome = ?4, failure_class = ?5, stage = ?6, reason = ?7, "
             "transport = ?8, "
             "action = ?9, wait_ms = ?10, jitter_ms = ?11, next_attempt_ms = ?12, rule_id = ?13, transcript "
             "= "
             "?14 "
             "WHERE id = ?1 AND series_id = ?2 AND ended_ms IS NULL",
             end.attempt, end.series, end.ended_at, series::to_text(end.outcome), failure_class, stage,
             reason, end.transport, series::to_text(decision.action), decision.wait, decision.jitter,
             decision.next_attempt_at, rule_id(c, end.decision.rule), packed) == 1;
}

Result<void> check(const AttemptEnd& end) {
  const bool success = end.outcome == series::Outcome::success;
  if (success != end.backup.has_value())
    return failure(FailureClass::internal, Stage::store,
                   "a success comes with a backup, and nothing else does");
  if (end.after.state == series::State::running)
    return failure(FailureClass::internal, Stage::store,
                   "a series does not stay running when its attempt ends");
  return {};
}

}  // namespace

Result<AttemptId> SeriesBook::begin_attempt(const AttemptBegin& begin, std::string_view owner) {
  return writing(db_, [&](Connection& c) -> Result<AttemptId> {
    if (owner.empty()) return setup_failure("an attempt needs an owner");
    const SeriesId id = begin.series;
    const auto now = standing(c, id);
    if (!now) return unknown_series(id);
    if (!now->owner.empty() && now->owner != owner)
      return setup_failure(fmt::format("series {} is held by {}", id.value, now->owner));
    if (has_running_attempt(c, now->device))
      return setup_failure(fmt::format("another attempt of the device of series {} is running", id.value));
    if (now->state != series::State::pending && now->state != series::State::retry_wait)
      return setup_failure(fmt::format("series {} is {} meanwhile", id.value, series::to_text(now->state)));
    const auto claim =
        now->owner.empty() ? std::optional{Claim{owner, begin.started_at + lease}} : std::nullopt;
    write_series(c, id, begin.after, begin.started_at, true, claim);
    if (begin.held > Milliseconds{0})
      c.run("UPDATE series SET held_ms = held_ms + ?2 WHERE id = ?1", id, begin.held);
    const auto held_by = begin.held_by ? std::optional{to_text(*begin.held_by)} : std::nullopt;
    c.run(
        "INSERT INTO attempt (series_id, number, queued_ms, held_ms, held_by, started_ms, transport) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, '')",
        id, begin.after.attempts, std::max(begin.queued, Milliseconds{0}),
        std::max(begin.held, Milliseconds{0}), held_by, begin.started_at);
    return AttemptId{c.last_insert_id()};
  });
}

Result<std::optional<BackupRow>> SeriesBook::end_attempt(const AttemptEnd& end) {
  return writing(db_, [&](Connection& c) -> Result<std::optional<BackupRow>> {
    if (auto good = check(end); !good) return good.error();
    const auto now = standing(c, end.series);
    if (!now) return unknown_series(end.series);
    if (!write_end(c, end))
      return setup_failure(
          fmt::format("attempt {} of series {} is not running", end.attempt.value, end.series.value));
    write_series(c, end.series, end.after, end.ended_at, end.keep_claim);
    if (!end.evidence.empty())
      c.run("INSERT INTO evidence (attempt_id, text) VALUES (?1, ?2)", end.attempt, Blob{pack(end.evidence)});
    if (end.host_key) {
      PinnedHostKey key = *end.host_key;
      key.device = now->device;
      write_host_key(c, key);
    }
    std::optional<BackupRow> backup;
    if (end.backup) backup = write_backup(c, now->device, end.attempt, *end.backup, end.ended_at);
    return backup;
  });
}

Result<void> SeriesBook::update(SeriesId id, const series::Series& after, UtcTime when) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    const auto now = standing(c, id);
    if (!now) return unknown_series(id);
    // Running begins and ends with an attempt: one that began or ended meanwhile makes this change out of
    // date.
    const bool running = now->state == series::State::running;
    if (running != (after.state == series::State::running))
      return setup_failure(fmt::format("series {} is {} meanwhile", id.value, series::to_text(now->state)));
    write_series(c, id, after, when);
    return {};
  });
}

Result<std::optional<std::string>> SeriesBook::evidence(AttemptId id) {
  return reading(db_, [&](Connection& c) -> Result<std::optional<std::string>> {
    std::optional<std::string> text;
    Statement row(c, "SELECT text FROM evidence WHERE attempt_id = ?1", id);
    if (!row.step()) return text;
    text = unpack(Columns(row).next<std::string>());
    if (!text) c.fail(SQLITE_CORRUPT);
    return text;
  });
}

}  // namespace nightjar::store
