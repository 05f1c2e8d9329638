#include "simulation/almanac.hpp"

#include <nightjar/schedule/times.hpp>

#include <algorithm>

namespace nightjar::simulation {

std::optional<Almanac::Key> Almanac::key_of(DeviceId id, const Unit& unit) const {
  const auto text = [&](std::string_view field) {
    return estate_.schedule.in_force(field, unit.customer, id).value;
  };
  if (!unit.enabled || text("enabled") != "true") return std::nullopt;
  return Key{text("cron"), text("timezone")};
}

const Almanac::Calendar& Almanac::calendar(const Key& key) const {
  static std::map<Key, Calendar> known;  // the same for all nights
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known
      .emplace(key,
               Calendar{schedule::Cron::parse(key.cron).value(), schedule::Zone::find(key.timezone).value()})
      .first->second;
}

void Almanac::edited() {
  const UtcTime now = world_.clock.now();
  highest_ = std::max(highest_, now);  // a schedule that is new counts from now on
  for (auto era = current_.begin(); era != current_.end();) {
    const auto unit = estate_.devices.find(era->first);
    const bool stays = unit != estate_.devices.end() && key_of(era->first, unit->second) == era->second.key;
    if (stays) {
      ++era;
      continue;
    }
    past_.push_back(era->second);
    era = current_.erase(era);
  }
  for (const auto& [id, unit] : estate_.devices) {
    if (current_.contains(id)) continue;
    // A device that was added while the clock was ahead is not there for the times before that.
    const UtcTime from = std::max(highest_, created_.emplace(id, now).first->second);
    if (auto key = key_of(id, unit)) current_.emplace(id, Era{id, std::move(*key), from, from});
  }
}

void Almanac::looked() {
  highest_ = std::max(highest_, world_.clock.now());
  for (auto& [device, era] : current_) era.until = std::max(era.until, world_.clock.now());
}

void Almanac::left_out() {
  for (auto& [device, era] : current_) era.after = std::max(era.after, world_.clock.now());
}

void Almanac::opened(DeviceId device, CustomerId customer, UtcTime scheduled_for) {
  const auto unit = estate_.devices.find(device);
  hold(unit != estate_.devices.end() && unit->second.customer == customer,
       "a series for a device {} that is not there", device.value);
  const auto key = key_of(device, unit->second);
  hold(key.has_value(), "a series at {} for device {}, which has no schedule", to_rfc3339(scheduled_for),
       device.value);
  const auto& [cron, zone] = calendar(*key);
  hold(schedule::next_time(cron, zone, scheduled_for - Milliseconds{1}) == scheduled_for,
       "a series at {} for device {}, whose schedule {} {} says nothing of it", to_rfc3339(scheduled_for),
       device.value, key->cron, key->timezone);
  hold(opened_.emplace(device, scheduled_for).second, "two series of device {} for {}", device.value,
       to_rfc3339(scheduled_for));
}

void Almanac::finish() const {
  auto eras = past_;
  for (const auto& [device, era] : current_) eras.push_back(era);
  for (const Era& era : eras) {
    const auto& [cron, zone] = calendar(era.key);
    for (auto time = schedule::next_time(cron, zone, era.after); time && *time <= era.until;
         time = schedule::next_time(cron, zone, *time))
      hold(opened_.contains({era.device, *time}),
           "device {} ({} {}) has neither a series nor a missed one for {}", era.device.value, era.key.cron,
           era.key.timezone, to_rfc3339(*time));
  }
}

}  // namespace nightjar::simulation
