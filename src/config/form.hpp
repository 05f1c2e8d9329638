// One table of a driver file while it is read: typed access by key, and complaints that name file, line, key
// and remedy. Reading never stops at the first mistake, so that a misspelt key is reported as such and not as
// the missing key it meant.
#pragma once
#include <nightjar/base/pattern.hpp>
#include <nightjar/base/result.hpp>

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightjar::config {

class Complaints {
 public:
  explicit Complaints(std::string_view origin) : origin_(origin) {}
  void unknown(const toml::source_region& where, std::string_view key, std::string_view words);
  void wrong(const toml::source_region& where, std::string_view key, std::string_view words);
  // The one to show: unknown keys before everything else. Empty when the file is right.
  std::optional<Failure> first() const;

 private:
  std::string sentence(const toml::source_region& where, std::string_view key, std::string_view words) const;
  std::string origin_;
  std::string unknown_, wrong_;
};

// Every getter makes its key a known one. A key that is absent or wrong reads as empty; wrong ones have been
// complained of.
class Form {
 public:
  // `table` and `complaints` outlive the form. `path` is "" for the file itself, else "session",
  // "enable.refused".
  Form(const toml::table& table, std::string path, Complaints& complaints)
      : table_(&table), path_(std::move(path)), complaints_(&complaints) {}

  bool has(std::string_view key) const { return table_->contains(key); }
  std::optional<std::string> text(std::string_view key);
  std::string needed_text(std::string_view key);  // absent or empty is a complaint
  std::optional<bool> flag(std::string_view key);
  std::optional<std::int64_t> number(std::string_view key, std::int64_t least, std::int64_t most);
  std::vector<std::string> texts(std::string_view key);
  std::optional<Pattern> pattern(std::string_view key);
  std::optional<Pattern> needed_pattern(std::string_view key);
  std::vector<Pattern> patterns(std::string_view key);
  std::optional<Form> table(std::string_view key);
  std::vector<Form> tables(std::string_view key);

  template <class T>
  std::optional<T> choice(std::string_view key, std::span<const std::pair<std::string_view, T>> choices) {
    const auto word = text(key);
    if (!word) return std::nullopt;
    std::vector<std::string> words;
    for (const auto& [name, value] : choices) {
      if (name == *word) return value;
      words.emplace_back(name);
    }
    not_one_of(key, *word, words);
    return std::nullopt;
  }

  void wrong(std::string_view key, std::string_view words);
  void finish();  // complains of every key that no getter asked for

 private:
  const toml::node* find(std::string_view key);
  const toml::node* needed(std::string_view key);
  std::string full(std::string_view key) const;
  void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted);
  void not_one_of(std::string_view key, std::string_view word, std::span<const std::string> words);
  std::optional<Pattern> compile(std::string_view key, const toml::node& node);

  const toml::table* table_;
  std::string path_;
  Complaints* complaints_;
  std::vector<std::string> known_;
};

}  // namespace nightjar::config
