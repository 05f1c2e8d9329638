// The book of series and attempts: the database is the queue. What is due next is an indexed query; claims
// carry an owner and a lease. An attempt's end, its decision and its backup are one transaction. It stores
// decisions, it makes none.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/revision/text.hpp>
#include <nightjar/series/series.hpp>
#include <nightjar/store/inventory.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::store {

// What kept an attempt from starting when it was due, beside the want of a slot.
enum class HeldBy : std::uint8_t { customer_breaker, credential_breaker, retry_budget };
std::string_view to_text(HeldBy);

struct SeriesRow {
  SeriesId id;
  DeviceId device;
  CustomerId customer;
  std::string customer_name, device_name;
  std::optional<RunId> run;  // the firing of a schedule it belongs to
  series::Trigger trigger = series::Trigger::manual;
  series::Series machine;
  std::optional<Failure> last_failure;  // of the newest attempt that failed, without its transcript
  std::string transport;                // of the newest attempt, "" before the first
  std::optional<UtcTime> started_at, ended_at;
  Milliseconds held{0};  // behind the customer's breaker, on all attempts together
  std::string owner;     // who holds the claim, "" when nobody: then it is the daemon's
  std::optional<UtcTime> lease_until;
};

struct DecisionRow {
  series::Decision decision;
  RuleInForce rule;
};

struct AttemptRow {
  AttemptId id;
  int number = 0;
  Milliseconds queued{0};  // waited after it was due, for a slot or for what held it back
  Milliseconds held{0};    // of that, behind the customer's breaker
  std::optional<HeldBy> held_by;
  UtcTime started_at{};
  std::optional<UtcTime> ended_at;
  std::optional<series::Outcome> outcome;
  std::optional<Failure> failure;  // with its transcript tail
  std::string transport;
  std::optional<DecisionRow> decision;
};

struct BackupRow {
  RevisionId revision;
  std::string sha256;  // hex
  std::size_t bytes = 0;
  bool changed = false;
};

struct SeriesDetail {
  SeriesRow series;
  std::vector<AttemptRow> attempts;
  std::optional<BackupRow> backup;
};

struct SeriesQuery {
  std::vector<DeviceId> devices;  // empty: all
  bool open_only = false;
  bool failed_only = false;
  std::optional<UtcTime> since;  // scheduled_for at or after
  std::size_t limit = 1000;
};

struct NewBackup {
  std::string text;  // exact bytes to keep
  revision::Digest
      comparable{};  // revision::fingerprint of revision::comparable(text): an earlier one's means unchanged
};

// A series that is due, as far as dealing slots needs to know it.
struct Waiting {
  SeriesId id;
  DeviceId device;
  CredentialId credential;  // 0: the device names none
  UtcTime due{};
  Milliseconds held{0};
};

// First attempts and retries of one customer stand in lines of their own.
struct Line {
  CustomerId customer;
  bool retries = false;
};

struct AttemptBegin {
  SeriesId series;
  series::Series after;  // as series::step returned it: running
  UtcTime started_at{};
  Milliseconds queued{0};
  Milliseconds held{0};
  std::optional<HeldBy> held_by;
};

// Everything the end of an attempt writes. `after` is the series as series::step returned it.
struct AttemptEnd {
  SeriesId series;
  AttemptId attempt;
  UtcTime ended_at{};
  series::Outcome outcome = series::Outcome::failure;
  std::optional<Failure> failure;
  std::string transport;
  series::Series after;
  DecisionRow decision;
  std::optional<NewBackup> backup;        // with outcome success
  std::string evidence;                   // text of an incomplete answer, kept beside; empty: none
  std::optional<PinnedHostKey> host_key;  // seen for the first time, or its algorithms changed
  bool keep_claim = true;                 // of a series that goes on; false: it becomes the daemon's
};

class SeriesBook {
 public:
  explicit SeriesBook(Database& db) : db_(db) {}

  struct Opened {
    SeriesId series;
    DeviceId device;
    bool joined = false;  // the device had an open series already
  };
  // One series per device, pending and due at `now`, claimed by `owner` ("": left to the daemon); a device
  // with an open series that no other owner holds gets that one (claimed, its due time untouched); one that
  // another owner holds is joined but not claimed.
  Result<std::vector<Opened>> open(const std::vector<DeviceId>& devices, series::Trigger, UtcTime now,
                                   std::string_view owner, UtcTime lease_until);
  // Open series nobody holds: claimed for `owner`, due times untouched.
  Result<std::vector<SeriesId>> adopt(const std::vector<DeviceId>& devices, std::string_view owner,
                                      UtcTime lease_until);

  // Of the series that `owner` holds, or nobody when it is "".
  Result<std::vector<CustomerId>> customers_waiting(std::string_view owner);
  // Due, the oldest first; left out are those whose device has a running attempt.
  Result<std::vector<Waiting>> waiting(std::string_view owner, Line, UtcTime now, std::size_t limit);
  // The first due time after `after`.
  Result<std::optional<UtcTime>> next_due(std::string_view owner, Line, UtcTime after);
  Result<std::size_t> count_open(std::string_view owner);  // a real owner's

  // Writes the attempt and the series (state running) before the first byte is sent, and claims the series
  // for `owner`. Refused (class setup) when another attempt of the device runs, or when another owner holds
  // it.
  Result<AttemptId> begin_attempt(const AttemptBegin&, std::string_view owner);
  // Returns the backup row when there was one. When the disk is full nothing of it is written.
  Result<std::optional<BackupRow>> end_attempt(const AttemptEnd&);

  // Writes a series that changed without an attempt ending (cancel, rerun, overtaken, missed).
  Result<void> update(SeriesId, const series::Series& after, UtcTime now);

  struct OpenCounts {
    std::size_t pending = 0, running = 0, retry_wait = 0;
    std::size_t due = 0;  // of those that wait: their time has come
    std::optional<UtcTime> oldest_due;
  };
  Result<OpenCounts> count_open_by_state(UtcTime now);
  Result<std::size_t> count_due(CustomerId, UtcTime now);  // that nobody has claimed

  // Series with an attempt of `owner` under way that an operator wants cancelled.
  Result<std::vector<SeriesId>> to_cancel(std::string_view owner);

  // Owners of claims and of running attempts: the caller finds out which of them are alive.
  Result<std::vector<std::string>> owners();
  struct Orphan {
    SeriesRow series;
    std::optional<AttemptRow> running;  // the attempt that was under way
  };
  Result<std::vector<Orphan>> held_by(std::string_view owner);
  Result<void> release(std::string_view owner);  // its claims, not its running attempts

  Result<SeriesRow> find(SeriesId);
  Result<SeriesDetail> detail(SeriesId);
  Result<std::vector<SeriesRow>> list(const SeriesQuery&);  // newest scheduled_for first
  Result<std::optional<std::string>> evidence(AttemptId);   // what an incomplete answer had brought

 private:
  Database& db_;
};

}  // namespace nightjar::store
