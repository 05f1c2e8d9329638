#include <nightjar/base/nearest.hpp>

#include <algorithm>
#include <vector>

namespace nightjar {
namespace {

// A longer text is no slip of a name; and the time it takes grows with the square.
constexpr std::size_t longest_typed = 100;
constexpr std::size_t shortest_part = 4;

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
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[to.size()];
}

template <class Words>
std::string_view nearest_of(std::string_view typed, const Words& known) {
  if (typed.empty() || typed.size() > longest_typed) return {};
  std::size_t fewest = std::max<std::size_t>(1, typed.size() / 3) + 1;
  std::string_view found;
  for (const std::string_view word : known) {
    std::size_t distance = edits(typed, word);
    if (typed.size() >= shortest_part && word.find(typed) != std::string_view::npos)
      distance = std::min<std::size_t>(distance, 1);
    if (distance < fewest) {
      fewest = distance;
      found = word;
    }
  }
  return found;
}

}  // namespace

std::string_view nearest(std::string_view typed, std::span<const std::string_view> known) {
  return nearest_of(typed, known);
}

std::string_view nearest(std::string_view typed, std::span<const std::string> known) {
  return nearest_of(typed, known);
}

}  // namespace nightjar
