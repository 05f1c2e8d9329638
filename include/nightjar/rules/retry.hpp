// The retry rule: how often a failed backup is tried again and how long each wait is. Pure arithmetic; the
// dice for jitter come in as an argument. It does not decide whether a failure is retried at all: that is
// `series`.
#pragma once
#include <nightjar/base/dice.hpp>
#include <nightjar/base/failure.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/rules/cascade.hpp>
#include <nightjar/rules/value.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::rules {

enum class Spacing : std::uint8_t { geometric, linear };
enum class Jitter : std::uint8_t { none, equal, full, decorrelated };
std::string_view to_text(Spacing);
std::string_view to_text(Jitter);

// "none" (no limit) is a value of its own, not an empty field.
struct GiveUpAfter {
  std::optional<Seconds> limit;
  bool operator==(const GiveUpAfter&) const = default;
};

template <template <class> class F>
struct RetryFields {
  F<int> attempts{};    // total tries, the first one included
  F<Seconds> delay{};   // between the first failure and the second try
  F<double> backoff{};  // each wait is the one before times this
  F<Spacing> spacing{};
  F<Seconds> max_delay{};  // no wait is longer
  F<Jitter> jitter{};
  F<Seconds> attempt_timeout{};  // one attempt may take this long in all
  F<GiveUpAfter> give_up_after{};
  F<FailureClasses> retry_on{};
  bool operator==(const RetryFields&) const = default;
};

using RetryRule = RetryFields<Plain>;
using RetryLayer = RetryFields<std::optional>;
using EffectiveRetryRule = RetryFields<Resolved>;

template <>
struct Describe<RetryFields> {
  static constexpr std::tuple fields{
      Field{"attempts", "Attempts", IntegerBounds{1, 20},
            [](auto& r) -> decltype(auto) { return (r.attempts); }},
      Field{"delay_seconds", "First delay", IntegerBounds{1, 86400},
            [](auto& r) -> decltype(auto) { return (r.delay); }},
      Field{"backoff", "Spacing factor", DecimalBounds{1.0, 10.0},
            [](auto& r) -> decltype(auto) { return (r.backoff); }},
      Field{"spacing", "Spacing", Unbounded{}, [](auto& r) -> decltype(auto) { return (r.spacing); }},
      Field{"max_delay_seconds", "Delay ceiling", IntegerBounds{1, 86400},
            [](auto& r) -> decltype(auto) { return (r.max_delay); }},
      Field{"jitter", "Jitter", Unbounded{}, [](auto& r) -> decltype(auto) { return (r.jitter); }},
      Field{"attempt_timeout_seconds", "Attempt timeout", IntegerBounds{10, 7200},
            [](auto& r) -> decltype(auto) { return (r.attempt_timeout); }},
      Field{"give_up_after_seconds", "Give up after", IntegerBounds{60, 604800},
            [](auto& r) -> decltype(auto) { return (r.give_up_after); }},
      Field{"retry_on", "Retry on", Unbounded{}, [](auto& r) -> decltype(auto) { return (r.retry_on); }},
  };
  static RetryRule built_in();
};

extern template Result<void> assign<RetryFields>(RetryLayer&, std::string_view, std::string_view);

// Text of a value as the CLI, the store and screens write it: geometric, none, "timeout,busy" (and those of
// value.hpp). No value has an empty text: that means inherit (an empty set of classes is "none").
std::string to_text(GiveUpAfter);
std::string to_text(const FailureClasses&);

template <>
std::optional<Spacing> parse<Spacing>(std::string_view);
template <>
std::optional<Jitter> parse<Jitter>(std::string_view);
template <>
std::optional<GiveUpAfter> parse<GiveUpAfter>(std::string_view);
template <>
std::optional<FailureClasses> parse<FailureClasses>(std::string_view);

// Wait before attempt n (n >= 2; 0 for n < 2) with jitter left out; for decorrelated jitter the ceiling.
// Never negative, never overflows, never above max_delay.
Milliseconds longest_wait(const RetryRule&, int attempt);

struct Wait {
  Milliseconds wait{0};    // what is really waited, jitter included
  Milliseconds jitter{0};  // wait minus the wait without jitter; negative when jitter shortened it (0 base:
                           // decorrelated measures against first delay)
};
// The wait before attempt n with dice thrown. `previous` is the wait before the attempt that just failed
// (decorrelated looks at it; zero at the first, where the first delay stands in for it). wait <= longest_wait
// always holds.
Wait draw_wait(const RetryRule&, int attempt, Milliseconds previous, const Dice&);

enum class WindowEnd : std::uint8_t { attempts, give_up };

struct TimetableRow {
  int attempt = 1;
  Milliseconds wait{0};             // before this attempt
  Milliseconds since_scheduled{0};  // sum of waits: when this attempt starts, if each attempt took no time
  bool capped = false;              // the ceiling cut this wait
};
// Both told_after are upper bounds whatever the jitter: where give_up_after cuts the table, a try that jitter
// brings forward may still start up to that limit, and one that starts at the limit may still run into its
// timeout.
struct Timetable {
  std::vector<TimetableRow> rows;            // one per attempt that can start when every wait is its longest
  Milliseconds told_after{0};                // pure sum of waits
  Milliseconds told_after_with_timeouts{0};  // plus every attempt running into its timeout
  WindowEnd ended_by = WindowEnd::attempts;
};
Timetable timetable(const RetryRule&);

// Sentences for people when the window of a series that starts at `scheduled_for` outlasts the time to the
// next run or reaches past the morning report; empty when all is well. Times that are not known, or not after
// `scheduled_for`, are not warned about.
std::vector<std::string> window_warnings(const Timetable&, UtcTime scheduled_for,
                                         std::optional<UtcTime> next_run,
                                         std::optional<UtcTime> morning_report);

}  // namespace nightjar::rules
