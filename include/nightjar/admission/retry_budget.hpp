// How many retries may go beside the first attempts, so that a bad hour does not double the load. Lives in
// memory: a restart begins with an empty minute, which allows less, not more. It counts what it puts off;
// when that is tried again is up to the caller.
#pragma once
#include <nightjar/base/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace nightjar::admission {

struct RetryAllowance {
  int percent = 20;     // of the first attempts of the last minute, shared by the retries of that minute
  int per_second = 10;  // beside that, in each second; what is not used is gone with the second
  bool operator==(const RetryAllowance&) const = default;
};

// The minute slides by whole seconds, the running one included. A retry takes one of its second's ten first
// and draws on the minute's share when they are gone, so a quiet platform never holds a retry back and in no
// minute are there more than 600 plus a fifth of the first attempts. O(1); a time before the newest one seen
// counts as that.
class RetryBudget {
 public:
  explicit RetryBudget(RetryAllowance allowance = {}) : allowance_(allowance) {}

  void first(MonoTime now);       // a first attempt starts
  bool take_retry(MonoTime now);  // true: it starts, and is counted; false: it is put off, and is counted
  MonoTime next_retry_at(MonoTime now);  // `now` when one may go, else the next second: when to ask again
  std::uint64_t put_off() const { return put_off_; }  // times a retry was put off, one retry more than once

 private:
  static constexpr std::int64_t minute = 60;
  struct Second {
    std::int64_t firsts = 0;
    std::int64_t shared = 0;  // retries that drew on the share
  };

  void advance(MonoTime now);
  Second& newest() { return seconds_[static_cast<std::size_t>(second_ % minute)]; }
  bool has_own() const { return own_ < allowance_.per_second; }
  bool has_share() const { return (total_.shared + 1) * 100 <= total_.firsts * allowance_.percent; }

  RetryAllowance allowance_;
  std::array<Second, minute> seconds_{};
  Second total_;             // of seconds_
  std::int64_t second_ = 0;  // the newest, of MonoTime's own count
  int own_ = 0;              // retries that took one of this second's own
  std::uint64_t put_off_ = 0;
};

}  // namespace nightjar::admission
