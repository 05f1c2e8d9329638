#include <nightjar/admission/fair.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace nightjar::admission {
namespace {

std::int64_t room(const Queue& q) {
  const std::int64_t below_limit = std::max<std::int64_t>(0, std::int64_t{q.limit} - q.in_use);
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(q.waiting, static_cast<std::uint64_t>(below_limit)));
}

// Slots it takes to lift this customer to `level` sessions, as far as it can go.
std::int64_t lift(const Queue& q, std::int64_t level) {
  return std::clamp<std::int64_t>(level - q.in_use, 0, room(q));
}

std::int64_t lift(const std::vector<Queue>& queues, std::int64_t level) {
  return std::transform_reduce(queues.begin(), queues.end(), std::int64_t{0}, std::plus<>{},
                               [level](const Queue& q) { return lift(q, level); });
}

// The highest level that all can be lifted to with `free` slots; `free` is less than what all have room for.
std::int64_t waterline(const std::vector<Queue>& queues, std::int64_t free) {
  std::int64_t fits = 0;
  std::int64_t floods = 0;
  for (const Queue& q : queues) floods = std::max(floods, q.in_use + room(q));
  while (floods - fits > 1) {
    const std::int64_t level = std::midpoint(fits, floods);
    (lift(queues, level) <= free ? fits : floods) = level;
  }
  return fits;
}

// One more each for `left` of the customers that stand at the waterline and have room above it, from the one
// behind `last` on. Returns the last one served.
CustomerId deal_rest(const std::vector<Queue>& queues, std::int64_t level, std::int64_t left, CustomerId last,
                     std::vector<std::int64_t>& granted) {
  std::vector<std::size_t> circle;
  for (std::size_t i = 0; i < queues.size(); ++i)
    if (queues[i].in_use <= level && granted[i] < room(queues[i])) circle.push_back(i);
  const auto customer = [&](std::size_t i) { return queues[i].customer; };
  std::ranges::sort(circle, {}, customer);
  auto next = std::ranges::upper_bound(circle, last, {}, customer);
  for (; left > 0; --left, ++next) {
    if (next == circle.end()) next = circle.begin();
    ++granted[*next];
    last = customer(*next);
  }
  return last;
}

}  // namespace

Deal deal(const std::vector<Queue>& queues, std::size_t free, CustomerId last) {
  std::int64_t wanted = 0;
  for (const Queue& q : queues) wanted += room(q);
  const auto slots =
      static_cast<std::int64_t>(std::min<std::uint64_t>(free, static_cast<std::uint64_t>(wanted)));

  std::vector<std::int64_t> granted;
  granted.reserve(queues.size());
  if (slots == wanted) {
    for (const Queue& q : queues) granted.push_back(room(q));
  } else {
    const std::int64_t level = waterline(queues, slots);
    for (const Queue& q : queues) granted.push_back(lift(q, level));
    const std::int64_t left = slots - std::reduce(granted.begin(), granted.end());
    if (left > 0) last = deal_rest(queues, level, left, last, granted);
  }

  Deal out{.shares = {}, .last = last};
  for (std::size_t i = 0; i < queues.size(); ++i)
    if (granted[i] > 0) out.shares.push_back({queues[i].customer, static_cast<std::size_t>(granted[i])});
  return out;
}

}  // namespace nightjar::admission
