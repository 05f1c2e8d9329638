// What was typed at a command prompt, taken apart: words before the first bar, filters behind it.
#pragma once
#include "lab/manner.hpp"

#include <string>
#include <string_view>

namespace nightjar::lab {

// "exclude PATTERN", "include PATTERN", "grep PATTERN" and "no-more", each after a bar. Patterns are plain
// text, "." is any line that is not blank.
struct Filters {
  std::string_view exclude, include;
  bool no_more = false;
};

std::string_view trimmed(std::string_view text);
bool understands(const Command&, std::string_view words, bool abbreviates);
Filters read_filters(std::string_view bars);  // views into `bars`
std::string filtered(std::string_view text, const Filters&);

}  // namespace nightjar::lab
