#include "rules/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nightjar::rules {
namespace {

// Levenshtein: single characters inserted, dropped or replaced.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string_view without_unit(std::string_view name) {
  constexpr std::string_view unit = "_seconds";
  return name.ends_with(unit) ? name.substr(0, name.size() - unit.size()) : name;
}

}  // namespace

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names) {
  constexpr std::size_t longest_typed = 64;  // a longer text is no slip of a field's name
  constexpr std::size_t shortest_part = 4;
  if (typed.empty() || typed.size() > longest_typed) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, typed.size() / 3) + 1;
  for (const std::string_view name : names) {
    std::size_t distance = std::min(edits(typed, name), edits(typed, without_unit(name)));
    if (typed.size() >= shortest_part && name.find(typed) != std::string_view::npos)
      distance = std::min<std::size_t>(distance, 2);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace nightjar::rules
