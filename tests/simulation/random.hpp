// Chance that a seed repeats on every machine: SplitMix64, and no distribution of the standard library, whose
// draws differ from one library to the next.
#pragma once
#include <nightjar/base/dice.hpp>
#include <nightjar/base/time.hpp>

#include <cstddef>
#include <cstdint>

namespace nightjar::simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 0x632be59bd9b4e019U) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {  // both included
    return least + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  Milliseconds between(Milliseconds least, Milliseconds most) {
    return Milliseconds{between(least.count(), most.count())};
  }
  template <class Container>
  auto& pick(Container& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(from.size()) - 1))];
  }
  Dice dice() {  // goes on from here on its own
    return [own = Random{next()}]() mutable { return static_cast<double>(own.next() >> 11) * 0x1.0p-53; };
  }

 private:
  std::uint64_t state_;
};

}  // namespace nightjar::simulation
