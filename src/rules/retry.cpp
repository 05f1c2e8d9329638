#include <nightjar/rules/retry.hpp>

#include <algorithm>
#include <cmath>

namespace nightjar::rules {
namespace {

Milliseconds ceiling(const RetryRule& rule) {
  return std::max<Milliseconds>(rule.max_delay, Milliseconds{0});
}

Milliseconds first_wait(const RetryRule& rule) {
  return std::clamp<Milliseconds>(rule.delay, Milliseconds{0}, ceiling(rule));
}

struct Uncapped {
  Milliseconds wait{0};
  bool above_ceiling = false;
};

// Multiplies step by step and stops at the ceiling: backoff^(n-2) itself would leave every integer type
// behind.
Uncapped geometric(const RetryRule& rule, int attempt) {
  const auto most = static_cast<double>(ceiling(rule).count());
  auto wait = static_cast<double>(std::max<Milliseconds>(rule.delay, Milliseconds{0}).count());
  for (int n = 2; n < attempt && wait <= most; ++n) {
    const double next = wait * rule.backoff;
    if (next == wait) break;
    wait = next;
  }
  if (!(wait <= most)) return {ceiling(rule), true};
  return {Milliseconds{std::llround(std::max(wait, 0.0))}, false};
}

Uncapped linear(const RetryRule& rule, int attempt) {
  const Milliseconds wait = std::max<Milliseconds>(rule.delay, Milliseconds{0}) * (std::int64_t{attempt} - 1);
  return {std::min(wait, ceiling(rule)), wait > ceiling(rule)};
}

// The wait before jitter, and whether the ceiling cut it.
Uncapped capped_wait(const RetryRule& rule, int attempt) {
  if (attempt < 2) return {};
  if (rule.jitter == Jitter::decorrelated) return {ceiling(rule), true};
  switch (rule.spacing) {
    case Spacing::geometric:
      return geometric(rule, attempt);
    case Spacing::linear:
      return linear(rule, attempt);
  }
  return geometric(rule, attempt);
}

Milliseconds between(Milliseconds least, Milliseconds most, double draw) {
  const auto span = static_cast<double>((most - least).count());
  return least + Milliseconds{static_cast<std::int64_t>(span * draw)};
}

}  // namespace

RetryRule Describe<RetryFields>::built_in() {
  return {.attempts = 3,
          .delay = Seconds{300},
          .backoff = 3.0,
          .spacing = Spacing::geometric,
          .max_delay = Seconds{3600},
          .jitter = Jitter::none,
          .attempt_timeout = Seconds{300},
          .give_up_after = {},
          .retry_on = FailureClasses::retried_by_default()};
}

Milliseconds longest_wait(const RetryRule& rule, int attempt) {
  return capped_wait(rule, attempt).wait;
}

Wait draw_wait(const RetryRule& rule, int attempt, Milliseconds previous, const Dice& dice) {
  if (attempt < 2) return {};
  const Milliseconds longest = longest_wait(rule, attempt);
  switch (rule.jitter) {
    case Jitter::none:
      return {longest, Milliseconds{0}};
    case Jitter::equal: {
      const Milliseconds wait = between(longest / 2, longest, dice());
      return {wait, wait - longest};
    }
    case Jitter::full: {
      const Milliseconds wait = between(Milliseconds{0}, longest, dice());
      return {wait, wait - longest};
    }
    case Jitter::decorrelated: {
      const Milliseconds first = first_wait(rule);
      const Milliseconds reach = std::clamp(previous, first, longest) * 3;
      const Milliseconds wait = std::min(between(first, reach, dice()), longest);
      return {wait, wait - first};
    }
  }
  return {longest, Milliseconds{0}};
}

Timetable timetable(const RetryRule& rule) {
  Timetable table;
  Milliseconds since{0};
  for (int attempt = 1; attempt <= rule.attempts; ++attempt) {
    const auto [wait, cut] = capped_wait(rule, attempt);
    since += wait;
    if (rule.give_up_after.limit && since > *rule.give_up_after.limit) {
      table.ended_by = WindowEnd::give_up;
      break;
    }
    table.rows.push_back({attempt, wait, since, cut});
    table.told_after = since;
  }
  const auto earlier_attempts = static_cast<std::int64_t>(table.rows.size()) - 1;
  Milliseconds last_start = table.told_after + earlier_attempts * Milliseconds{rule.attempt_timeout};
  if (const auto limit = rule.give_up_after.limit) {
    const bool may_come_forward = table.ended_by == WindowEnd::give_up && rule.jitter != Jitter::none;
    if (may_come_forward) table.told_after = *limit;
    if (may_come_forward || last_start > *limit) last_start = *limit;
  }
  table.told_after_with_timeouts = last_start + rule.attempt_timeout;
  return table;
}

}  // namespace nightjar::rules
