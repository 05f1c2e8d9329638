// Which failures of a night have a cause in common: a customer's network that could not be reached while its
// breaker was open, a credential that several devices rejected.
#pragma once
#include <nightjar/report/model.hpp>

#include <compare>
#include <map>
#include <set>
#include <vector>

namespace nightjar::report {

struct CauseKey {
  CustomerId customer;      // of a breaker
  CredentialId credential;  // of a credential
  auto operator<=>(const CauseKey&) const = default;
  bool is_shared() const { return customer || credential; }
};

class Causes {
 public:
  explicit Causes(const std::vector<Breaker>& breakers);

  // All failures of one night, before any of them is asked about.
  void look_at(const Failing& failing);
  // Not shared: the device's own.
  CauseKey of(const Failing& failing) const;
  const Breaker* breaker(CustomerId customer) const;

 private:
  struct Rejections {
    std::set<DeviceId> devices;
    bool refused = false;
  };
  bool behind_breaker(const Failing& failing) const;

  std::map<CustomerId, Breaker> breakers_;
  std::map<CredentialId, Rejections> credentials_;
};

}  // namespace nightjar::report
