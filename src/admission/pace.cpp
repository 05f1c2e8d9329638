#include <nightjar/admission/pace.hpp>

#include <algorithm>

namespace nightjar::admission {
namespace {

constexpr int bursts_per_second = 20;

// A second that begins with a full bucket sees it and the tokens that fall due before the second is over,
// which are one fewer than fit into it. Rounded up: never faster.
MonoTime::duration time_of_one(std::int64_t per_second, std::int64_t capacity) {
  const MonoTime::duration second = Seconds{1};
  const std::int64_t refills = per_second - capacity + 1;
  return (second + MonoTime::duration{refills - 1}) / refills;
}

}  // namespace

Pace::Pace(int per_second, MonoTime now)
    : capacity_(std::max(1, per_second / bursts_per_second)),
      each_(time_of_one(std::max(1, per_second), capacity_)),
      empty_at_(now - each_) {}

std::size_t Pace::available(MonoTime now) const {
  return static_cast<std::size_t>(std::clamp<std::int64_t>((now - empty_at_) / each_, 0, capacity_));
}

void Pace::take(std::size_t count, MonoTime now) {
  empty_at_ = std::max(empty_at_, now - capacity_ * each_) + static_cast<std::int64_t>(count) * each_;
}

MonoTime Pace::next(MonoTime now) const {
  return std::max(now, empty_at_ + std::max<std::int64_t>(1, capacity_ / 4) * each_);
}

}  // namespace nightjar::admission
