#include "config/form.hpp"

#include <nightjar/base/nearest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nightjar::config {
namespace {

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return node.is_array_of_tables() ? "an array of tables" : "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a decimal number";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return "a date or time";
    case toml::node_type::none:
      break;
  }
  return "nothing";
}

}  // namespace

std::string Complaints::sentence(const toml::source_region& where, std::string_view key,
                                 std::string_view words) const {
  const auto line = std::max<std::uint32_t>(where.begin.line, 1);  // the file itself may begin nowhere
  return fmt::format("{}:{}: {}: {}", origin_, line, key, words);
}

void Complaints::unknown(const toml::source_region& where, std::string_view key, std::string_view words) {
  if (unknown_.empty()) unknown_ = sentence(where, key, words);
}

void Complaints::wrong(const toml::source_region& where, std::string_view key, std::string_view words) {
  if (wrong_.empty()) wrong_ = sentence(where, key, words);
}

std::optional<Failure> Complaints::first() const {
  const std::string& words = unknown_.empty() ? wrong_ : unknown_;
  if (words.empty()) return std::nullopt;
  return failure(FailureClass::setup, Stage::none, words);
}

std::string Form::full(std::string_view key) const {
  return path_.empty() ? std::string{key} : fmt::format("{}.{}", path_, key);
}

const toml::node* Form::find(std::string_view key) {
  known_.emplace_back(key);
  return table_->get(key);
}

const toml::node* Form::needed(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) complaints_->wrong(table_->source(), full(key), "missing");
  return node;
}

void Form::wrong(std::string_view key, std::string_view words) {
  const toml::node* node = table_->get(key);
  complaints_->wrong(node ? node->source() : table_->source(), full(key), words);
}

void Form::wrong_type(std::string_view key, const toml::node& node, std::string_view wanted) {
  complaints_->wrong(node.source(), full(key), fmt::format("must be {}, not {}", wanted, kind_of(node)));
}

void Form::not_one_of(std::string_view key, std::string_view word, std::span<const std::string> words) {
  std::string said = fmt::format("\"{}\" is not one of {}", word, fmt::join(words, ", "));
  if (const auto meant = nearest(word, words); !meant.empty())
    said += fmt::format("; did you mean {}?", meant);
  wrong(key, said);
}

std::optional<std::string> Form::text(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (const auto* value = node->as_string()) return value->get();
  wrong_type(key, *node, "a string");
  return std::nullopt;
}

std::string Form::needed_text(std::string_view key) {
  const toml::node* node = needed(key);
  if (!node) return {};
  const auto* value = node->as_string();
  if (!value) {
    wrong_type(key, *node, "a string");
    return {};
  }
  if (value->get().empty()) wrong(key, "must not be empty");
  return value->get();
}

std::optional<bool> Form::flag(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (const auto* value = node->as_boolean()) return value->get();
  wrong_type(key, *node, "true or false");
  return std::nullopt;
}

std::optional<std::int64_t> Form::number(std::string_view key, std::int64_t least, std::int64_t most) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const auto* value = node->as_integer();
  if (!value) {
    wrong_type(key, *node, "an integer");
    return std::nullopt;
  }
  if (value->get() >= least && value->get() <= most) return value->get();
  wrong(key, fmt::format("{} is out of bounds: {} to {}", value->get(), least, most));
  return std::nullopt;
}

std::vector<std::string> Form::texts(std::string_view key) {
  std::vector<std::string> found;
  const toml::node* node = find(key);
  if (!node) return found;
  const auto* array = node->as_array();
  if (!array) {
    wrong_type(key, *node, "an array of strings");
    return found;
  }
  for (const toml::node& element : *array) {
    if (const auto* value = element.as_string())
      found.push_back(value->get());
    else
      wrong_type(key, element, "an array of strings, so each element a string");
  }
  return found;
}

std::optional<Pattern> Form::compile(std::string_view key, const toml::node& node) {
  const auto* expression = node.as_string();
  if (!expression) {
    wrong_type(key, node, "a regular expression in quotes");
    return std::nullopt;
  }
  auto compiled = Pattern::compile(expression->get());
  if (compiled) return std::move(*compiled);
  complaints_->wrong(node.source(), full(key), compiled.error().reason);
  return std::nullopt;
}

std::optional<Pattern> Form::pattern(std::string_view key) {
  const toml::node* node = find(key);
  return node ? compile(key, *node) : std::nullopt;
}

std::optional<Pattern> Form::needed_pattern(std::string_view key) {
  const toml::node* node = needed(key);
  return node ? compile(key, *node) : std::nullopt;
}

std::vector<Pattern> Form::patterns(std::string_view key) {
  std::vector<Pattern> found;
  const toml::node* node = find(key);
  if (!node) return found;
  const auto* array = node->as_array();
  if (!array) {
    wrong_type(key, *node, "an array of regular expressions");
    return found;
  }
  for (const toml::node& element : *array)
    if (auto compiled = compile(key, element)) found.push_back(std::move(*compiled));
  return found;
}

std::optional<Form> Form::table(std::string_view key) {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (const auto* inner = node->as_table()) return Form{*inner, full(key), *complaints_};
  wrong_type(key, *node, fmt::format("a table: [{}]", full(key)));
  return std::nullopt;
}

std::vector<Form> Form::tables(std::string_view key) {
  std::vector<Form> found;
  const toml::node* node = find(key);
  if (!node) return found;
  const auto* array = node->as_array();
  if (!array || (!array->empty() && !array->is_homogeneous(toml::node_type::table))) {
    wrong_type(key, *node, fmt::format("an array of tables: [[{}]]", full(key)));
    return found;
  }
  for (const toml::node& element : *array) found.emplace_back(*element.as_table(), full(key), *complaints_);
  return found;
}

void Form::finish() {
  // In the order of the lines, not of the keys.
  std::vector<const toml::key*> unknown;
  for (const auto& [key, node] : *table_)
    if (std::find(known_.begin(), known_.end(), key.str()) == known_.end()) unknown.push_back(&key);
  std::sort(unknown.begin(), unknown.end(), [](const toml::key* a, const toml::key* b) {
    return a->source().begin.line < b->source().begin.line;
  });
  for (const toml::key* key : unknown) {
    std::string words = "unknown key";
    if (const auto meant = nearest(key->str(), known_); !meant.empty())
      words += fmt::format("; did you mean {}?", meant);
    complaints_->unknown(key->source(), full(key->str()), words);
  }
}

}  // namespace nightjar::config
