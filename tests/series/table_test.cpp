// Every state against every event, each with a written expectation; and a long random walk that no invariant
// may leave.
#include <nightjar/series/series.hpp>

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace nightjar::series {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

constexpr UtcTime night{sys_days{std::chrono::year{2026} / 11 / 30} + 2h};

const std::array<Event, 9> events{event::Start{},
                                  event::Succeeded{},
                                  event::Failed{FailureClass::unreachable},
                                  event::Failed{FailureClass::auth},
                                  event::Interrupted{},
                                  event::Cancel{},
                                  event::Overtake{},
                                  event::Rerun{},
                                  event::Miss{}};

// "state[/end] action", or "-" for a refusal.
std::string outcome(const Series& s, const Event& e) {
  const auto next = step(s, e, rules::Describe<rules::RetryFields>::built_in(), night, [] { return 0.0; });
  if (!next) return "-";
  std::string text{to_text(next->series.state)};
  if (next->series.end) text.append("/").append(to_text(*next->series.end));
  return text.append(" ").append(to_text(next->decision.action));
}

struct Row {
  const char* name;
  Series series;
  std::array<const char*, 9> wanted;  // in the order of `events`
};

Series in(State state, int attempts, int counted) {
  Series s{.state = state, .scheduled_for = night, .window_start = night};
  s.attempts = attempts;
  s.counted = counted;
  if (state == State::pending || state == State::retry_wait) s.due = night;
  if (state == State::failed) s.end = End::exhausted;
  return s;
}

Series noted(bool cancelled, bool overtaken) {
  Series s = in(State::running, 1, 0);
  s.cancel_requested = cancelled;
  s.overtaken = overtaken;
  return s;
}

Series interrupted_twice(int counted) {
  Series s = in(State::running, counted + 3, counted);
  s.interruptions = 2;
  return s;
}

constexpr const char* gone = "cancelled end";
constexpr const char* late = "failed/overtaken end";
constexpr const char* good = "succeeded end";
constexpr const char* again = "retry_wait retry";
constexpr const char* spent = "failed/exhausted end";
constexpr const char* never = "failed/permanent end";
constexpr const char* note = "running wait";
constexpr const char* begin = "running run";
constexpr const char* anew = "pending retry";

TEST(Table, EveryStateAnswersEveryEventAsWritten) {
  // clang-format off
  const std::vector<Row> table{
      // state                                                 start  succeeded unreachable auth interrupted cancel overtake rerun miss
      {"pending",             in(State::pending, 0, 0),      {begin, "-",  "-",   "-",   "-",   gone, late, "-",  "missed end"}},
      {"pending after rerun", in(State::pending, 3, 0),      {begin, "-",  "-",   "-",   "-",   gone, late, "-",  "-"}},
      {"first attempt",       in(State::running, 1, 0),      {"-",   good, again, never, again, note, note, "-",  "-"}},
      {"last attempt",        in(State::running, 3, 2),      {"-",   good, spent, never, again, note, note, "-",  "-"}},
      {"running, cancelled",  noted(true, false),            {"-",   good, gone,  gone,  gone,  note, note, "-",  "-"}},
      {"running, overtaken",  noted(false, true),            {"-",   good, late,  late,  late,  note, note, "-",  "-"}},
      {"running, both",       noted(true, true),             {"-",   good, gone,  gone,  gone,  note, note, "-",  "-"}},
      {"interrupted twice",   interrupted_twice(0),          {"-",   good, again, never, again, note, note, "-",  "-"}},
      {"twice, last attempt", interrupted_twice(2),          {"-",   good, spent, never, spent, note, note, "-",  "-"}},
      {"retry_wait",          in(State::retry_wait, 1, 1),   {begin, "-",  "-",   "-",   "-",   gone, late, "-",  "-"}},
      {"succeeded",           in(State::succeeded, 1, 0),    {"-",   "-",  "-",   "-",   "-",   "-",  "-",  anew, "-"}},
      {"failed",              in(State::failed, 3, 3),       {"-",   "-",  "-",   "-",   "-",   "-",  "-",  anew, "-"}},
      {"cancelled",           in(State::cancelled, 1, 1),    {"-",   "-",  "-",   "-",   "-",   "-",  "-",  anew, "-"}},
      {"missed",              in(State::missed, 0, 0),       {"-",   "-",  "-",   "-",   "-",   "-",  "-",  anew, "-"}},
  };
  // clang-format on
  for (const Row& row : table)
    for (std::size_t i = 0; i < events.size(); ++i)
      EXPECT_EQ(outcome(row.series, events[i]), row.wanted[i]) << row.name << ", event " << i;
}

// A rule that lives through the walk as rules do: edited at times, within its bounds.
class Walk {
 public:
  explicit Walk(std::uint64_t seed) : random_(seed) { edit_rule(); }

  int pick(int least, int most) { return std::uniform_int_distribution{least, most}(random_); }
  double draw() { return std::uniform_real_distribution<double>{0, 1}(random_); }

  void edit_rule() {
    rule = rules::Describe<rules::RetryFields>::built_in();
    rule.attempts = pick(1, 20);
    rule.delay = Seconds{pick(1, 600)};
    rule.backoff = 1.0 + draw() * 9.0;
    rule.spacing = pick(0, 1) ? rules::Spacing::linear : rules::Spacing::geometric;
    rule.max_delay = Seconds{pick(1, 3600)};
    rule.jitter = static_cast<rules::Jitter>(pick(0, 3));
    if (pick(0, 2) == 0) rule.give_up_after = {Seconds{pick(60, 20000)}};
  }

  // Mostly what can happen in this state, at times what cannot.
  Event next_event(State state) {
    if (pick(0, 9) == 0) return events[static_cast<std::size_t>(pick(0, 8))];
    if (state == State::pending || state == State::retry_wait) return event::Start{};
    if (state != State::running) return event::Rerun{};
    const int kind = pick(0, 9);
    if (kind == 0) return event::Succeeded{};
    if (kind == 1) return event::Interrupted{};
    return event::Failed{all_failure_classes[static_cast<std::size_t>(pick(0, 5))]};
  }

  rules::RetryRule rule;

 private:
  std::mt19937_64 random_;
};

void expect_sound(const Series& s) {
  ASSERT_EQ(s.due.has_value(), s.state == State::pending || s.state == State::retry_wait);
  ASSERT_EQ(s.end.has_value(), s.state == State::failed);
  ASSERT_LE(s.counted, s.attempts);
  ASSERT_GE(s.counted, 0);
  ASSERT_EQ(s.scheduled_for, night);
}

TEST(RandomWalk, HoldsEveryInvariantForAHundredThousandSteps) {
  Walk walk{20261130};
  UtcTime now = night;
  Series s{.scheduled_for = night, .window_start = night, .due = night};
  int ends_since_rerun = 0, ends = 0, retries = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (walk.pick(0, 99) == 0) walk.edit_rule();
    now += Milliseconds{walk.pick(0, 60'000)};
    const Event event = walk.next_event(s.state);
    if (std::holds_alternative<event::Start>(event) && s.due) now = std::max(now, *s.due);
    const Series before = s;
    const auto next = step(s, event, walk.rule, now, [&] { return walk.draw(); });
    if (!next) {
      ASSERT_EQ(next.error().failure_class, FailureClass::setup);
      continue;
    }
    s = next->series;
    const Decision& decision = next->decision;
    ASSERT_NO_FATAL_FAILURE(expect_sound(s)) << "step " << i;
    ASSERT_GE(s.attempts, before.attempts) << "a number is never reused";
    ASSERT_EQ(s.attempts - before.attempts, std::holds_alternative<event::Start>(event) ? 1 : 0);

    const bool rerun = std::holds_alternative<event::Rerun>(event);
    if (rerun) ends_since_rerun = 0;
    if (decision.action == Action::end) ++ends_since_rerun, ++ends;
    ASSERT_LE(ends_since_rerun, 1) << "a series ends once";
    ASSERT_EQ(decision.action == Action::end, !is_open(s.state));
    ASSERT_EQ(decision.next_attempt_at.has_value(), decision.action == Action::retry);
    if (decision.action == Action::retry) {
      ++retries;
      ASSERT_EQ(s.due, decision.next_attempt_at);
      ASSERT_EQ(*s.due, now + decision.wait) << "the wait is the one decided";
    }
    if (s.counted > before.counted && decision.action == Action::retry) {
      ASSERT_LT(s.counted, walk.rule.attempts) << "a try is promised that the rule does not allow";
      ASSERT_LE(decision.wait, rules::longest_wait(walk.rule, s.counted + 1));
      ASSERT_EQ(s.previous_wait, decision.wait);
      if (walk.rule.give_up_after.limit) {
        ASSERT_LE(*s.due, s.window_start + *walk.rule.give_up_after.limit);
      }
    }
  }
  EXPECT_GT(ends, 1000) << "the walk hardly saw an end";
  EXPECT_GT(retries, 10'000) << "the walk hardly saw a retry";
}

TEST(RandomWalk, NeverCountsMoreAttemptsThanARuleAllowsThatNobodyEdits) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Walk walk{seed};
    UtcTime now = night;
    Series s{.scheduled_for = night, .window_start = night, .due = night};
    for (int i = 0; i < 500; ++i) {
      now += 1s;
      const auto next = step(s, walk.next_event(s.state), walk.rule, now, [&] { return walk.draw(); });
      if (next) s = next->series;
      ASSERT_LE(s.counted, walk.rule.attempts) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace nightjar::series
