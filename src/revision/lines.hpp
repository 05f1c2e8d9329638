// A text cut into its lines. Only \n ends a line; a text without one at its end has a last line all the same.
#pragma once
#include <cstddef>
#include <string_view>

namespace nightjar::revision {

// Calls visit(line) for each line, its \n included. A visit that returns false stops the walk.
template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end == std::string_view::npos ? end : end + 1);
    text.remove_prefix(line.size());
    if (!visit(line)) return;
  }
}

// The line without its end and trailing blanks (\r among them): what patterns look at.
inline std::string_view bare(std::string_view line) {
  const auto last = line.find_last_not_of(" \t\r\n\v\f");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

inline bool is_blank(std::string_view line) {
  return bare(line).empty();
}

}  // namespace nightjar::revision
