// A compiled regular expression (RE2: linear time whatever the text, bytes not code points), cheap to copy.
// Patterns come from driver files, so a bad one is a Failure with the engine's own words, never an exception.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nightjar/base/result.hpp>

namespace re2 {
class RE2;
}

namespace nightjar {

class Pattern {
 public:
  // Latin-1 matching (any byte is a character), `^`/`$` bind to line ends only with (?m).
  static Result<Pattern> compile(std::string_view expression);

  bool matches_all(std::string_view text) const;  // the whole text
  bool found_in(std::string_view text) const;     // anywhere
  struct Span {
    std::size_t begin = 0, end = 0;  // byte offsets, end is one past
  };
  std::optional<Span> find(std::string_view text, std::size_t from = 0) const;
  // First capture group of the first match; the whole match where the expression has no group.
  std::optional<std::string_view> capture(std::string_view text) const;
  // Every match replaced; the replacement may name groups as \1.
  std::string replace_all(std::string_view text, std::string_view replacement) const;

  const std::string& expression() const { return expression_; }

 private:
  Pattern(std::string expression, std::shared_ptr<const re2::RE2> compiled)
      : expression_(std::move(expression)), compiled_(std::move(compiled)) {}
  std::string expression_;
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace nightjar
