#include "lab/typed_line.hpp"

#include <algorithm>

namespace nightjar::lab {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

namespace {

std::string_view next_word(std::string_view& rest) {
  rest = trimmed(rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(word.size());
  return word;
}

}  // namespace

bool understands(const Command& command, std::string_view line, bool abbreviates) {
  std::string_view known = command.words;
  for (;;) {
    const std::string_view word = next_word(known);
    if (word == "*") return true;
    const std::string_view typed = next_word(line);
    if (word.empty() || typed.empty()) return word.empty() && typed.empty();
    if (abbreviates ? !word.starts_with(typed) : word != typed) return false;
  }
}

Filters read_filters(std::string_view bars) {
  Filters filters;
  while (!bars.empty()) {
    const std::size_t bar = std::min(bars.find('|'), bars.size());
    std::string_view one = trimmed(bars.substr(0, bar));
    bars.remove_prefix(std::min(bar + 1, bars.size()));
    const std::string_view name = next_word(one);
    if (name == "no-more") filters.no_more = true;
    if (name == "exclude") filters.exclude = trimmed(one);
    if (name == "include" || name == "grep") filters.include = trimmed(one);
  }
  return filters;
}

std::string filtered(std::string_view text, const Filters& filters) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    const bool excluded = !filters.exclude.empty() && line.find(filters.exclude) != std::string_view::npos;
    const bool included =
        filters.include.empty() ||
        (filters.include == "." ? line != "\n" : line.find(filters.include) != std::string_view::npos);
    if (!excluded && included) out += line;
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace nightjar::lab
