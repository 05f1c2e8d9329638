// The definition of assign, for the one file of a module that instantiates it for its settings struct. Every
// type of field that struct has needs a Writing<T>; those of the plain types are here.
#pragma once
#include <nightjar/base/nearest.hpp>
#include <nightjar/rules/cascade.hpp>
#include <nightjar/rules/value.hpp>

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace nightjar::rules {

// How a person writes a T: static Result<T> read(std::string_view text, const Bounds&). Its failure says what
// is wrong with the text and what is wanted, quoting the text; assign puts the field's name before it.
template <class T>
struct Writing;

template <>
struct Writing<int> {
  static Result<int> read(std::string_view text, const IntegerBounds&);
};
template <>
struct Writing<Seconds> {
  static Result<Seconds> read(std::string_view text, const IntegerBounds&);
};
template <>
struct Writing<double> {
  static Result<double> read(std::string_view text, const DecimalBounds&);
};
template <>
struct Writing<bool> {
  static Result<bool> read(std::string_view text, const Unbounded&);
};

// 'TEXT' is not WANTED.
Failure not_wanted(std::string_view text, std::string_view wanted);
std::string range(const IntegerBounds&);  // "a whole number from 1 to 20"

template <template <template <class> class> class Settings>
Failure unknown_field(std::string_view name) {
  const auto names =
      std::apply([](const auto&... field) { return std::array{field.name...}; }, Describe<Settings>::fields);
  if (const auto meant = nearest(name, names); !meant.empty())
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("unknown field '{}'; did you mean {}?", name, meant));
  return failure(FailureClass::setup, Stage::none,
                 fmt::format("unknown field '{}'; the fields are {}", name, fmt::join(names, ", ")));
}

template <template <template <class> class> class Settings>
Result<void> assign(Settings<std::optional>& layer, std::string_view name, std::string_view text) {
  std::optional<Result<void>> done;
  for_each_field<Settings>([&](const auto& field) {
    if (field.name != name) return;
    auto& slot = field.get(layer);
    if (text.empty()) {
      slot.reset();
      done.emplace();
      return;
    }
    using Value = typename std::remove_reference_t<decltype(slot)>::value_type;
    if (auto value = Writing<Value>::read(text, field.bounds)) {
      slot = *std::move(value);
      done.emplace();
    } else {
      Failure refused = std::move(value).error();
      refused.reason = fmt::format("{}: {}", field.name, refused.reason);
      done.emplace(std::move(refused));
    }
  });
  return done ? *std::move(done) : unknown_field<Settings>(name);
}

}  // namespace nightjar::rules
