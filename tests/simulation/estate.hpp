// The customers, devices and settings as the operator made them, and how each device behaves tonight.
#pragma once
#include "simulation/levels.hpp"
#include "simulation/random.hpp"

#include <nightjar/base/id.hpp>

// Private to the product; the simulation drives what lies behind it.
#include "orchestrator/desk.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nightjar::simulation {

enum class Manner : std::uint8_t {
  fine,
  flaky,  // fails a few times, then works once
  dead,
  hangs,
  lies,  // its answer is cut off
  drops,
  wrong_password,
  other_host_key,
};

struct Unit {
  CustomerId customer;
  CredentialId credential;
  std::string name;
  bool enabled = true;
  Manner manner = Manner::fine;
  int fails = 0;    // flaky: so many times
  int failed = 0;   // since it worked last
  int edition = 0;  // of its configuration
};

struct Visit {
  orchestrator::Ended end;
  Milliseconds takes{0};
  Milliseconds let_in_after{-1};  // below 0: never
};

struct Estate {
  Levels retry = retry_levels();
  Levels schedule = schedule_levels();
  Levels limits = limit_levels();
  std::vector<CustomerId> customers;
  std::map<CredentialId, std::optional<CustomerId>> credentials;
  std::map<DeviceId, Unit> devices;

  std::set<CustomerId> cut_off;            // nothing of them can be reached
  std::set<CredentialId> changed_on_site;  // devices know another password by now

  // One session as the device would have it.
  Visit visit(DeviceId, Milliseconds timeout, Random&);
};

}  // namespace nightjar::simulation
