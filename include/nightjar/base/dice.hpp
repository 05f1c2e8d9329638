// Randomness as an argument: each call draws a number in [0, 1). Tests pass loaded dice.
#pragma once
#include <functional>

namespace nightjar {

using Dice = std::function<double()>;

}  // namespace nightjar
