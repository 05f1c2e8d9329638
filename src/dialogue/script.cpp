#include "dialogue/line.hpp"

#include <nightjar/dialogue/script.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace nightjar::dialogue {
namespace {

constexpr std::size_t looked_at = 3;

// The first and last three non-blank lines, in order, each once.
std::vector<std::string_view> ends_of(std::string_view answer) {
  std::vector<std::string_view> lines;
  std::size_t from = 0;
  while (from < answer.size() && lines.size() < looked_at) {
    const std::size_t end = std::min(answer.find('\n', from), answer.size());
    if (const auto line = answer.substr(from, end - from); !is_blank(line)) lines.push_back(line);
    from = end + 1;
  }
  std::vector<std::string_view> last;
  std::size_t to = answer.size();
  while (to > from && last.size() < looked_at) {
    const std::size_t end = answer[to - 1] == '\n' ? to - 1 : to;
    const std::size_t newline = end > 0 ? answer.rfind('\n', end - 1) : std::string_view::npos;
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    if (begin < from || begin > end) break;
    if (const auto line = answer.substr(begin, end - begin); !is_blank(line)) last.push_back(line);
    to = begin;
  }
  lines.insert(lines.end(), last.rbegin(), last.rend());
  return lines;
}

}  // namespace

std::optional<Failure> error_in_answer(const Script& script, std::string_view command,
                                       std::string_view answer) {
  for (const auto line : ends_of(answer)) {
    for (const auto& error : script.command_errors) {
      if (!error.text.found_in(line)) continue;
      const std::string_view reason = error.reason.empty() ? trimmed(line) : std::string_view{error.reason};
      return failure(error.failure_class, Stage::command,
                     fmt::format("\"{}\": {}", command, excerpt(reason)));
    }
  }
  return std::nullopt;
}

std::string kept_of(const Section& section, std::string answer) {
  if (section.kind != SectionKind::fact || section.keep.empty()) return answer;
  std::string kept;
  for (std::string_view rest = answer; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (std::any_of(section.keep.begin(), section.keep.end(),
                    [&](const Pattern& p) { return p.found_in(line); }))
      kept.append(line).push_back('\n');
  }
  return kept;
}

}  // namespace nightjar::dialogue
