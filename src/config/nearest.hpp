// The known word a person most likely meant, for "did you mean ...?".
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace nightjar::config {

// The word of `known` with the fewest edits (insert, delete, replace, swap of neighbours) from `word`, first
// one on a tie;
// "" when none is nearer than a third of the word's length (at least one edit).
std::string nearest(std::string_view word, std::span<const std::string> known);

}  // namespace nightjar::config
