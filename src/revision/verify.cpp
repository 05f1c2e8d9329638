#include "revision/line_search.hpp"

#include <nightjar/revision/text.hpp>

#include <fmt/format.h>

namespace nightjar::revision {
namespace {

// What there is of a configuration once its comments and blank lines are left out, in one walk over the text.
struct Findings {
  std::size_t configuration_bytes = 0;
  bool begun = false;
  std::string_view last_line;  // the last that is not blank
  std::string_view residue;
  std::size_t residue_line = 0;
};

// A line of a fact as compose writes it: comment, a name without blanks, a colon.
bool is_fact(std::string_view words, const TextRules& rules) {
  if (rules.comment.empty() || !words.starts_with(rules.comment)) return false;
  words.remove_prefix(rules.comment.size());
  const auto name_end = words.find_first_of(": ");
  return name_end != std::string_view::npos && name_end > 0 && words[name_end] == ':';
}

Findings look_at(std::string_view text, const TextRules& rules) {
  Findings found;
  found.begun = !rules.begin;
  const auto comment = bare(rules.comment);
  std::size_t number = 0;
  LineSearch residue{rules.residue, text};
  bool in_facts = true;  // they stand on top, and may look like the beginning of a configuration
  for_each_line(text, [&](std::string_view line) {
    ++number;
    const auto words = bare(line);
    if (words.empty()) return true;
    in_facts = in_facts && is_fact(words, rules);
    if (in_facts) return true;
    found.last_line = words;
    if (comment.empty() || !words.starts_with(comment)) found.configuration_bytes += line.size();
    found.begun = found.begun || rules.begin->found_in(words);
    if (found.residue.empty() && residue.holds(line, words)) {
      found.residue = words;
      found.residue_line = number;
    }
    return true;
  });
  return found;
}

// The mark as its driver's author thinks of it: the expression without its anchors.
std::string_view mark(const Pattern& pattern) {
  std::string_view words = pattern.expression();
  if (words.starts_with('^')) words.remove_prefix(1);
  if (words.ends_with('$') && !words.ends_with("\\$")) words.remove_suffix(1);
  return words;
}

std::string sizes(std::string_view text, std::optional<LastGood> last_good) {
  auto words = fmt::format("{} bytes", text.size());
  if (last_good) words += fmt::format(", last good copy has {}", last_good->bytes);
  return words;
}

// A line for a reason: short, and nothing in it that a terminal or a log would act upon.
std::string quotable(std::string_view line) {
  constexpr std::size_t most = 80;
  std::string words{line.substr(0, most)};
  for (char& c : words)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return line.size() > most ? words + "..." : words;
}

std::optional<std::string> objection(std::string_view text, const TextRules& rules,
                                     std::optional<LastGood> last_good) {
  const auto figures = sizes(text, last_good);
  if (text.empty()) return "the answer is empty: " + figures;
  const auto found = look_at(text, rules);
  if (!found.residue.empty())
    return fmt::format("line {} is no configuration: \"{}\" ({})", found.residue_line,
                       quotable(found.residue), figures);
  if (found.configuration_bytes < rules.least_bytes)
    return fmt::format("only {} bytes of configuration besides comments, at least {} are expected: {}",
                       found.configuration_bytes, rules.least_bytes, figures);
  if (!found.begun) return fmt::format("begin mark \"{}\" missing: {}", mark(*rules.begin), figures);
  if (rules.end && !rules.end->found_in(found.last_line))
    return fmt::format("end mark \"{}\" missing: {}", mark(*rules.end), figures);
  if (last_good &&
      static_cast<double>(text.size()) < least_share_of_last_good * static_cast<double>(last_good->bytes))
    return fmt::format("far smaller than the last good copy: {}", figures);
  return std::nullopt;
}

}  // namespace

std::optional<Failure> verify(std::string_view text, const TextRules& rules,
                              std::optional<LastGood> last_good) {
  if (auto reason = objection(text, rules, last_good))
    return failure(FailureClass::incomplete, Stage::verify, *std::move(reason));
  return std::nullopt;
}

}  // namespace nightjar::revision
