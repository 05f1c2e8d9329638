// How long the gate of a customer may hold one series back: max_delay_seconds of its rule, in all. After that
// it goes, open breaker or not, and its attempt is used up like any other.
#pragma once
#include <nightjar/admission/customer_breaker.hpp>
#include <nightjar/base/time.hpp>

namespace nightjar::admission {

// When a series that is due at `due` and was held back for `held_before` on its earlier attempts has been
// held back long enough. Never before `due`.
UtcTime hold_limit(UtcTime due, Milliseconds held_before, Seconds max_delay);

// The gate as it stands for a series with this limit: a hold ends there at the latest. A probe stays a probe.
Gate held_until(Gate, UtcTime limit, UtcTime now);

}  // namespace nightjar::admission
