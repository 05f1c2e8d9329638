// The limits of one customer as a setting of the cascade. What a device sets counts for nothing: sessions and
// the breaker are shared by all devices of a customer, so they are read at its level.
#pragma once
#include <nightjar/admission/customer_breaker.hpp>
#include <nightjar/rules/cascade.hpp>
#include <nightjar/rules/value.hpp>

#include <optional>
#include <string_view>
#include <tuple>

namespace nightjar::admission {

template <template <class> class F>
struct LimitFields {
  F<int> sessions{};  // at once, of one customer
  F<int> breaker_failures{};
  F<Seconds> breaker_cooldown{};
  bool operator==(const LimitFields&) const = default;
};

using CustomerLimits = LimitFields<rules::Plain>;
using LimitLayer = LimitFields<std::optional>;
using EffectiveLimits = LimitFields<rules::Resolved>;

BreakerRule breaker_rule(const CustomerLimits&);

}  // namespace nightjar::admission

namespace nightjar::rules {

template <>
struct Describe<admission::LimitFields> {
  static constexpr std::tuple fields{
      Field{"sessions", "Sessions at once", IntegerBounds{1, 10000},
            [](auto& l) -> decltype(auto) { return (l.sessions); }},
      Field{"breaker_failures", "Breaker opens after", IntegerBounds{1, 100000},
            [](auto& l) -> decltype(auto) { return (l.breaker_failures); }},
      Field{"breaker_cooldown_seconds", "Breaker cooldown", IntegerBounds{1, 86400},
            [](auto& l) -> decltype(auto) { return (l.breaker_cooldown); }},
  };
  static admission::CustomerLimits built_in();  // 50, 20, 60 s
};

extern template Result<void> assign<admission::LimitFields>(admission::LimitLayer&, std::string_view,
                                                            std::string_view);

}  // namespace nightjar::rules
