#include <nightjar/base/pattern.hpp>

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

namespace nightjar {
namespace {

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

// \Q without \E would quote the rest of an alternation as well.
bool quotes(std::string_view expression) {
  return expression.find("\\Q") != std::string_view::npos;
}

// It means the ends of the text whatever (?m) says, or takes (?m) back.
bool tells_text_from_line(std::string_view expression) {
  for (const std::string_view word : {"\\A", "\\z", "\\Z"})
    if (expression.find(word) != std::string_view::npos) return true;
  for (std::size_t at = 0; (at = expression.find("(?", at)) != std::string_view::npos; at += 2) {
    const auto flags = expression.substr(at + 2, expression.find_first_of(":)", at) - at - 2);
    if (flags.find('-') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view expression) {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(16 << 20);
  auto compiled = std::make_shared<re2::RE2>(piece(expression), options);
  if (!compiled->ok())
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("bad regular expression '{}': {}", expression, compiled->error()));
  return Pattern{std::string{expression}, std::move(compiled)};
}

bool Pattern::matches_all(std::string_view text) const {
  return re2::RE2::FullMatch(piece(text), *compiled_);
}

bool Pattern::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(piece(text), *compiled_);
}

std::optional<Pattern::Span> Pattern::find(std::string_view text, std::size_t from) const {
  if (from > text.size()) return std::nullopt;
  re2::StringPiece match;
  if (!compiled_->Match(piece(text), from, text.size(), re2::RE2::UNANCHORED, &match, 1)) return std::nullopt;
  const auto begin = static_cast<std::size_t>(match.data() - text.data());
  return Span{begin, begin + match.size()};
}

std::optional<std::string_view> Pattern::capture(std::string_view text) const {
  re2::StringPiece groups[2];
  const int wanted = compiled_->NumberOfCapturingGroups() > 0 ? 2 : 1;
  if (!compiled_->Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, groups, wanted))
    return std::nullopt;
  const auto& group = groups[wanted - 1];
  return std::string_view{group.data(), group.size()};
}

std::string Pattern::replace_all(std::string_view text, std::string_view replacement) const {
  std::string out{text};
  re2::RE2::GlobalReplace(&out, *compiled_, piece(replacement));
  return out;
}

Patterns::Patterns(std::vector<Pattern> patterns) : all_(std::move(patterns)) {
  std::string alternation;
  bool ends_of_text = false;
  for (const Pattern& pattern : all_) {
    const std::string& expression = pattern.expression();
    if (quotes(expression)) return;
    ends_of_text = ends_of_text || tells_text_from_line(expression);
    if (!alternation.empty()) alternation += '|';
    alternation.append("(?:").append(expression).append(")");
  }
  if (all_.empty()) return;
  if (auto compiled = Pattern::compile(alternation)) any_ = *std::move(compiled);
  if (ends_of_text) return;
  if (auto compiled = Pattern::compile("(?m:" + alternation + ")")) in_lines_ = *std::move(compiled);
}

Patterns Patterns::with(const Patterns& more) const {
  std::vector<Pattern> both = all_;
  both.insert(both.end(), more.begin(), more.end());
  return both;
}

bool Patterns::any_in(std::string_view text) const {
  if (any_) return any_->found_in(text);
  return std::any_of(all_.begin(), all_.end(), [&](const Pattern& p) { return p.found_in(text); });
}

std::size_t Patterns::skip_lines(std::string_view text, std::size_t from) const {
  if (all_.empty()) return std::string_view::npos;
  if (!in_lines_) return from;
  // A match may run over the end of its line and be none: then the line it begins in is asked in vain.
  const auto match = in_lines_->find(text, from);
  return match ? match->begin : std::string_view::npos;
}

}  // namespace nightjar
