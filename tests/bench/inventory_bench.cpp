// 100,000 devices of 100 customers in a real database: every effective rule at once, and one page of the
// device list. Prints milliseconds; usage: inventory_bench FILE (made when missing).
#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

namespace {

using namespace nightjar;

constexpr int customers = 100;
constexpr int devices_each = 1000;

template <class Work>
double ms(Work&& work) {
  const auto before = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count();
}

void fill(store::Inventory& inventory) {
  for (int c = 0; c < customers; ++c) {
    const std::string name = fmt::format("customer-{:03}", c);
    const CustomerId customer = inventory.add_customer({{}, name, "UTC"}).value();
    std::vector<store::Device> devices;
    for (int d = 0; d < devices_each; ++d) {
      store::Device device;
      device.customer = customer;
      device.customer_name = name;
      device.name = fmt::format("sw-{:04}", d);
      device.address = fmt::format("192.0.2.{}", d % 250 + 1);
      device.driver = "ios";
      device.tags = {"access"};
      devices.push_back(std::move(device));
    }
    inventory.add_devices(devices).value();
    if (c % 3 == 0) {
      rules::RetryLayer layer;
      layer.attempts = 5;
      inventory.set_retry_layer({rules::Level::customer, customer, {}}, layer).value();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const bool fresh = !std::filesystem::exists(argv[1]);
  auto db = store::Database::open(argv[1], store::Database::Access::create).value();
  store::Inventory inventory{db};
  if (fresh) fill(inventory);
  std::size_t resolved = 0, listed = 0;
  const double first = ms([&] { resolved = inventory.all_retry_rules().value().size(); });
  const double again = ms([&] { resolved = inventory.all_retry_rules().value().size(); });
  store::Selector all;
  all.all = true;
  const double head = ms([&] { listed = inventory.devices(all, 100, 0).value().size(); });
  const double tail = ms([&] { listed += inventory.devices(all, 100, 99'900).value().size(); });
  fmt::print(
      "{{\"devices\": {}, \"rules_cold_ms\": {:.1f}, \"rules_ms\": {:.1f}, \"first_page_ms\": {:.1f}, "
      "\"last_page_ms\": {:.1f}, \"listed\": {}}}\n",
      resolved, first, again, head, tail, listed);
}
