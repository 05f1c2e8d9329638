#include "cli/names.hpp"

#include "cli/exit_code.hpp"

#include <fmt/format.h>

#include <charconv>

namespace nightjar::cli {

Result<DeviceName> parse_device_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size() ||
      text.find('/', slash + 1) != std::string_view::npos)
    return usage(fmt::format("\"{}\" does not name a device: write CUSTOMER/DEVICE", text));
  return DeviceName{text.substr(0, slash), text.substr(slash + 1)};
}

Result<store::Device> find_device(store::Database& db, std::string_view text) {
  const auto name = parse_device_name(text);
  if (!name) return name.error();
  return store::Inventory{db}.device(name->first, name->second);
}

Result<std::int64_t> parse_number(std::string_view text, std::string_view what) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 1)
    return usage(fmt::format("\"{}\" is not the number of a {}", text, what));
  return number;
}

void declare_selector(CLI::App& app, SelectorOptions& options) {
  app.add_flag("--all", options.all, "Every device")->group("Which devices (combined by \"and\")");
  const auto several = [&](const char* flag, std::vector<std::string>& into, const char* words,
                           const char* type) {
    app.add_option(flag, into, words)
        ->allow_extra_args(false)
        ->type_name(type)
        ->group("Which devices (combined by \"and\")");
  };
  several("--customer", options.customers, "Devices of this customer; may be repeated", "NAME");
  several("--device", options.devices, "This device; may be repeated", "CUSTOMER/DEVICE");
  several("--tag", options.tags, "Devices with this tag; may be repeated", "TAG");
}

Result<store::Selector> to_selector(const SelectorOptions& options) {
  store::Selector selector;
  selector.all = options.all || options.empty();
  selector.customers = options.customers;
  selector.tags = options.tags;
  for (const std::string& text : options.devices) {
    auto name = parse_device_name(text);
    if (!name) return name.error();
    selector.devices.push_back(std::move(*name));
  }
  return selector;
}

void declare_scope(CLI::App& app, ScopeOptions& options) {
  const char* group = "At which level (exactly one)";
  app.add_flag("--platform", options.platform, "The whole installation")->group(group);
  app.add_option("--customer", options.customer, "A customer")->type_name("NAME")->group(group);
  app.add_option("--device", options.device, "A device")->type_name("CUSTOMER/DEVICE")->group(group);
}

Result<NamedScope> find_scope(store::Database& db, const ScopeOptions& options) {
  const int said =
      (options.platform ? 1 : 0) + (options.customer.empty() ? 0 : 1) + (options.device.empty() ? 0 : 1);
  if (said != 1)
    return usage(
        "say at which level: exactly one of --platform, --customer NAME and --device CUSTOMER/DEVICE");
  NamedScope found;
  if (options.platform) {
    found.name = "the platform";
    return found;
  }
  if (!options.customer.empty()) {
    const auto customer = store::Inventory{db}.customer(options.customer);
    if (!customer) return customer.error();
    found.scope = {rules::Level::customer, customer->id, {}};
    found.customer = customer->id;
    found.customer_name = customer->name;
    found.name = fmt::format("customer {}", customer->name);
    return found;
  }
  const auto device = find_device(db, options.device);
  if (!device) return device.error();
  found.scope = {rules::Level::device, device->customer, device->id};
  found.customer = device->customer;
  found.customer_name = device->customer_name;
  found.device_name = device->name;
  found.name = fmt::format("device {}", full_name(*device));
  return found;
}

}  // namespace nightjar::cli
