// Small questions about one rendered line, asked all over the dialogue.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace nightjar::dialogue {

inline std::string_view right_trimmed(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

inline std::string_view trimmed(std::string_view line) {
  line = right_trimmed(line);
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

inline bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

// For a reason: bytes that are no printable ASCII are shown as '?', long lines are cut.
std::string excerpt(std::string_view line);

}  // namespace nightjar::dialogue
