// A fleet of simulated devices over real SSH: one listening port a device, one thread for all of them.
// Threads of the caller may use everything here; a device's behaviour is fixed by its plan.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/lab/device.hpp>
#include <nightjar/lab/log.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nightjar::lab {

struct FleetOptions {
  std::string address = "127.0.0.1";
  std::uint16_t base_port = 0;  // device i listens on base_port + i; 0: any free port each
  std::string host_key_file;    // read, or made (0600) when it is absent; empty: a new key at each start
  std::string log_file;         // see Log
  bool keep_log = true;
};

class Fleet {
 public:
  using Options = FleetOptions;

  explicit Fleet(std::vector<Device>, Options = {});
  ~Fleet();  // stops
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // All devices listen when this returns. Failures are class setup and name address and port; nothing listens
  // then. A fleet is started once.
  Result<void> start();
  // Breaks off open sessions and returns when the thread and every descriptor are gone. Again: nothing.
  void stop();

  const std::vector<Device>& devices() const;
  std::uint16_t port(std::size_t device) const;  // a dead device has one too: nothing listens on it
  const Log& log() const;
  // As a client sees it: "SHA256:..." of the key shown on this connection (from 1).
  std::string fingerprint(std::size_t device, int connection = 1) const;
  // From the next reading on the device shows a changed configuration.
  void change_config(std::size_t device);
  // What the last reading showed (the text of running_config); empty before the first.
  std::string last_config(std::size_t device) const;

 private:
  class Floor;
  std::unique_ptr<Floor> floor_;
};

}  // namespace nightjar::lab
