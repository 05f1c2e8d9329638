#include <nightjar/series/series.hpp>

#include <array>

namespace nightjar::series {
namespace {

constexpr std::array all_states{State::pending, State::running,   State::retry_wait, State::succeeded,
                                State::failed,  State::cancelled, State::missed};
constexpr std::array all_ends{End::exhausted, End::permanent, End::overtaken};
constexpr std::array all_triggers{Trigger::schedule, Trigger::manual};
constexpr std::array all_outcomes{Outcome::success, Outcome::failure, Outcome::interrupted,
                                  Outcome::cancelled};

template <class Enum, std::size_t count>
std::optional<Enum> named(std::string_view text, const std::array<Enum, count>& all) {
  for (const Enum e : all)
    if (to_text(e) == text) return e;
  return std::nullopt;
}

}  // namespace

std::string_view to_text(State state) {
  switch (state) {
    case State::pending:
      return "pending";
    case State::running:
      return "running";
    case State::retry_wait:
      return "retry_wait";
    case State::succeeded:
      return "succeeded";
    case State::failed:
      return "failed";
    case State::cancelled:
      return "cancelled";
    case State::missed:
      return "missed";
  }
  return "pending";
}

std::string_view to_text(End end) {
  switch (end) {
    case End::exhausted:
      return "exhausted";
    case End::permanent:
      return "permanent";
    case End::overtaken:
      return "overtaken";
  }
  return "exhausted";
}

std::string_view to_text(Trigger trigger) {
  switch (trigger) {
    case Trigger::schedule:
      return "schedule";
    case Trigger::manual:
      return "manual";
  }
  return "schedule";
}

std::string_view to_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::success:
      return "success";
    case Outcome::failure:
      return "failure";
    case Outcome::interrupted:
      return "interrupted";
    case Outcome::cancelled:
      return "cancelled";
  }
  return "failure";
}

std::string_view to_text(Action action) {
  switch (action) {
    case Action::run:
      return "run";
    case Action::retry:
      return "retry";
    case Action::end:
      return "end";
    case Action::wait:
      return "wait";
  }
  return "wait";
}

std::optional<State> parse_state(std::string_view text) {
  return named(text, all_states);
}
std::optional<End> parse_end(std::string_view text) {
  return named(text, all_ends);
}
std::optional<Trigger> parse_trigger(std::string_view text) {
  return named(text, all_triggers);
}
std::optional<Outcome> parse_outcome(std::string_view text) {
  return named(text, all_outcomes);
}

}  // namespace nightjar::series
