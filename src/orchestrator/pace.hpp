// A token bucket for new connections: at most `per_second`, in bursts of a twentieth of that. Time comes in
// as an argument.
#pragma once
#include <nightjar/base/time.hpp>

#include <algorithm>
#include <cmath>

namespace nightjar::orchestrator {

class Pace {
 public:
  Pace(int per_second, MonoTime now)
      : rate_(per_second), burst_(std::max(1.0, per_second / 20.0)), filled_at_(now) {}

  std::size_t available(MonoTime now) {
    const std::chrono::duration<double> passed = now - filled_at_;
    tokens_ = std::min(burst_, tokens_ + passed.count() * rate_);
    filled_at_ = now;
    return static_cast<std::size_t>(tokens_ + epsilon);
  }
  void take(std::size_t count) { tokens_ -= static_cast<double>(count); }

  // When it is worth looking again: a quarter of a burst at a time; call after available().
  MonoTime next(MonoTime now) const {
    const double missing = std::max(0.0, std::max(1.0, burst_ / 4) - tokens_);
    return now + std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(missing / rate_));
  }

 private:
  static constexpr double epsilon = 1e-9;
  double rate_;
  double burst_;
  double tokens_ = 1;
  MonoTime filled_at_;
};

}  // namespace nightjar::orchestrator
