// The schedule as a setting of the cascade: platform, customer and device may each set any of its fields.
#pragma once
#include <nightjar/rules/cascade.hpp>
#include <nightjar/rules/value.hpp>
#include <nightjar/schedule/cron.hpp>
#include <nightjar/schedule/zone.hpp>

#include <optional>
#include <string_view>
#include <tuple>

namespace nightjar::schedule {

template <template <class> class F>
struct ScheduleFields {
  F<Cron> cron{};
  F<Zone> timezone{};  // whose wall clock `cron` speaks of
  F<bool> enabled{};
  F<Seconds> catch_up{};  // a time that was missed still runs when it is not older than this
  bool operator==(const ScheduleFields&) const = default;
};

using Schedule = ScheduleFields<rules::Plain>;
using ScheduleLayer = ScheduleFields<std::optional>;
using EffectiveSchedule = ScheduleFields<rules::Resolved>;

}  // namespace nightjar::schedule

namespace nightjar::rules {

template <>
struct Describe<schedule::ScheduleFields> {
  static constexpr std::tuple fields{
      Field{"cron", "Schedule", Unbounded{}, [](auto& s) -> decltype(auto) { return (s.cron); }},
      Field{"timezone", "Time zone", Unbounded{}, [](auto& s) -> decltype(auto) { return (s.timezone); }},
      Field{"enabled", "Enabled", Unbounded{}, [](auto& s) -> decltype(auto) { return (s.enabled); }},
      Field{"catch_up_seconds", "Catch up within", IntegerBounds{0, 604800},
            [](auto& s) -> decltype(auto) { return (s.catch_up); }},
  };
  static schedule::Schedule built_in();  // 0 2 * * *, UTC, enabled, 6 h
};

extern template Result<void> assign<schedule::ScheduleFields>(schedule::ScheduleLayer&, std::string_view,
                                                              std::string_view);

}  // namespace nightjar::rules
