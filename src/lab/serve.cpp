#include <nightjar/lab/fleet.hpp>
#include <nightjar/lab/plan.hpp>
#include <nightjar/lab/serve.hpp>
#include <nightjar/runtime/asio.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace nightjar::lab {
namespace {

constexpr int exit_done = 0;
constexpr int exit_setup = 3;

// Under another name first: who waits for the file to be there never reads half of it.
Result<void> write_whole(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  std::FILE* file = std::fopen(fresh.c_str(), "we");
  bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr && std::fclose(file) != 0) good = false;
  if (!good || std::rename(fresh.c_str(), path.c_str()) != 0)
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return {};
}

Result<std::vector<Device>> devices_of(const ServeOptions& options) {
  if (!options.plan_file.empty() && options.devices > 0)
    return failure(FailureClass::setup, Stage::none, "a lab serves a plan or a number of devices, not both");
  if (options.devices < 0 || options.devices > 60'000)
    return failure(FailureClass::setup, Stage::none, "a lab serves 1 to 60000 devices");
  if (!options.plan_file.empty()) return read_plan(options.plan_file);
  return options.devices > 0 ? fine_devices(options.devices) : demo_plan();
}

std::string behaviours_of(const Device& device) {
  std::string text;
  for (const Trait& trait : device.traits) {
    if (!text.empty()) text += ", ";
    text += to_text(trait.behaviour);
    if (trait.first > 0) text += fmt::format(" (first {})", trait.first);
  }
  return text.empty() ? "fine" : text;
}

void print_table(const ServeOptions& options, const Fleet& fleet) {
  constexpr std::size_t shown = 40;
  const std::vector<Device>& devices = fleet.devices();
  fmt::print("{:<28} {:<8} {:<22} {}\n", "DEVICE", "KIND", "LISTENS ON", "BEHAVIOUR");
  for (std::size_t i = 0; i < devices.size() && i < shown; ++i)
    fmt::print("{:<28} {:<8} {:<22} {}\n", devices[i].customer + "/" + devices[i].name,
               to_text(devices[i].kind), fmt::format("{}:{}", options.address, fleet.port(i)),
               behaviours_of(devices[i]));
  if (devices.size() > shown) fmt::print("... and {} more\n", devices.size() - shown);
  fmt::print("\n{:<20} {:<12} {:<16} {}\n", "CREDENTIAL", "USERNAME", "PASSWORD", "ENABLE");
  for (const PlanCredential& c : credentials(devices))
    fmt::print("{:<20} {:<12} {:<16} {}\n", c.name, c.username, c.password, c.enable_password);
  std::fflush(stdout);
}

Result<void> announce(const ServeOptions& options, const Fleet& fleet) {
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < fleet.devices().size(); ++i) ports.push_back(fleet.port(i));
  if (!options.inventory_file.empty()) {
    auto written =
        write_whole(options.inventory_file, inventory_csv(fleet.devices(), options.address, ports));
    if (!written) return written;
  }
  if (!options.quiet) print_table(options, fleet);
  if (!options.ready_file.empty()) return write_whole(options.ready_file, fmt::format("{}\n", ports.size()));
  return {};
}

// Armed before anyone is told that the lab is ready: a signal that comes right then must not kill it half
// written.
class Vigil {
 public:
  explicit Vigil(const std::function<bool()>& stop)
      : stop_(stop), signals_(loop_, SIGINT, SIGTERM), timer_(loop_) {
    signals_.async_wait([this](boost::system::error_code, int) { loop_.stop(); });
  }

  void keep() {
    if (stop_) look();
    loop_.run();
  }

 private:
  void look() {
    if (stop_()) return loop_.stop();
    timer_.expires_after(Milliseconds{100});
    timer_.async_wait([this](boost::system::error_code error) {
      if (!error) look();
    });
  }

  const std::function<bool()>& stop_;
  asio::io_context loop_{1};
  asio::signal_set signals_;
  asio::steady_timer timer_;
};

Result<void> serve_until_the_end(const ServeOptions& options, const std::function<bool()>& stop) {
  auto devices = devices_of(options);
  if (!devices) return devices.error();
  FleetOptions how;
  how.address = options.address;
  how.base_port = options.base_port;
  how.log_file = options.log_file;
  how.keep_log = false;
  how.host_key_file = options.host_key_file;
  if (how.host_key_file.empty() && !options.inventory_file.empty())
    how.host_key_file = options.inventory_file + ".hostkey";
  Vigil vigil(stop);
  Fleet fleet(std::move(*devices), how);
  if (auto started = fleet.start(); !started) return started;
  if (auto announced = announce(options, fleet); !announced) return announced;
  vigil.keep();
  fleet.stop();
  return {};
}

}  // namespace

int serve(const ServeOptions& options, const std::function<bool()>& stop) {
  const auto served = serve_until_the_end(options, stop);
  if (served) return exit_done;
  fmt::print(stderr, "nightjar: {}\n", served.error().reason);
  return exit_setup;
}

}  // namespace nightjar::lab
