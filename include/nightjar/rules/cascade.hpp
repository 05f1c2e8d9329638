// The cascade: one mechanism for every per-level setting (retry rule, and later schedule, retention, limits,
// alerts). A settings struct is written once over a wrapper F: F = std::optional is one level's own fields, F
// = Plain the values in force, F = Resolved those values with the level each came from. The most specific
// level that sets a field wins, field by field; an empty field means "as above".
#pragma once
#include <nightjar/base/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace nightjar::rules {

enum class Level : std::uint8_t { built_in, platform, customer, device };
std::string_view to_text(Level);  // "built-in", "platform", "customer", "device"

template <class T>
using Plain = T;

template <class T>
struct Resolved {
  T value{};
  Level origin = Level::built_in;
  bool operator==(const Resolved&) const = default;
};

// One field of a settings struct: its schema name, its label on screens, what may be written into it, and how
// to reach it in any instantiation of the struct (`get` is a generic lambda taking the struct by reference).
template <class Get, class Bounds>
struct Field {
  std::string_view name;
  std::string_view label;
  Bounds bounds;
  Get get;
};
template <class Bounds, class Get>
Field(std::string_view, std::string_view, Bounds, Get) -> Field<Get, Bounds>;

// Specialised for each settings struct with `static constexpr auto fields = std::tuple{Field{...}, ...}` in
// the order shown everywhere, and `static Settings<Plain> built_in()`.
template <template <template <class> class> class Settings>
struct Describe;

template <template <template <class> class> class Settings, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, Describe<Settings>::fields);
}

// The levels above a device, and its own; null where a level sets nothing.
template <template <template <class> class> class Settings>
struct Layers {
  const Settings<std::optional>* platform = nullptr;
  const Settings<std::optional>* customer = nullptr;
  const Settings<std::optional>* device = nullptr;
};

template <template <template <class> class> class Settings>
Settings<Resolved> resolve(const Settings<Plain>& built_in, const Layers<Settings>& layers) {
  Settings<Resolved> out;
  for_each_field<Settings>([&](const auto& field) {
    auto& slot = field.get(out);
    slot = {field.get(built_in), Level::built_in};
    const auto lay = [&](const Settings<std::optional>* layer, Level level) {
      if (layer)
        if (const auto& own = field.get(*layer)) slot = {*own, level};
    };
    lay(layers.platform, Level::platform);
    lay(layers.customer, Level::customer);
    lay(layers.device, Level::device);
  });
  return out;
}

template <template <template <class> class> class Settings>
Settings<Plain> values(const Settings<Resolved>& resolved) {
  Settings<Plain> out;
  for_each_field<Settings>([&](const auto& field) { field.get(out) = field.get(resolved).value; });
  return out;
}

// Sets one field from its text ("" clears it: inherit). Text forms are those of to_text below. A name that is
// not a field (with the nearest one suggested) or a value out of bounds is class setup, naming field, value
// and bounds. Defined in assign.hpp, and instantiated once, in the module that owns the struct.
template <template <template <class> class> class Settings>
Result<void> assign(Settings<std::optional>& layer, std::string_view name, std::string_view text);

}  // namespace nightjar::rules
