// The field a person probably meant by a name that is none.
#pragma once
#include <span>
#include <string_view>

namespace nightjar::rules {

// The nearest of `names`, "" when none is near enough to be worth suggesting. A unit left out ("delay") and a
// part of a name ("timeout") count as near.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

}  // namespace nightjar::rules
