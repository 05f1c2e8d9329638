// What the morning report holds: plain values that its renderings (text, mail, JSON, CSV) only put into
// words. Each failed series is in it once, under its device; retries are numbers; failures that have one
// cause are one entry. It looks nothing up and reads no clock: what was gathered comes in as an Input.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/report/night.hpp>
#include <nightjar/series/series.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::report {

struct Place {
  DeviceId device;
  std::string name;
  CustomerId customer;
  std::string customer_name;
};

// What a failed series tells about more than its device.
enum class Evidence : std::uint8_t {
  none,
  unreachable,  // nobody answered
  rejected,     // the device rejected the credential
  refused,      // the attempt was not made: the credential had been rejected too often
};

// A failed series, as far as its cause may be one that it shares.
struct Failing {
  DeviceId device;
  CustomerId customer;
  CredentialId credential;  // 0: none
  UtcTime scheduled_for{}, ended_at{};
  Evidence evidence = Evidence::none;
  bool held = false;  // its last attempt had waited behind the customer's breaker, or was the probe
};

// A device that failed, by its newest failed series of the night.
struct FailedDevice {
  Place place;
  Failing failing;
  SeriesId series;
  std::vector<SeriesId> earlier;   // of the same night
  std::optional<Failure> failure;  // none: no attempt was made
  series::End end = series::End::exhausted;
  std::string transport;
  std::string credential_name;  // "" when the device names none
  int tries = 0, allowed = 0;   // allowed: what the rule said at the last decision, 0 when there was none
  UtcTime since{};              // scheduled time of the first failed series after the last good copy
  int nights = 1;               // from `since` to this night; set by build
  std::optional<UtcTime> last_good;
};

// The breaker of one customer: open since, or when it was open last.
struct Breaker {
  CustomerId customer;
  std::string customer_name;
  std::optional<UtcTime> opened_at;
  std::optional<UtcTime> was_open, closed_at;
};

struct SharedCause {
  enum class Kind : std::uint8_t { breaker, credential };
  Kind kind = Kind::breaker;
  std::string customer_name;                      // "" when several customers share it
  std::string credential;                         // its name
  std::optional<UtcTime> open_since, open_until;  // of a breaker, as far as is known
  std::size_t rejected = 0;  // devices that said no to the credential; the others were not tried
  std::vector<FailedDevice> devices;
};

struct Retrying {
  Place place;
  SeriesId series;
  std::optional<Failure> failure;
  int tries = 0, allowed = 0;
  UtcTime next_at{};
};

struct MissedRun {
  std::string customer_name;
  UtcTime scheduled_for{};
  std::size_t devices = 0;
  std::optional<UtcTime> noticed_at;  // none: nothing has noticed it yet, no daemon runs
  Seconds catch_up{};
  std::optional<UtcTime> next;
};

struct CaughtUpRun {
  std::string customer_name;
  UtcTime scheduled_for{};
  std::size_t devices = 0;
  UtcTime started_at{};
};

struct NeverBackedUp {
  Place place;
  std::optional<UtcTime> added_at;  // none: before that was noted
  bool enabled = true;
  std::optional<UtcTime> next_run;
  bool failed = false;  // this night too; set by build
};

struct StaleCopy {
  Place place;
  UtcTime last_good{};
  int stale_after_days = 0;
  bool enabled = true;    // the device is
  bool scheduled = true;  // its schedule is enabled
  bool failed = false;    // this night too; set by build
};

struct DisabledDevice {
  Place place;
  std::optional<UtcTime> last_good;
};

struct CancelledSeries {
  Place place;
  SeriesId series;
  UtcTime at{};
  int attempts = 0;
};

// Series of the night by the hour they ended in.
struct Hour {
  UtcTime begin{};
  std::size_t backed_up = 0, repaired = 0, failed = 0, cancelled = 0, missed = 0;
};

struct TrendNight {
  Date date{};
  std::size_t own = 0, shared = 0;  // devices
};

// Series, each by where it stands. `backed_up` includes `repaired` and `changed`.
struct Counts {
  std::size_t backed_up = 0, repaired = 0, changed = 0, failed = 0, retrying = 0, pending = 0, running = 0,
              missed = 0, cancelled = 0;
  std::size_t devices = 0;  // that any of these series is of
};

struct Input {
  std::string customer_name;  // "": the platform
  schedule::Zone zone;
  Night night;
  std::vector<Night> nights;  // of the trend, oldest first, this one last
  UtcTime now{};
  Counts counts;
  std::vector<FailedDevice> failed;
  std::vector<Failing> past;  // of all nights of the trend
  std::vector<Breaker> breakers;
  std::vector<Retrying> retrying;
  std::vector<MissedRun> missed;
  std::vector<CaughtUpRun> caught_up;
  std::vector<NeverBackedUp> never;
  std::vector<StaleCopy> stale;
  std::vector<DisabledDevice> disabled;
  std::vector<CancelledSeries> cancelled;
  std::vector<Hour> hours;  // those in which anything ended
};

struct Report {
  std::string customer_name;  // "": the platform
  schedule::Zone zone;
  Night night;
  bool so_far = false;  // the night is not over yet
  UtcTime as_of{};      // ages count from here: the report's time, or now
  Counts counts;
  std::vector<SharedCause> shared;  // most devices first
  std::vector<FailedDevice> own;    // longest failing first
  std::vector<Retrying> retrying;   // the next try first
  std::vector<MissedRun> missed;
  std::vector<CaughtUpRun> caught_up;
  std::vector<NeverBackedUp> never;
  std::vector<StaleCopy> stale;  // oldest first
  std::vector<DisabledDevice> disabled;
  std::vector<CancelledSeries> cancelled;
  std::vector<Breaker> open_breakers;
  std::vector<Hour> hours;        // without gaps
  std::vector<TrendNight> trend;  // oldest first
};

Report build(Input);

std::size_t due(const Counts&);  // series of the night
std::size_t devices_by_shared_causes(const Report&);

enum class Verdict : std::uint8_t { well, failed, nothing_due };
// failed: a series failed, or a run was missed.
Verdict verdict(const Report&);
// Nothing failed, waits, was missed or cancelled, is stale or was never backed up, and no breaker is open.
bool is_quiet(const Report&);

// "17 things to look at"
std::string headline(const Report&);
// "15 devices failed on their own, 2 shared causes took 43 more." Of a quiet night the whole report.
std::string sentence(const Report&);

}  // namespace nightjar::report
