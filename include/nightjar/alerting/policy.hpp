// When people are told, as a setting of the cascade: how often about a device that goes on failing, whether
// about its recovery, how long failures are gathered into one message, and when nothing is told at all.
#pragma once
#include <nightjar/rules/cascade.hpp>
#include <nightjar/rules/value.hpp>
#include <nightjar/schedule/windows.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

namespace nightjar::alerting {

// A device whose failure was told and that fails again is told again:
enum class Repeat : std::uint8_t {
  every,  // each time
  daily,  // once for each day, that of the scheduled time on the customer's calendar
  never,  // not before it has recovered
};
std::string_view to_text(Repeat);

template <template <class> class F>
struct AlertFields {
  F<Repeat> repeat{};
  F<Seconds> group{};   // failures of one customer that end within this go to a destination as one message
  F<bool> recovered{};  // the first success after a told failure is told to those who were told
  F<schedule::Windows> maintenance{};  // a window open at the scheduled time: nobody is told
  bool operator==(const AlertFields&) const = default;
};

using Policy = AlertFields<rules::Plain>;
using PolicyLayer = AlertFields<std::optional>;
using EffectivePolicy = AlertFields<rules::Resolved>;

}  // namespace nightjar::alerting

namespace nightjar::rules {

template <>
struct Describe<alerting::AlertFields> {
  static constexpr std::tuple fields{
      Field{"repeat", "Tell again", Unbounded{}, [](auto& p) -> decltype(auto) { return (p.repeat); }},
      Field{"group_seconds", "Gather for", IntegerBounds{0, 3600},
            [](auto& p) -> decltype(auto) { return (p.group); }},
      Field{"recovered", "Tell recoveries", Unbounded{},
            [](auto& p) -> decltype(auto) { return (p.recovered); }},
      Field{"maintenance", "Maintenance", Unbounded{},
            [](auto& p) -> decltype(auto) { return (p.maintenance); }},
  };
  static alerting::Policy built_in();  // daily, 120 s, true, none
};

extern template Result<void> assign<alerting::AlertFields>(alerting::PolicyLayer&, std::string_view,
                                                           std::string_view);

}  // namespace nightjar::rules
