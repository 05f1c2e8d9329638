#include <nightjar/lab/device.hpp>

#include <algorithm>
#include <utility>

namespace nightjar::lab {
namespace {

constexpr std::pair<Kind, std::string_view> kind_names[] = {
    {Kind::ios, "ios"},         {Kind::eos, "eos"}, {Kind::nxos, "nxos"},        {Kind::junos, "junos"},
    {Kind::fortios, "fortios"}, {Kind::frr, "frr"}, {Kind::linux_host, "linux"},
};

constexpr std::pair<Behaviour, std::string_view> behaviour_names[] = {
    {Behaviour::fine, "fine"},
    {Behaviour::slow, "slow"},
    {Behaviour::drip, "drip"},
    {Behaviour::refuse, "refuse"},
    {Behaviour::reset, "reset"},
    {Behaviour::dead, "dead"},
    {Behaviour::garbage, "garbage"},
    {Behaviour::hang_banner, "hang_banner"},
    {Behaviour::vty_full, "vty_full"},
    {Behaviour::vty_full_shell, "vty_full_shell"},
    {Behaviour::wrong_password, "wrong_password"},
    {Behaviour::wrong_enable, "wrong_enable"},
    {Behaviour::hang_login, "hang_login"},
    {Behaviour::hang_command, "hang_command"},
    {Behaviour::drop_mid_config, "drop_mid_config"},
    {Behaviour::truncated, "truncated"},
    {Behaviour::changes, "changes"},
    {Behaviour::noisy, "noisy"},
    {Behaviour::banner, "banner"},
    {Behaviour::pager_always, "pager_always"},
    {Behaviour::host_key_changes, "host_key_changes"},
    {Behaviour::legacy_only, "legacy_only"},
    {Behaviour::keyboard_interactive, "keyboard_interactive"},
    {Behaviour::shell_login, "shell_login"},
};

template <class T, std::size_t n>
std::string_view name_of(const std::pair<T, std::string_view> (&names)[n], T value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "?";
}

template <class T, std::size_t n>
std::optional<T> value_of(const std::pair<T, std::string_view> (&names)[n], std::string_view text) {
  for (const auto& [value, name] : names)
    if (name == text) return value;
  return std::nullopt;
}

}  // namespace

std::string_view to_text(Kind kind) {
  return name_of(kind_names, kind);
}
std::optional<Kind> parse_kind(std::string_view text) {
  return value_of(kind_names, text);
}
std::string_view to_text(Behaviour behaviour) {
  return name_of(behaviour_names, behaviour);
}
std::optional<Behaviour> parse_behaviour(std::string_view text) {
  return value_of(behaviour_names, text);
}

const Trait* Device::trait(Behaviour wanted, int connection) const {
  const auto applies = [&](const Trait& t) {
    return t.behaviour == wanted && (t.first == 0 || connection <= t.first) &&
           (wanted != Behaviour::host_key_changes || connection >= t.from);
  };
  const auto found = std::find_if(traits.begin(), traits.end(), applies);
  return found == traits.end() ? nullptr : &*found;
}

}  // namespace nightjar::lab
