// A compiled regular expression (RE2: linear time whatever the text, bytes not code points), cheap to copy.
// Patterns come from driver files, so a bad one is a Failure with the engine's own words, never an exception.
#pragma once
#include <nightjar/base/result.hpp>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// Patterns that are mostly asked together: whether any of them is in a text takes one pass, not one each.
class Patterns {
 public:
  Patterns() = default;
  Patterns(std::vector<Pattern>
               patterns);  // NOLINT(google-explicit-constructor): a list of patterns is what it is
  Patterns(std::initializer_list<Pattern> patterns) : Patterns(std::vector<Pattern>(patterns)) {}

  bool any_in(std::string_view text) const;
  // For many lines at once: between `from`, the begin of a line, and the offset returned no line holds any of
  // them; npos where none does to the end. A line is what stands before its \n: one that is looked at without
  // blanks at its end has to be asked by itself.
  std::size_t skip_lines(std::string_view text, std::size_t from) const;
  Patterns with(const Patterns& more) const;  // these, then those
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::vector<Pattern> all_;
  std::optional<Pattern> any_;       // their alternation; none when it grew too large to compile
  std::optional<Pattern> in_lines_;  // the same with ^ and $ at the ends of lines
};

}  // namespace nightjar
