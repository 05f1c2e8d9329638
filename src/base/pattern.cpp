#include <nightjar/base/pattern.hpp>

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

namespace nightjar {
namespace {

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
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
  for (const Pattern& pattern : all_) {
    if (!alternation.empty()) alternation += '|';
    alternation.append("(?:").append(pattern.expression()).append(")");
  }
  if (all_.empty()) return;
  if (auto compiled = Pattern::compile(alternation)) any_ = *std::move(compiled);
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

}  // namespace nightjar
