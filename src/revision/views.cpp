#include "revision/line_search.hpp"

#include <nightjar/revision/text.hpp>

#include <algorithm>

namespace nightjar::revision {
namespace {

constexpr std::string_view masked_secret = "<secret>";

// The part of a match that is meant: its group 1, or all of it where the group took no part. Looking again
// from the match on is the same match: only what stands before it is out of sight.
Pattern::Span meant(const Pattern& pattern, std::string_view text, Pattern::Span match) {
  const auto group = pattern.capture(text.substr(match.begin));
  if (!group || group->data() == nullptr) return match;
  const auto begin = static_cast<std::size_t>(group->data() - text.data());
  const Pattern::Span span{begin, begin + group->size()};
  return span.end <= match.end ? span : match;
}

// `text` with the meant part of every match replaced; nothing when there is no match.
std::optional<std::string> replaced(const Pattern& pattern, std::string_view text, std::string_view by) {
  std::string out;
  bool any = false;
  std::size_t copied = 0, from = 0;
  while (const auto match = pattern.find(text, from)) {
    const auto part = meant(pattern, text, *match);
    if (part.begin >= copied && part.end > part.begin) {
      out.append(text.substr(copied, part.begin - copied)).append(by);
      copied = part.end;
      any = true;
    }
    from = match->end > match->begin ? match->end : match->end + 1;
  }
  if (!any) return std::nullopt;
  out.append(text.substr(copied));
  return out;
}

// Appends the line with every pattern's matches replaced. Trailing blanks and the line end stay as they are.
void append_replaced(std::string& out, std::string_view line, const std::vector<const Pattern*>& patterns,
                     std::string_view by) {
  const auto words = bare(line);
  std::string changed;
  std::string_view current = words;
  for (const Pattern* pattern : patterns)
    if (auto next = replaced(*pattern, current, by)) {
      changed = *std::move(next);
      current = changed;
    }
  out.append(current).append(line.substr(words.size()));
}

bool sees_whole_text(const Pattern& pattern) {
  const std::string_view expression = pattern.expression();
  if (!expression.starts_with("(?")) return false;
  const auto flags = expression.substr(2, expression.find_first_of(":)") - 2);
  const bool only_flags = flags.find_first_not_of("imsU-") == std::string_view::npos;
  return only_flags && flags.find('s') < flags.find('-');
}

}  // namespace

std::string comparable(std::string_view text, const TextRules& rules) {
  std::string out;
  out.reserve(text.size());
  std::vector<const Pattern*> noise;
  for (const Pattern& pattern : rules.noise) noise.push_back(&pattern);
  LineSearch noise_lines{rules.noise_lines, text}, noisy{rules.noise, text};
  for_each_line(text, [&](std::string_view line) {
    const auto words = bare(line);
    if (noise_lines.holds(line, words)) return true;
    if (noisy.holds(line, words))
      append_replaced(out, line, noise, {});
    else
      out += line;
    return true;
  });
  return out;
}

std::string redact(std::string_view text, const TextRules& rules) {
  std::vector<const Pattern*> in_lines;
  std::string masked{text};
  for (const Pattern& secret : rules.secrets) {
    if (!sees_whole_text(secret))
      in_lines.push_back(&secret);
    else if (auto next = replaced(secret, masked, masked_secret))
      masked = *std::move(next);
  }
  std::string out;
  out.reserve(masked.size());
  for_each_line(masked, [&](std::string_view line) {
    append_replaced(out, line, in_lines, masked_secret);
    return true;
  });
  return out;
}

std::size_t count_lines(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return text.empty() || text.back() == '\n' ? ends : ends + 1;
}

}  // namespace nightjar::revision
