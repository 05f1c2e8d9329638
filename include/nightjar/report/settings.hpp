// The morning report as a setting of the cascade: when it is made, and from what age on a good copy is stale.
// Its time zone is that of the schedule. What a device sets counts for `stale_after_days` alone: reports are
// made for the platform and for customers.
#pragma once
#include <nightjar/rules/cascade.hpp>
#include <nightjar/rules/value.hpp>
#include <nightjar/schedule/cron.hpp>

#include <optional>
#include <string_view>
#include <tuple>

namespace nightjar::report {

template <template <class> class F>
struct ReportFields {
  F<schedule::Cron> cron{};
  F<bool> enabled{};
  F<int> stale_after_days{};
  bool operator==(const ReportFields&) const = default;
};

using ReportSettings = ReportFields<rules::Plain>;
using ReportLayer = ReportFields<std::optional>;
using EffectiveReport = ReportFields<rules::Resolved>;

}  // namespace nightjar::report

namespace nightjar::rules {

template <>
struct Describe<report::ReportFields> {
  static constexpr std::tuple fields{
      Field{"cron", "Report at", Unbounded{}, [](auto& r) -> decltype(auto) { return (r.cron); }},
      Field{"enabled", "Report sent", Unbounded{}, [](auto& r) -> decltype(auto) { return (r.enabled); }},
      Field{"stale_after_days", "Stale after", IntegerBounds{1, 3650},
            [](auto& r) -> decltype(auto) { return (r.stale_after_days); }},
  };
  static report::ReportSettings built_in();  // 30 7 * * *, sent, 14 days
};

extern template Result<void> assign<report::ReportFields>(report::ReportLayer&, std::string_view,
                                                          std::string_view);

}  // namespace nightjar::rules
