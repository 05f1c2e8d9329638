// The settings as the operator set them, and what follows from them: a second reckoning of the cascade and of
// the waits, from the texts alone, that shares nothing with the product.
#pragma once
#include <nightjar/base/id.hpp>
#include <nightjar/base/time.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace nightjar::simulation {

using Fields = std::map<std::string, std::string, std::less<>>;  // what one level sets

struct Valued {
  std::string value;
  std::string origin;  // built-in, platform, customer, device
  bool operator==(const Valued&) const = default;
};
using RuleInWords = std::map<std::string, Valued, std::less<>>;

class Levels {
 public:
  explicit Levels(Fields built_in) : built_in_(std::move(built_in)) {}

  Fields platform;
  std::map<CustomerId, Fields> customers;
  std::map<DeviceId, Fields> devices;

  Valued in_force(std::string_view field, CustomerId, std::optional<DeviceId> = std::nullopt) const;
  RuleInWords rule(CustomerId, DeviceId) const;

 private:
  Fields built_in_;
};

Levels retry_levels();
Levels schedule_levels();
Levels limit_levels();

std::int64_t number(const std::string& text);

// The longest wait that this rule allows before its attempt number `attempt`, and the shortest.
struct WaitBounds {
  Milliseconds least{0}, most{0};
};
WaitBounds wait_bounds(const RuleInWords&, int attempt);

}  // namespace nightjar::simulation
