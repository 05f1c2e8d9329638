// The known word a person most likely meant, for "did you mean ...?".
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace nightjar {

// The word of `known` with the fewest edits (insert, delete, replace, swap of neighbours) from `typed`; a
// word that holds at least four typed characters as they stand counts as one edit away. The first on a tie;
// "" when none is nearer than a third of what was typed. The result points into `known`.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> known);
std::string_view nearest(std::string_view typed, std::span<const std::string> known);

}  // namespace nightjar
