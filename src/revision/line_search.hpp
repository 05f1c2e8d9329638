// Which lines of a text hold any of some patterns. Most lines hold none: a search over the whole text passes
// by them, and only where it stops is a line looked at by itself.
#pragma once
#include "revision/lines.hpp"

#include <nightjar/base/pattern.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace nightjar::revision {

class LineSearch {
 public:
  // Both outlive the search.
  LineSearch(const Patterns& patterns, std::string_view text) : patterns_(patterns), text_(text) {}

  // Whether any is in `words`, the bare form of `line`. Lines are asked in the order of the text, once each.
  bool holds(std::string_view line, std::string_view words) {
    const auto begin = static_cast<std::size_t>(line.data() - text_.data());
    const std::size_t end = begin + line.size();
    if (!next_ || *next_ < begin) next_ = patterns_.skip_lines(text_, begin);
    if (*next_ >= end && !is_ragged(line, words)) return false;
    if (*next_ < end) next_.reset();
    return patterns_.any_in(words);
  }

 private:
  // Blanks that are cut off hide the end of the words from a search over the text.
  static bool is_ragged(std::string_view line, std::string_view words) {
    return line.size() - words.size() > (line.ends_with('\n') ? 1u : 0u);
  }

  const Patterns& patterns_;
  std::string_view text_;
  std::optional<std::size_t> next_;  // no line before this holds any
};

}  // namespace nightjar::revision
