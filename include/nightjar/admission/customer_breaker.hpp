// The breaker of one customer: when nothing of it can be reached any more, its due attempts wait instead of
// being used up, and one probe at a time finds out when the network is back. A row of the store: what a
// restart must not forget, and nothing else. It does not hold anything itself; it says what may start.
#pragma once
#include <nightjar/admission/evidence.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/time.hpp>

#include <cstdint>
#include <optional>

namespace nightjar::admission {

struct BreakerRule {
  int failures = 20;     // breaker_failures, >= 1
  Seconds cooldown{60};  // breaker_cooldown_seconds, >= 1
};

struct CustomerBreaker {
  int unreachable = 0;                 // attempts in a row that found nobody
  std::optional<UtcTime> opened_at{};  // since when it is open; empty: closed
  std::optional<UtcTime> probe_at{};   // when the next probe may go; set while open
  SeriesId probe{};                    // whose attempt is the probe under way; 0: none is
  bool operator==(const CustomerBreaker&) const = default;
};

bool is_open(const CustomerBreaker&);

// What may start now.
struct Gate {
  enum class Verdict : std::uint8_t {
    go,
    probe,  // exactly one attempt, which must be announced by begin_probe in the same transaction
    hold,
  };
  Verdict verdict = Verdict::go;
  UtcTime until{};  // of hold: when to ask again at the latest; never more than one cooldown from now
  bool operator==(const Gate&) const = default;
};

// A probe that would be further away than one cooldown goes at once: the clock was set back (how much of the
// cooldown has passed is not known then, and a probe too early costs one connection), or the cooldown was
// shortened. So a hold lasts one cooldown at most by any clock that runs on, whatever it did before.
// While a probe is under way all others hold, however long it takes; its end is what frees them.
Gate gate(const CustomerBreaker&, const BreakerRule&, UtcTime now);

// The attempt of this series, which is about to start, is the probe. Throws std::logic_error when the breaker
// is closed or a probe is under way: two probes at once are a bug of the caller.
CustomerBreaker begin_probe(CustomerBreaker, SeriesId);

// What an attempt of the customer told, probe or not; every attempt is observed when it ends, or its probe is
// never over. The series tells the probe from the others: by the time a probe ends, another attempt may have
// closed the breaker, and it may have opened again with a new probe since.
// - reached closes it, also when the attempt began before it opened: the device spoke just now.
// - lost closes it when it was the probe (it was reached after the breaker opened), and ends the count while
//   the breaker is closed. Sessions that an outage cut off die slowly, one by one: they do not close what
//   their own death is a sign of.
// - unreachable counts; the one that makes it `failures` opens the breaker. A probe that finds nobody leaves
//   it open for another cooldown from now; others that come late change the count and nothing else.
// - none changes nothing, except that a probe that ends so lets another one go.
CustomerBreaker observe(CustomerBreaker, SeriesId, Contact, const BreakerRule&, UtcTime now);

// At the start of the process: no attempt of the one before is under way, so no probe is either.
CustomerBreaker recovered(CustomerBreaker);

}  // namespace nightjar::admission
