// New connections per second. A key exchange costs 0.3 ms of CPU on the loop that serves all sessions: 1,000
// starts in one instant would hold every open session up for 300 ms; spread over a second nobody notices.
#pragma once
#include <nightjar/base/time.hpp>

#include <cstddef>
#include <cstdint>

namespace nightjar::admission {

// A token bucket that holds a twentieth of a second's worth, at least one: 2 at the default 50 a second; 50,
// or 15 ms of key exchanges, at 1,000. So a loop that comes 20 ms late loses nothing.
//
// In no second, wherever it begins, do more than `per_second` start: the bucket is refilled just so much
// slower that a full one is paid for (49 a second at 50). It begins with one token: at a restart all is
// overdue.
class Pace {
 public:
  Pace(int per_second, MonoTime now);  // less than 1 counts as 1

  std::size_t available(MonoTime now) const;

  // More than there is may be taken (an operator's own backup does not queue); those after it pay for that.
  void take(std::size_t count, MonoTime now);

  // When it is worth looking again: a quarter of a full bucket, at least one, is there; `now` when it is. A
  // loop that woke for each single one would look 1,000 times a second at 1,000 a second.
  MonoTime next(MonoTime now) const;

 private:
  std::int64_t capacity_;
  MonoTime::duration each_;  // one token's time
  MonoTime empty_at_;        // when the bucket was empty, or will be once a debt is paid
};

}  // namespace nightjar::admission
