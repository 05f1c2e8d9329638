#include "config/nearest.hpp"

#include <algorithm>
#include <vector>

namespace nightjar::config {
namespace {

// Optimal string alignment distance.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[to.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string_view found;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(word, candidate);
    if (distance < fewest) {
      fewest = distance;
      found = candidate;
    }
  }
  return std::string{found};
}

}  // namespace nightjar::config
