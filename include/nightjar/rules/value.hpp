// What may be written into a field of a settings struct, and the text of the plain types that fields are made
// of. A type that only one module knows has its text beside it (found by argument-dependent lookup).
#pragma once
#include <nightjar/base/time.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nightjar::rules {

struct IntegerBounds {
  std::int64_t least, most;
};
struct DecimalBounds {
  double least, most;
};
struct Unbounded {};

// Text of a value as the CLI, the store and screens write it: 3, 300, 3.0 as "3", true.
std::string to_text(int);
std::string to_text(Seconds);
std::string to_text(double);
std::string to_text(std::same_as<bool> auto value) {  // pointers do not become true here
  return value ? "true" : "false";
}

// The value of such a text, for each type of field; bounds are not looked at (assign does). Empty when it is
// none.
template <class T>
std::optional<T> parse(std::string_view text) = delete;
template <>
std::optional<int> parse<int>(std::string_view);
template <>
std::optional<Seconds> parse<Seconds>(std::string_view);
template <>
std::optional<double> parse<double>(std::string_view);
template <>
std::optional<bool> parse<bool>(std::string_view);

}  // namespace nightjar::rules
