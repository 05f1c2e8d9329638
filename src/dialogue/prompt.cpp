#include "dialogue/prompt.hpp"

#include "dialogue/line.hpp"

#include <algorithm>
#include <utility>

namespace nightjar::dialogue {
namespace {

// No prompt is longer; spares the regular expressions a look at long lines.
constexpr std::size_t longest_prompt = 512;

}  // namespace

void Prompt::learn(std::string_view line, std::vector<std::string> preamble) {
  literal_ = fixed_part(line);
  preamble_ = std::move(preamble);
}

std::string Prompt::fixed_part(std::string_view line) const {
  std::string text{right_trimmed(line)};
  for (const auto& variable : variables_) text = variable.replace_all(text, "");
  text.resize(right_trimmed(text).size());
  return text;
}

bool Prompt::is(std::string_view line) const {
  if (!known()) return false;
  line = right_trimmed(line);
  if (line == literal_) return true;
  if (variables_.empty() || line.empty() || line.size() > longest_prompt) return false;
  return fixed_part(line) == literal_;
}

bool Prompt::is_preamble(std::string_view line) const {
  return std::find(preamble_.begin(), preamble_.end(), right_trimmed(line)) != preamble_.end();
}

bool Prompt::same(std::string_view a, std::string_view b) const {
  a = right_trimmed(a);
  b = right_trimmed(b);
  if (a == b) return !a.empty();
  if (variables_.empty() || std::max(a.size(), b.size()) > longest_prompt) return false;
  const std::string fixed = fixed_part(a);
  return !fixed.empty() && fixed == fixed_part(b);
}

bool Prompt::echoes(std::string_view line, std::string_view command) const {
  line = right_trimmed(line);
  command = right_trimmed(command);
  return line.ends_with(command) && is(line.substr(0, line.size() - command.size()));
}

void Prompt::cut_preamble(std::string& text) const {
  if (preamble_.empty()) return;
  std::size_t end = text.size();
  std::size_t left = preamble_.size();
  while (left > 0 && end > 0) {
    const std::size_t newline = end > 1 ? text.rfind('\n', end - 2) : std::string::npos;
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    const auto line = right_trimmed(std::string_view{text}.substr(begin, end - 1 - begin));
    if (!line.empty()) {
      if (line != preamble_[left - 1]) return;
      --left;
    }
    end = begin;
  }
  if (left == 0) text.resize(end);
}

void Probe::send(std::string candidate) {
  candidate_ = std::move(candidate);
  between_.clear();
  matches_ = 0;
  sent_ = 1;
  out_ = true;
}

bool Probe::line(std::string_view text, const Prompt& prompt) {
  text = right_trimmed(text);
  if (text.empty()) return true;
  if (prompt.same(text, candidate_)) {
    ++matches_;
    return true;
  }
  if (between_.size() == lines_between || text.size() > line_bytes) return false;
  between_.emplace_back(text);
  return true;
}

}  // namespace nightjar::dialogue
