// `device`: what there is to back up.
#include "cli/device.hpp"

#include "cli/names.hpp"
#include "cli/secret_input.hpp"
#include "cli/text.hpp"

#include <nightjar/runtime/clock.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nightjar::cli {
namespace {

struct DeviceOptions {
  std::string name;
  std::optional<std::string> address, driver, credential, rename;
  std::optional<std::uint16_t> port;
  std::optional<std::vector<std::string>> tags;
  bool disabled = false, yes = false;
};

struct NamesOptions {
  std::vector<std::string> names;
};

struct ListOptions {
  SelectorOptions selector;
  std::size_t limit = 0, offset = 0;
};

void declare_name(CLI::App& app, DeviceOptions& options) {
  app.add_option("DEVICE", options.name, "CUSTOMER/DEVICE")->required();
}

void declare_fields(CLI::App& app, DeviceOptions& options) {
  app.add_option("--port", options.port, "TCP port, 22 when not said")->type_name("N");
  app.add_option("--driver", options.driver, "How to talk to it: see `nightjar driver list`")
      ->type_name("NAME");
  app.add_option("--credential", options.credential, "CUSTOMER/NAME, or NAME of the platform; \"\" for none")
      ->type_name("NAME");
  app.add_option("--tag", options.tags, "A label to select by; may be repeated")
      ->type_name("TAG")
      ->allow_extra_args(false);
}

void declare_add(CLI::App& app, DeviceOptions& options) {
  declare_name(app, options);
  app.add_option("--address", options.address, "IP address or host name")->required()->type_name("ADDRESS");
  declare_fields(app, options);
  app.add_flag("--disabled", options.disabled, "Do not back it up until it is enabled");
}

void declare_set(CLI::App& app, DeviceOptions& options) {
  declare_name(app, options);
  app.add_option("--address", options.address, "Another IP address or host name")->type_name("ADDRESS");
  declare_fields(app, options);
  app.add_option("--rename", options.rename, "Another name inside its customer")->type_name("NAME");
}

void declare_remove(CLI::App& app, DeviceOptions& options) {
  declare_name(app, options);
  app.add_flag("--yes", options.yes, "Do not ask");
}

void declare_names(CLI::App& app, NamesOptions& options) {
  app.add_option("DEVICE", options.names, "CUSTOMER/DEVICE, one or more")->required();
}

void declare_list(CLI::App& app, ListOptions& options) {
  declare_selector(app, options.selector);
  app.add_option("--limit", options.limit, "At most so many, 0 for all")->type_name("N");
  app.add_option("--offset", options.offset, "Leave out so many first")->type_name("N");
}

Result<void> apply(store::Inventory& inventory, const config::Drivers* drivers, const DeviceOptions& options,
                   store::Device& device) {
  device.address = options.address.value_or(device.address);
  device.port = options.port.value_or(device.port);
  if (options.driver) {
    if (const auto known = check_driver(*drivers, *options.driver); !known) return known.error();
    device.driver = *options.driver;
  }
  if (options.credential && options.credential->empty()) {
    device.credential.reset();
    device.credential_name.clear();
  } else if (options.credential) {
    const auto credential =
        usable_credential(inventory, *options.credential, device.customer, device.customer_name);
    if (!credential) return credential.error();
    set_credential(device, *credential);
  }
  if (options.tags) set_tags(device, *options.tags);
  return {};
}

Exit add(Context& context, const DeviceOptions& options) {
  const auto name = parse_device_name(options.name);
  if (!name) return name.error();
  const auto drivers = context.drivers();
  if (!drivers) return drivers.error();
  if (const auto known = check_driver(**drivers, options.driver.value_or("")); !known) return known.error();
  const auto db = context.database();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  const auto customer = inventory.customer(name->first);
  if (!customer) return customer.error();
  store::Device device;
  device.customer = customer->id;
  device.customer_name = customer->name;
  device.name = name->second;
  device.enabled = !options.disabled;
  if (const auto set = apply(inventory, *drivers, options, device); !set) return set.error();
  const auto id = inventory.add_device(device);
  if (!id) return id.error();
  device.id = *id;
  context.out().done(fmt::format("added device {}", full_name(device)), to_json(device));
  return ExitCode::done;
}

Exit set(Context& context, const DeviceOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  const auto found = find_device(**db, options.name);
  if (!found) return found.error();
  const config::Drivers* known_drivers = nullptr;
  if (options.driver) {
    const auto drivers = context.drivers();
    if (!drivers) return drivers.error();
    known_drivers = *drivers;
  }
  store::Device device = *found;
  device.name = options.rename.value_or(device.name);
  if (const auto set = apply(inventory, known_drivers, options, device); !set) return set.error();
  if (to_json(device) == to_json(*found)) {
    context.out().done(fmt::format("device {} is so already; nothing changed", full_name(device)),
                       to_json(device));
    return ExitCode::done;
  }
  if (const auto written = inventory.update_device(device); !written) return written.error();
  context.out().done(fmt::format("changed device {}", full_name(device)), to_json(device));
  return ExitCode::done;
}

Exit show(Context& context, const DeviceOptions& options) {
  const auto db = context.database_with_series();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  const auto name = parse_device_name(options.name);
  if (!name) return name.error();
  store::Selector selector;
  selector.devices.push_back(*name);
  const auto found = inventory.devices(selector);
  if (!found) return found.error();
  if (found->empty()) return inventory.device(name->first, name->second).error();
  const auto key = inventory.host_key(found->front().device.id);
  if (!key) return key.error();
  if (context.out().format() == Format::json) {
    Listing one = device_listing();
    add_row(one, found->front());
    Json object = one.as_record_json();
    object["host_key"] = nullptr;
    if (*key)
      object["host_key"] = {{"type", (*key)->type},
                            {"fingerprint", (*key)->fingerprint},
                            {"first_seen_at", json_time((*key)->first_seen_at)},
                            {"legacy_algorithms", (*key)->legacy_algorithms}};
    context.out().json(object);
    return ExitCode::done;
  }
  Listing one = device_listing();
  add_row(one, found->front());
  context.out().record(one);
  if (context.out().format() == Format::table && *key)
    context.out().line(fmt::format("host key: {} {}, first seen {} UTC{}", (*key)->type, (*key)->fingerprint,
                                   table_time((*key)->first_seen_at),
                                   (*key)->legacy_algorithms ? ", needs legacy algorithms" : ""));
  return ExitCode::done;
}

Exit list(Context& context, const ListOptions& options) {
  const auto selector = to_selector(options.selector);
  if (!selector) return selector.error();
  const auto db = context.database_with_series();
  if (!db) return db.error();
  const auto devices = store::Inventory{**db}.devices(*selector, options.limit, options.offset);
  if (!devices) return devices.error();
  Listing all = device_listing();
  for (const store::DeviceSummary& summary : *devices) add_row(all, summary);
  context.out().list(all);
  return ExitCode::done;
}

// All names are looked up before the first device is touched.
Exit switch_to(Context& context, const NamesOptions& options, bool enabled) {
  const auto db = context.database();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  std::vector<store::Device> to_change;
  for (const std::string& name : options.names) {
    const auto device = find_device(**db, name);
    if (!device) return device.error();
    if (device->enabled != enabled) to_change.push_back(*device);
  }
  Json changed = Json::array();
  for (store::Device& device : to_change) {
    device.enabled = enabled;
    if (const auto written = inventory.update_device(device); !written) return written.error();
    changed.push_back(full_name(device));
  }
  context.out().done(
      fmt::format("{} {}{}", enabled ? "enabled" : "disabled", counted(to_change.size(), "device"),
                  to_change.size() == options.names.size() ? "" : "; the others were so already"),
      {{"enabled", enabled}, {"changed", changed}});
  return ExitCode::done;
}

Exit enable(Context& context, const NamesOptions& options) {
  return switch_to(context, options, true);
}
Exit disable(Context& context, const NamesOptions& options) {
  return switch_to(context, options, false);
}

Exit remove(Context& context, const DeviceOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto device = find_device(**db, options.name);
  if (!device) return device.error();
  const auto sure = confirm(
      fmt::format("Device {} goes with its series and all its backups.", full_name(*device)), options.yes);
  if (!sure) return sure.error();
  if (!*sure) return ExitCode::nothing_to_do;
  if (const auto removed = store::Inventory{**db}.remove_device(device->id); !removed) return removed.error();
  context.out().done(fmt::format("removed device {}", full_name(*device)), to_json(*device));
  return ExitCode::done;
}

}  // namespace

Listing device_listing() {
  return Listing({{"id", ""},
                  {"customer", "CUSTOMER"},
                  {"name", "DEVICE"},
                  {"address", "ADDRESS"},
                  {"port", "PORT", Align::right},
                  {"driver", "DRIVER"},
                  {"credential", "CREDENTIAL"},
                  {"enabled", "ENABLED"},
                  {"tags", "TAGS"},
                  {"last_backup_at", "LAST BACKUP (UTC)"},
                  {"last_series_state", "LAST SERIES"}});
}

void add_row(Listing& into, const store::DeviceSummary& summary) {
  const store::Device& device = summary.device;
  const auto& state = summary.last_series_state;
  Cell last = state ? Cell(series::to_text(*state)) : Cell(Json(nullptr));
  if (state == series::State::failed) last.tone = Tone::bad;
  if (state == series::State::retry_wait) last.tone = Tone::waiting;
  into.add({device.id.value, device.customer_name, device.name, device.address, device.port, device.driver,
            json_or_null(device.credential_name), device.enabled, Json(device.tags), summary.last_backup_at,
            last});
}

Json to_json(const store::Device& device) {
  return {{"id", device.id.value},     {"customer", device.customer_name},
          {"name", device.name},       {"address", device.address},
          {"port", device.port},       {"driver", device.driver},
          {"enabled", device.enabled}, {"credential", json_or_null(device.credential_name)},
          {"tags", Json(device.tags)}};
}

Result<void> check_driver(const config::Drivers& drivers, std::string_view name) {
  if (drivers.find(name)) return {};
  const auto listed = [&] {
    std::string names;
    for (const config::Driver* driver : drivers.all()) names += (names.empty() ? "" : ", ") + driver->name;
    return names;
  };
  if (name.empty()) return usage(fmt::format("say how to talk to the device: --driver, one of {}", listed()));
  const std::string near = drivers.suggest(name);
  return usage(
      fmt::format("unknown driver \"{}\"; {}", name,
                  near.empty() ? "known are " + listed() : fmt::format("did you mean \"{}\"?", near)));
}

Result<store::Credential> usable_credential(store::Inventory& inventory, std::string_view full_name,
                                            CustomerId customer, std::string_view customer_name) {
  auto credential = inventory.credential(full_name);
  if (!credential) return credential.error();
  if (credential->customer && *credential->customer != customer)
    return usage(fmt::format("credential {} belongs to another customer than the device ({})", full_name,
                             customer_name));
  return credential;
}

void set_credential(store::Device& device, const store::Credential& credential) {
  device.credential = credential.id;
  device.credential_name = full_name(credential);
}

void set_tags(store::Device& device, std::vector<std::string> tags) {
  std::erase(tags, "");
  std::ranges::sort(tags);
  tags.erase(std::ranges::unique(tags).begin(), tags.end());
  device.tags = std::move(tags);
}

void declare_device(Commands& commands) {
  CLI::App& noun = commands.noun("device", "Devices: what is backed up");
  commands.verb<DeviceOptions>(noun, "add", "Add a device", declare_add, add)
      .footer(
          "  nightjar device add acme/core-01 --address 192.0.2.10 --driver ios --credential acme/core --tag "
          "core");
  commands.verb<DeviceOptions>(noun, "set", "Change a device; what is not named stays", declare_set, set)
      .footer("--tag replaces all tags of the device; --tag \"\" removes them.");
  commands.verb<DeviceOptions>(noun, "show", "Show one device", declare_name, show);
  commands.verb<ListOptions>(noun, "list", "List devices, all of them when nothing is selected", declare_list,
                             list);
  commands.verb<NamesOptions>(noun, "enable", "Back these devices up again", declare_names, enable);
  commands.verb<NamesOptions>(noun, "disable", "Leave these devices out of backups", declare_names, disable);
  commands.verb<DeviceOptions>(noun, "remove", "Remove a device with its history", declare_remove, remove);
  declare_device_import(commands, noun);
  declare_device_test(commands, noun);
}

}  // namespace nightjar::cli
