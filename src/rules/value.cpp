#include <nightjar/rules/assign.hpp>
#include <nightjar/rules/value.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace nightjar::rules {
namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool within(std::int64_t value, const IntegerBounds& b) {
  return value >= b.least && value <= b.most;
}

}  // namespace

std::string to_text(int value) {
  return std::to_string(value);
}

std::string to_text(Seconds value) {
  return std::to_string(value.count());
}

std::string to_text(double value) {
  std::array<char, 32> text;  // the shortest text that reads back as the same number has at most 24
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::string{text.data(), end} : std::string{};
}

template <>
std::optional<int> parse<int>(std::string_view text) {
  return number<int>(text);
}

template <>
std::optional<Seconds> parse<Seconds>(std::string_view text) {
  if (const auto count = number<std::int64_t>(text)) return Seconds{*count};
  return std::nullopt;
}

template <>
std::optional<double> parse<double>(std::string_view text) {
  return number<double>(text);
}

template <>
std::optional<bool> parse<bool>(std::string_view text) {
  if (text == to_text(true)) return true;
  if (text == to_text(false)) return false;
  return std::nullopt;
}

Failure not_wanted(std::string_view text, std::string_view wanted) {
  return failure(FailureClass::setup, Stage::none, fmt::format("'{}' is not {}", text, wanted));
}

std::string range(const IntegerBounds& b) {
  return fmt::format("a whole number from {} to {}", b.least, b.most);
}

Result<int> Writing<int>::read(std::string_view text, const IntegerBounds& bounds) {
  const auto value = parse<int>(text);
  if (!value || !within(*value, bounds)) return not_wanted(text, range(bounds));
  return *value;
}

Result<Seconds> Writing<Seconds>::read(std::string_view text, const IntegerBounds& bounds) {
  const auto value = parse<Seconds>(text);
  if (!value || !within(value->count(), bounds)) return not_wanted(text, range(bounds));
  return *value;
}

Result<double> Writing<double>::read(std::string_view text, const DecimalBounds& bounds) {
  const auto value = parse<double>(text);
  if (value && *value >= bounds.least && *value <= bounds.most) return *value;  // NaN is never within
  return not_wanted(text, fmt::format("a number from {:.1f} to {:.1f}", bounds.least, bounds.most));
}

Result<bool> Writing<bool>::read(std::string_view text, const Unbounded&) {
  if (const auto value = parse<bool>(text)) return *value;
  return not_wanted(text, "true or false");
}

}  // namespace nightjar::rules
