#include <nightjar/runtime/clock.hpp>

#include <memory>
#include <random>

namespace nightjar::runtime {

UtcTime SystemClock::now() const {
  return std::chrono::floor<Milliseconds>(std::chrono::system_clock::now());
}

Dice system_dice() {
  // Retry jitter must be fair, not secret: a seeded Mersenne twister, no system call a draw.
  std::random_device source;
  std::seed_seq seed{source(), source(), source(), source()};
  auto engine = std::make_shared<std::mt19937_64>(seed);  // shared: a copied Dice goes on, it does not repeat
  return [engine] { return static_cast<double>((*engine)() >> 11) * 0x1.0p-53; };
}

}  // namespace nightjar::runtime
