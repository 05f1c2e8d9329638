// The definition of assign, for the file that instantiates it for a settings struct. Every type of field that
// struct has needs a Writing<T>: how a person writes it, and what may be written.
#pragma once

#include <nightjar/base/nearest.hpp>
#include <nightjar/rules/cascade.hpp>

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace nightjar::rules {

// static std::optional<T> read(std::string_view text, const Bounds&): empty when the text is no value within
// the bounds. static std::string allowed(const Bounds&): what may be written, as the end of "X is not ...".
template <class T>
struct Writing;

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
    if (const auto value = Writing<Value>::read(text, field.bounds)) {
      slot = *value;
      done.emplace();
    } else {
      done.emplace(failure(
          FailureClass::setup, Stage::none,
          fmt::format("{}: '{}' is not {}", field.name, text, Writing<Value>::allowed(field.bounds))));
    }
  });
  return done ? *done : Result<void>{unknown_field<Settings>(name)};
}

}  // namespace nightjar::rules
