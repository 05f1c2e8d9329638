// A device of the plan while the fleet runs: what it counts, what it last showed, and the keys it presents.
#pragma once
#include "lab/host_key.hpp"

#include <nightjar/lab/device.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace nightjar::lab {

class Unit {
 public:
  explicit Unit(Device device) : plan(std::move(device)) {}

  // One reading of the configuration on this connection: moves its counters as the traits say.
  std::shared_ptr<const std::string> read_config(int connection);
  void change_config() { ++changes_; }
  std::string last_config() const;
  const Identity& identity(int connection) const;

  const Device plan;
  int connections = 0;  // accepted so far; the fleet's thread only
  const Identity* usual = nullptr;
  const Identity* other = nullptr;   // host_key_changes
  const Identity* legacy = nullptr;  // legacy_only
  HostKey client_key;                // Device::public_key; null: none

 private:
  std::atomic<int> changes_ = 0;
  mutable std::mutex mutex_;  // of what follows: the caller's threads look at it
  int readings_ = 0;
  int shown_changes_ = -1;
  int shown_reading_ = -1;
  std::shared_ptr<const std::string> shown_;
};

}  // namespace nightjar::lab
