#include <nightjar/runtime/clock.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace nightjar::runtime {
namespace {

TEST(SystemDice, DrawsFromZeroUpToButNotOne) {
  Dice dice = system_dice();
  double least = 1.0;
  double most = 0.0;
  for (int i = 0; i < 10'000; ++i) {
    double drawn = dice();
    least = std::min(least, drawn);
    most = std::max(most, drawn);
  }
  EXPECT_GE(least, 0.0);
  EXPECT_LT(most, 1.0);
}

TEST(SystemDice, TwoPairsOfDiceDrawDifferentNumbers) {
  Dice one = system_dice();
  Dice other = system_dice();
  std::array<double, 4> first{one(), one(), one(), one()};
  std::array<double, 4> second{other(), other(), other(), other()};
  EXPECT_NE(first, second);
}

TEST(SystemDice, ACopyGoesOnInsteadOfRepeatingTheDraw) {
  Dice dice = system_dice();
  Dice copy = dice;
  std::array<double, 3> drawn{dice(), dice(), dice()};
  std::array<double, 3> copied{copy(), copy(), copy()};
  EXPECT_NE(drawn, copied);
}

}  // namespace
}  // namespace nightjar::runtime
