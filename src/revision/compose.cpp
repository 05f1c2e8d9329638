#include "revision/line_search.hpp"

#include <nightjar/revision/text.hpp>

namespace nightjar::revision {
namespace {

void append_fact(std::string& out, const Part& fact, const TextRules& rules) {
  std::size_t blank_lines = 0;  // kept only between two lines of the fact
  bool begun = false;
  const auto heading = rules.comment + fact.name + ":";
  for_each_line(fact.text, [&](std::string_view line) {
    const auto words = bare(line);
    if (words.empty()) {
      ++blank_lines;
      return true;
    }
    for (; begun && blank_lines > 0; --blank_lines) out.append(heading).append("\n");
    blank_lines = 0;
    begun = true;
    out.append(heading).append(" ").append(words).append("\n");
    return true;
  });
}

std::string_view from_begin(std::string_view text, const TextRules& rules) {
  if (!rules.begin) return text;
  std::size_t at = 0;
  bool found = false;
  for_each_line(text, [&](std::string_view line) {
    found = rules.begin->found_in(bare(line));
    if (!found) at += line.size();
    return !found;
  });
  return found ? text.substr(at) : text;
}

}  // namespace

std::string compose(const std::vector<Part>& parts, const TextRules& rules) {
  std::string out;
  for (const Part& part : parts)
    if (part.fact) append_fact(out, part, rules);
  const std::size_t facts_end = out.size();

  std::string answers;
  for (const Part& part : parts) {
    if (part.fact) continue;
    if (!answers.empty() && answers.back() != '\n') answers += '\n';
    answers += part.text;
  }
  std::size_t end = facts_end;  // one past the last line that is not blank
  LineSearch framing{rules.framing, answers};
  out.reserve(out.size() + answers.size());
  for_each_line(from_begin(answers, rules), [&](std::string_view line) {
    const auto words = bare(line);
    if (!words.empty() && framing.holds(line, words)) return true;
    out += line;
    if (!words.empty()) end = out.size();
    return true;
  });
  out.resize(end);
  return out;
}

}  // namespace nightjar::revision
