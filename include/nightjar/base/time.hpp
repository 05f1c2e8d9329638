// Time inside Nightjar: UTC wall time in milliseconds for what is stored and shown, a monotonic time for
// deadlines. Nothing here reads a clock; time zones live in `schedule` and at display.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace nightjar {

using Milliseconds = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;
using UtcTime = std::chrono::sys_time<Milliseconds>;
using MonoTime = std::chrono::steady_clock::time_point;

// 2026-11-30T02:00:00Z. Fractions of a second are cut off, not rounded.
std::string to_rfc3339(UtcTime);

// The same form back, with Z or an offset, fractions allowed; empty when the text is not a time.
std::optional<UtcTime> parse_rfc3339(std::string_view);

// For people: 250 ms, 40 s, 1 min 36 s, 5 min, 2 h 05, 3 d 6 h. Negative spans read as 0 s.
std::string to_span(Milliseconds);

// 90s, 15m, 24h, 7d; empty when the text is none of these.
std::optional<Seconds> parse_span(std::string_view);

}  // namespace nightjar
