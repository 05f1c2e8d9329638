// The cascade's storage, for every settings struct alike: one row per field that a level sets, its value in
// the text form of `rules`. What has no row is inherited.
#pragma once
#include <nightjar/admission/limits.hpp>
#include <nightjar/alerting/policy.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/report/settings.hpp>
#include <nightjar/rules/retry.hpp>
#include <nightjar/schedule/settings.hpp>
#include <nightjar/store/database.hpp>

#include <string>
#include <string_view>
#include <unordered_map>

namespace nightjar::store {

// Where a setting is set. customer and device are set as the level needs.
struct Scope {
  rules::Level level = rules::Level::platform;
  CustomerId customer;
  DeviceId device;
};

// The settings in force somewhere, with the names their origins stand for.
template <template <template <class> class> class S>
struct InForce {
  S<rules::Resolved> rule;
  std::string customer_name;
  std::string device_name;  // "" when asked for a customer or the platform
  // "" for built-in and platform
  std::string_view origin_name(rules::Level level) const {
    if (level == rules::Level::customer) return customer_name;
    return level == rules::Level::device ? std::string_view{device_name} : std::string_view{};
  }
};
using RuleInForce = InForce<rules::RetryFields>;

// What every level sets, for a look at many devices at once.
template <template <template <class> class> class S>
struct AllLayers {
  S<std::optional> platform;
  std::unordered_map<CustomerId, S<std::optional>> customers;  // those that set something
  std::unordered_map<DeviceId, S<std::optional>> devices;

  S<rules::Resolved> in_force(CustomerId customer) const {
    const auto own = customers.find(customer);
    return rules::resolve(
        rules::Describe<S>::built_in(),
        rules::Layers<S>{.platform = &platform, .customer = own == customers.end() ? nullptr : &own->second});
  }
  S<rules::Resolved> in_force(CustomerId customer, DeviceId device) const {
    const auto above = customers.find(customer);
    const auto own = devices.find(device);
    return rules::resolve(rules::Describe<S>::built_in(),
                          rules::Layers<S>{.platform = &platform,
                                           .customer = above == customers.end() ? nullptr : &above->second,
                                           .device = own == devices.end() ? nullptr : &own->second});
  }
};

// Defined for rules::RetryFields, schedule::ScheduleFields, admission::LimitFields and report::ReportFields.
class Settings {
 public:
  explicit Settings(Database& db) : db_(db) {}

  template <template <template <class> class> class S>
  Result<S<std::optional>> layer(const Scope&);
  template <template <template <class> class> class S>
  Result<void> set_layer(const Scope&, const S<std::optional>&);
  template <template <template <class> class> class S>
  Result<InForce<S>> in_force(const Scope&);
  template <template <template <class> class> class S>
  Result<AllLayers<S>> all();

 private:
  Database& db_;
};

}  // namespace nightjar::store
