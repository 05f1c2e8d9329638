// Where fleets come from: a plan file, the built-in demo, or N fine devices for the benchmark; and the
// inventory that fits them.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/lab/device.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::lab {

// JSON: {"defaults":{...}, "devices":[{"name":"core-01","kind":"ios","behaviour":"refuse_first","count":2},
//   {"name":"edge-{n}","count_devices":50,"kind":"eos","behaviours":["noisy",{"behaviour":"slow","delay_ms":5}]}]}.
// A behaviour takes count (first N connections), from, delay_ms, think_ms, text; `refuse_first`,
// `reset_first` and `down_until` (a reset) read as refuse and reset with a count that must be there. Errors
// are class setup and name the origin, the device and the key.
Result<std::vector<Device>> parse_plan(std::string_view json, std::string_view origin);
Result<std::vector<Device>> read_plan(const std::string& file);

// A dozen devices of two made-up customers that show the main behaviours.
std::vector<Device> demo_plan();

// "bench-00001", ...: of one kind, all fine.
std::vector<Device> fine_devices(int count, Kind kind = Kind::ios);

// CSV with the header customer,name,address,port,driver,credential,tags. `ports` are those of the devices, in
// order.
std::string inventory_csv(const std::vector<Device>&, std::string_view address,
                          const std::vector<std::uint16_t>& ports);

// What has to be stored so that the inventory can log in; one row a credential name, in order of first use.
struct PlanCredential {
  std::string name, username, password, enable_password;
};
std::vector<PlanCredential> credentials(const std::vector<Device>&);

}  // namespace nightjar::lab
