// The shortest edit between two sequences of symbols (Myers, "An O(ND) Difference Algorithm and Its
// Variations", 1986, linear space). The search is bounded: sequences that have too little in common get an
// edit that is right, not shortest.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace nightjar::revision {

using Symbol = std::size_t;

// A stretch of `before` replaced by a stretch of `after`, as half-open ranges; one of them may be empty.
struct Change {
  std::size_t before_begin = 0, before_end = 0;
  std::size_t after_begin = 0, after_end = 0;
  bool operator==(const Change&) const = default;
};

// In order, and never adjacent to one another. Symbols are numbers below `symbols`.
std::vector<Change> changes(std::span<const Symbol> before, std::span<const Symbol> after,
                            std::size_t symbols);

}  // namespace nightjar::revision
