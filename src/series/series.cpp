#include <nightjar/series/series.hpp>

#include <fmt/format.h>

#include <utility>

namespace nightjar::series {
namespace {

std::string_view name_of(const Event& event) {
  constexpr std::string_view names[] = {"start",  "succeeded", "failed", "interrupted",
                                        "cancel", "overtake",  "rerun",  "miss"};
  static_assert(std::size(names) == std::variant_size_v<Event>);
  return names[event.index()];
}

Step ended(Series s, State state, std::optional<End> end = {}) {
  s.state = state;
  s.end = end;
  s.due.reset();
  return {std::move(s), {.action = Action::end}};
}

Step due_at(Series s, State state, UtcTime due, rules::Wait wait = {}) {
  s.state = state;
  s.due = due;
  return {std::move(s),
          {.action = Action::retry, .wait = wait.wait, .jitter = wait.jitter, .next_attempt_at = due}};
}

// One event taken in the state of a series; no step when the event makes no sense there.
class Machine {
 public:
  Machine(const Series& series, const rules::RetryRule& rule, UtcTime now, const Dice& dice)
      : series_(series), rule_(rule), now_(now), dice_(dice) {}

  using Next = std::optional<Step>;

  Next operator()(event::Start) const {
    if (series_.state != State::pending && series_.state != State::retry_wait) return {};
    Series s = series_;
    s.state = State::running;
    s.due.reset();
    ++s.attempts;
    return Step{std::move(s), {.action = Action::run}};
  }

  Next operator()(event::Succeeded) const {
    if (series_.state != State::running) return {};
    return ended(series_, State::succeeded);
  }

  Next operator()(event::Failed failed) const {
    if (series_.state != State::running) return {};
    Series s = series_;
    ++s.counted;
    if (auto end = noted_end(s)) return end;
    if (!rule_.retry_on.contains(failed.failure_class)) return ended(s, State::failed, End::permanent);
    if (s.counted >= rule_.attempts) return ended(s, State::failed, End::exhausted);
    const auto wait = rules::draw_wait(rule_, s.counted + 1, s.previous_wait, dice_);
    const UtcTime next = now_ + wait.wait;
    if (rule_.give_up_after.limit && next > s.window_start + *rule_.give_up_after.limit)
      return ended(s, State::failed, End::exhausted);
    s.previous_wait = wait.wait;
    return due_at(s, State::retry_wait, next, wait);
  }

  Next operator()(event::Interrupted) const {
    if (series_.state != State::running) return {};
    Series s = series_;
    ++s.interruptions;
    if (auto end = noted_end(s)) return end;
    if (s.interruptions > tolerated_interruptions)
      return Machine{s, rule_, now_, dice_}(event::Failed{FailureClass::local});
    return due_at(s, State::retry_wait, now_);
  }

  Next operator()(event::Cancel) const {
    if (!is_open(series_.state)) return {};
    if (series_.state != State::running) return ended(series_, State::cancelled);
    Series s = series_;
    s.cancel_requested = true;
    return Step{std::move(s), {.action = Action::wait}};
  }

  Next operator()(event::Overtake) const {
    if (!is_open(series_.state)) return {};
    if (series_.state != State::running) return ended(series_, State::failed, End::overtaken);
    Series s = series_;
    s.overtaken = true;
    return Step{std::move(s), {.action = Action::wait}};
  }

  Next operator()(event::Rerun) const {
    if (is_open(series_.state)) return {};
    Series afresh;
    afresh.scheduled_for = series_.scheduled_for;
    afresh.window_start = now_;
    afresh.attempts = series_.attempts;
    return due_at(afresh, State::pending, now_);
  }

  Next operator()(event::Miss) const {
    if (series_.state != State::pending || series_.attempts > 0) return {};
    return ended(series_, State::missed);
  }

 private:
  // What was noted under the attempt that has just ended without a backup. The operator's word goes first: a
  // cancelled series alerts nobody.
  static Next noted_end(const Series& s) {
    if (s.cancel_requested) return ended(s, State::cancelled);
    if (s.overtaken) return ended(s, State::failed, End::overtaken);
    return {};
  }

  const Series& series_;
  const rules::RetryRule& rule_;
  UtcTime now_;
  const Dice& dice_;
};

Failure refused(const Series& s, const Event& event) {
  return failure(FailureClass::setup, Stage::none,
                 fmt::format("{} refused: the series is {}", name_of(event), to_text(s.state)));
}

}  // namespace

bool is_open(State state) {
  switch (state) {
    case State::pending:
    case State::running:
    case State::retry_wait:
      return true;
    case State::succeeded:
    case State::failed:
    case State::cancelled:
    case State::missed:
      return false;
  }
  return false;
}

Result<Step> step(const Series& series, const Event& event, const rules::RetryRule& rule, UtcTime now,
                  const Dice& dice) {
  auto next = std::visit(Machine{series, rule, now, dice}, event);
  if (!next) return refused(series, event);
  return *std::move(next);
}

}  // namespace nightjar::series
