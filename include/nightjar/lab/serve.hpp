// `nightjar lab serve`: a fleet that runs until it is told to stop.
#pragma once
#include <nightjar/base/result.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace nightjar::lab {

struct ServeOptions {
  std::string plan_file;  // empty: the demo plan, or `devices` fine ones
  int devices = 0;        // more than 0: that many fine devices; not together with plan_file
  std::string address = "127.0.0.1";
  std::uint16_t base_port = 0;  // 0: any free port each
  std::string inventory_file;   // CSV written once all listen; empty: none
  std::string log_file;         // JSON Lines, appended; empty: none
  std::string ready_file;       // written last of all, with one line: the number of devices; empty: none
  std::string
      host_key_file;   // kept between runs; empty: beside the inventory (its path + ".hostkey"), or a new key
  bool quiet = false;  // prints no table
};

// Prints where things listen and which credentials fit (stdout), then runs until SIGINT or SIGTERM, or until
// `stop` (asked several times a second, may be empty) says true. Returns the exit code: 0, or 3 with the
// reason on stderr.
int serve(const ServeOptions&, const std::function<bool()>& stop = {});

}  // namespace nightjar::lab
