// Which device was to be backed up when: its schedule as the operator set it, over the times at which a
// daemon looked. A schedule's time counts from the first of these looks to the last one before it was edited.
#pragma once
#include "simulation/estate.hpp"
#include "simulation/world.hpp"

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nightjar::simulation {

class Almanac {
 public:
  Almanac(World& world, const Estate& estate) : world_(world), estate_(estate) {}

  // After every change of schedules, devices or customers.
  void edited();
  // A daemon has fired all that was due now, and opened all series of it.
  void looked();
  // It has left times out as too many to record.
  void left_out();
  // A series was opened for a scheduled time, to be tried or as missed.
  void opened(DeviceId, CustomerId, UtcTime scheduled_for);

  // Every scheduled time has its series.
  void finish() const;

 private:
  struct Key {
    std::string cron, timezone;
    auto operator<=>(const Key&) const = default;
  };
  struct Era {
    DeviceId device;
    Key key;
    UtcTime after{}, until{};
  };
  struct Calendar {
    schedule::Cron cron;
    schedule::Zone zone;
  };
  std::optional<Key> key_of(DeviceId, const Unit&) const;
  const Calendar& calendar(const Key&) const;

  World& world_;
  const Estate& estate_;
  UtcTime highest_{};  // of the wall clock at any look or edit: what lies before was handled
  std::map<DeviceId, UtcTime> created_;
  std::map<DeviceId, Era> current_;
  std::vector<Era> past_;
  std::set<std::pair<DeviceId, UtcTime>> opened_;
};

}  // namespace nightjar::simulation
