// Where time and randomness enter: the shell takes a Clock, the pure modules take times. SystemClock is the
// only place that asks the operating system.
#pragma once
#include <nightjar/base/dice.hpp>
#include <nightjar/base/time.hpp>

namespace nightjar::runtime {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual UtcTime now() const = 0;
  virtual MonoTime mono() const { return std::chrono::steady_clock::now(); }
};

class SystemClock final : public Clock {
 public:
  UtcTime now() const override;
};

// Fair dice seeded by the operating system. One per thread.
Dice system_dice();

}  // namespace nightjar::runtime
