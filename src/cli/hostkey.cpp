// `hostkey`: which key each device is known by. The first one seen is trusted; another one is refused until a
// person says so.
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/text.hpp"

#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

struct ListOptions {
  SelectorOptions selector;
};

struct KeyOptions {
  std::string device, fingerprint, type;
};

void declare_list(CLI::App& app, ListOptions& options) {
  declare_selector(app, options.selector);
}

void declare_name(CLI::App& app, KeyOptions& options) {
  app.add_option("DEVICE", options.device, "CUSTOMER/DEVICE")->required();
}

void declare_accept(CLI::App& app, KeyOptions& options) {
  declare_name(app, options);
  app.add_option("--fingerprint", options.fingerprint, "Trust exactly this key, not the one shown next")
      ->type_name("SHA256:...");
  app.add_option("--type", options.type, "Its type, as in ssh-ed25519; goes with --fingerprint")
      ->type_name("TYPE");
}

Json to_json(const store::Device& device, const store::PinnedHostKey& key) {
  return {{"customer", device.customer_name},
          {"device", device.name},
          {"type", key.type},
          {"fingerprint", key.fingerprint},
          {"first_seen_at", json_time(key.first_seen_at)},
          {"legacy_algorithms", key.legacy_algorithms}};
}

Exit list(Context& context, const ListOptions& options) {
  const auto selector = to_selector(options.selector);
  if (!selector) return selector.error();
  const auto db = context.database();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  const auto devices = inventory.devices(*selector);
  if (!devices) return devices.error();
  Listing all({{"customer", ""},
               {"device", ""},
               {"", "DEVICE"},
               {"type", "TYPE"},
               {"fingerprint", "FINGERPRINT"},
               {"first_seen_at", "FIRST SEEN (UTC)"},
               {"legacy_algorithms", "LEGACY ALGORITHMS"}});
  for (const store::DeviceSummary& summary : *devices) {
    const store::Device& device = summary.device;
    const auto key = inventory.host_key(device.id);
    if (!key) return key.error();
    if (*key)
      all.add({device.customer_name, device.name, full_name(device), (*key)->type, (*key)->fingerprint,
               (*key)->first_seen_at, (*key)->legacy_algorithms});
  }
  context.out().list(all);
  return ExitCode::done;
}

// 32 bytes of SHA-256 in base64 without padding.
bool is_fingerprint(std::string_view text) {
  constexpr std::string_view prefix = "SHA256:";
  constexpr std::size_t length = 43;
  return text.starts_with(prefix) && text.size() == prefix.size() + length &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                                prefix.size()) == std::string_view::npos;
}

Exit accept(Context& context, const KeyOptions& options) {
  if (options.fingerprint.empty() != options.type.empty())
    return usage("--fingerprint and --type go together");
  if (!options.fingerprint.empty() && !is_fingerprint(options.fingerprint))
    return usage(fmt::format("\"{}\" is not a fingerprint: SHA256: and 43 characters are wanted",
                             options.fingerprint));
  const auto db = context.database();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  const auto device = find_device(**db, options.device);
  if (!device) return device.error();
  if (!options.fingerprint.empty()) {
    const store::PinnedHostKey key{.device = device->id,
                                   .type = options.type,
                                   .fingerprint = options.fingerprint,
                                   .first_seen_at = context.now(),
                                   .legacy_algorithms = false};
    if (const auto pinned = inventory.pin_host_key(key); !pinned) return pinned.error();
    context.out().done(
        fmt::format("{} is known by {} {} from now on", full_name(*device), key.type, key.fingerprint),
        to_json(*device, key));
    return ExitCode::done;
  }
  const auto forgotten = inventory.forget_host_key(device->id);
  if (!forgotten) return forgotten.error();
  context.out().done(
      fmt::format("the key that {} shows in its next backup is trusted", full_name(*device)),
      {{"customer", device->customer_name}, {"device", device->name}, {"forgotten", *forgotten}});
  return ExitCode::done;
}

Exit forget(Context& context, const KeyOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto device = find_device(**db, options.device);
  if (!device) return device.error();
  const auto forgotten = store::Inventory{**db}.forget_host_key(device->id);
  if (!forgotten) return forgotten.error();
  context.out().done(
      *forgotten ? fmt::format("forgot the host key of {}; the one in its next backup is trusted",
                               full_name(*device))
                 : fmt::format("no host key of {} was known", full_name(*device)),
      {{"customer", device->customer_name}, {"device", device->name}, {"forgotten", *forgotten}});
  return *forgotten ? ExitCode::done : ExitCode::nothing_to_do;
}

}  // namespace

void declare_hostkey(Commands& commands) {
  CLI::App& noun = commands.noun("hostkey", "Host keys: what each device is known by");
  commands.verb<ListOptions>(noun, "list", "List the pinned host keys", declare_list, list);
  commands.verb<KeyOptions>(noun, "accept", "Accept that a device has a new host key", declare_accept, accept)
      .footer(
          "A device that shows another key than the pinned one is not logged in to (class host_key). When "
          "the change\n"
          "is genuine: with --fingerprint and --type that key is pinned; without, the old pin is dropped and "
          "the key\n"
          "that the device shows in its next backup is trusted.");
  commands.verb<KeyOptions>(noun, "forget", "Forget a device's host key", declare_name, forget);
}

}  // namespace nightjar::cli
