// A series: one backup of one device for one scheduled time, through all of its attempts. `step` is the whole
// state machine: it decides, and does nothing else. It reads no clock and throws no dice of its own.
#pragma once
#include <nightjar/base/dice.hpp>
#include <nightjar/base/failure.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/rules/retry.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace nightjar::series {

enum class State : std::uint8_t { pending, running, retry_wait, succeeded, failed, cancelled, missed };
enum class End : std::uint8_t { exhausted, permanent, overtaken };               // of a failed series
enum class Trigger : std::uint8_t { schedule, manual };                          // what asked for the series
enum class Outcome : std::uint8_t { success, failure, interrupted, cancelled };  // of an attempt

std::string_view to_text(State);
std::string_view to_text(End);
std::string_view to_text(Trigger);
std::string_view to_text(Outcome);
std::optional<State> parse_state(std::string_view);
std::optional<End> parse_end(std::string_view);
std::optional<Trigger> parse_trigger(std::string_view);
std::optional<Outcome> parse_outcome(std::string_view);

bool is_open(State);  // pending, running or retry_wait

// The third interruption of one series and each later one counts as a failed attempt.
inline constexpr int tolerated_interruptions = 2;

struct Series {
  State state = State::pending;
  std::optional<End> end{};
  UtcTime scheduled_for{};
  UtcTime window_start{};        // what give_up_after is measured from: scheduled_for, or the last rerun
  std::optional<UtcTime> due{};  // when it may start next; set in pending and retry_wait only
  int attempts = 0;              // number of the newest attempt, interrupted ones included; never reused
  int counted = 0;               // attempts that count against the rule, since the start or the last rerun
  int interruptions = 0;
  Milliseconds previous_wait{0};  // decided at the last retry; 0 before the first
  bool overtaken = false;         // the next scheduled time came while an attempt was running
  bool cancel_requested = false;  // an operator cancelled while an attempt was running
  bool operator==(const Series&) const = default;
};

namespace event {
struct Start {};      // a slot was found: attempt number attempts+1 begins
struct Succeeded {};  // the running attempt stored a backup
struct Failed {
  FailureClass failure_class;
};
struct Interrupted {};  // the process died, or was told to stop, under the running attempt
struct Cancel {};       // by an operator
struct Overtake {};     // the device's next scheduled time came
struct Rerun {};        // by an operator, of a series that has ended
struct Miss {};         // its time passed while nothing ran
}  // namespace event
using Event = std::variant<event::Start, event::Succeeded, event::Failed, event::Interrupted, event::Cancel,
                           event::Overtake, event::Rerun, event::Miss>;

enum class Action : std::uint8_t {
  run,    // start the attempt now
  retry,  // try again at next_attempt_at
  end,    // the series is over
  wait,   // nothing to do now (a cancel or overtaking noted under a running attempt)
};
std::string_view to_text(Action);

struct Decision {
  Action action = Action::wait;
  Milliseconds wait{0};
  Milliseconds jitter{0};
  std::optional<UtcTime> next_attempt_at{};  // set when action is retry
};

struct Step {
  Series series;
  Decision decision;
};

// What happens next. `rule` is the one in force at `now`. Rules that are worth knowing:
// - Failed: a cancelled series ends as cancelled (also when it was overtaken), an overtaken one as overtaken;
// a class that is not in rule.retry_on ends it
//   permanent; counted >= rule.attempts ends it exhausted; a next try later than window_start + give_up_after
//   ends it exhausted; otherwise retry at now + draw_wait(rule, counted + 1, previous_wait).
// - Interrupted: tried again at `now` without counting (retry_wait, previous_wait untouched); from the third
// on it is
//   Failed{local} (counts, waits). A cancel or an overtaking noted meanwhile ends it instead.
// - Succeeded wins over a cancel or an overtaking noted meanwhile.
// - Rerun: same series, numbers continue, counted and interruptions start afresh, pending, due now,
// window_start is now;
//   scheduled_for stays. The decision is a retry at now.
// - Miss: only a series that never ran can be missed.
// Start does not look at `due`: the book hands out due series only.
// An event that makes no sense in this state is a Failure of class setup that names state and event; the
// series is as before.
Result<Step> step(const Series&, const Event&, const rules::RetryRule& rule, UtcTime now, const Dice&);

}  // namespace nightjar::series
