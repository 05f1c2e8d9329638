// `destination`: who is told. Of a webhook's URL only the host is shown, as the rest is often a secret.
#include "cli/destination.hpp"

#include "cli/address.hpp"
#include "cli/names.hpp"
#include "cli/secret_input.hpp"
#include "cli/test_message.hpp"

#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

struct ListOptions {
  bool platform = false, show_urls = false;
  std::string customer;
};

struct IdOptions {
  std::string id;
  bool yes = false;
};

void declare_list(CLI::App& app, ListOptions& options) {
  app.add_flag("--platform", options.platform, "Only those of the whole installation");
  app.add_option("--customer", options.customer, "Only those of this customer")->type_name("NAME");
  app.add_flag("--show-urls", options.show_urls, "Webhooks' URLs in full; they are often secrets");
}

void declare_id(CLI::App& app, IdOptions& options) {
  declare_destination_id(app, options.id);
}

void declare_remove(CLI::App& app, IdOptions& options) {
  declare_id(app, options);
  app.add_flag("--yes", options.yes, "Do not ask");
}

Listing listing() {
  return Listing({{"id", "ID", Align::right},
                  {"customer", "CUSTOMER"},
                  {"kind", "KIND"},
                  {"address", "ADDRESS"},
                  {"preset", ""},
                  {"events", "EVENTS"},
                  {"signed", "SIGNED"},
                  {"previous_secret", ""},
                  {"allow_link_local", ""},
                  {"enabled", "ENABLED"},
                  {"disabled_because", "DISABLED BECAUSE"},
                  {"created_at", ""}});
}

Json events_json(alerting::Events events) {
  Json names = Json::array();
  for (const alerting::Event event : alerting::all_events)
    if (events.contains(event)) names.push_back(alerting::to_text(event));
  return names;
}

void add_row(Listing& into, const store::Destination& destination, bool show_url) {
  const bool hook = destination.kind == store::DestinationKind::webhook;
  const bool plain = destination.preset == store::Preset::generic;
  const bool all = destination.events == alerting::Events::all();
  const Json events = events_json(destination.events);
  into.add({destination.id.value,
            Cell(json_or_null(destination.customer_name),
                 destination.customer ? destination.customer_name : "(platform)"),
            Cell(Json(store::to_text(destination.kind)),
                 std::string{plain ? store::to_text(destination.kind) : store::to_text(destination.preset)}),
            show_url ? destination.address : shown_address(destination.address),
            hook ? Json(store::to_text(destination.preset)) : Json(nullptr),
            all ? Cell(events, "all") : Cell(events),
            hook ? Cell(!destination.sealed_secret.empty()) : Cell(false, "-"),
            !destination.sealed_previous_secret.empty(), destination.allow_link_local,
            Cell(!destination.disabled_at).toned(destination.disabled_at ? Tone::bad : Tone::normal),
            json_or_null(destination.disabled_because), destination.created_at});
}

Exit list(Context& context, const ListOptions& options) {
  if (options.platform && !options.customer.empty())
    return usage("--platform and --customer contradict each other");
  const auto db = context.database();
  if (!db) return db.error();
  store::Destinations destinations{**db};
  Result<std::vector<store::Destination>> found = std::vector<store::Destination>{};
  if (options.platform) {
    found = destinations.list(std::nullopt);
  } else if (!options.customer.empty()) {
    const auto customer = store::Inventory{**db}.customer(options.customer);
    if (!customer) return customer.error();
    found = destinations.list(customer->id);
  } else {
    found = destinations.all();
  }
  if (!found) return found.error();
  Listing all = listing();
  for (const store::Destination& destination : *found) add_row(all, destination, options.show_urls);
  context.out().list(all);
  return ExitCode::done;
}

Exit test(Context& context, const IdOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto destination = find_destination(**db, options.id);
  if (!destination) return destination.error();
  return send_test(context, *destination);
}

Exit enable(Context& context, const IdOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  bool was_disabled = false;
  const auto enabled =
      change_destination(**db, options.id, [&](store::Destination& destination) -> Result<void> {
        was_disabled = destination.disabled_at.has_value();
        destination.disabled_at.reset();
        destination.disabled_because.clear();
        return {};
      });
  if (!enabled) return enabled.error();
  if (!was_disabled) {
    context.out().note(fmt::format("{} is enabled already", destination_text(*enabled)));
    return ExitCode::nothing_to_do;
  }
  context.out().done(fmt::format("enabled {}", destination_text(*enabled)), destination_json(*enabled));
  return ExitCode::done;
}

Exit remove(Context& context, const IdOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto destination = find_destination(**db, options.id);
  if (!destination) return destination.error();
  const auto sure = confirm(fmt::format("Destination {} ({}) goes for good, with the messages to it.",
                                        destination->id.value, shown_address(destination->address)),
                            options.yes);
  if (!sure) return sure.error();
  if (!*sure) return ExitCode::nothing_to_do;
  if (const auto removed = store::Destinations{**db}.remove(destination->id); !removed)
    return removed.error();
  context.out().done(fmt::format("removed {}", destination_text(*destination)),
                     destination_json(*destination));
  return ExitCode::done;
}

}  // namespace

void declare_destination_id(CLI::App& app, std::string& id) {
  app.add_option("ID", id, "The number of the destination")->required();
}

Result<store::Destination> find_destination(store::Database& db, const std::string& id) {
  const auto number = parse_number(id, "destination");
  if (!number) return number.error();
  return store::Destinations{db}.find(DestinationId{*number});
}

Result<store::Destination> change_destination(
    store::Database& db, const std::string& id,
    const std::function<Result<void>(store::Destination&)>& change) {
  store::Destination changed;
  const auto done = db.atomically([&]() -> Result<void> {
    auto destination = find_destination(db, id);
    if (!destination) return std::move(destination).error();
    changed = std::move(*destination);
    if (auto r = change(changed); !r) return r;
    return store::Destinations{db}.update(changed);
  });
  if (!done) return done.error();
  return changed;
}

Json destination_json(const store::Destination& destination) {
  Listing one = listing();
  add_row(one, destination, false);
  return one.as_record_json();
}

std::string destination_text(const store::Destination& destination) {
  return fmt::format("destination {} ({})", destination.id.value, shown_address(destination.address));
}

void declare_destination(Commands& commands) {
  CLI::App& noun = commands.noun("destination", "Destinations: mail addresses and webhooks that are told");
  noun.footer(
      "A customer's destination hears of that customer, the platform's of everybody. How often people are\n"
      "told is said by `nightjar alert`.\n"
      "  nightjar destination add --customer acme --email noc@example.org\n"
      "  nightjar destination add --platform --webhook https://hooks.example.net/backup --new-secret");
  declare_destination_edit(commands, noun);
  commands.verb<ListOptions>(noun, "list", "List destinations; secrets are never shown", declare_list, list)
      .footer(
          "  nightjar destination list\n"
          "  nightjar destination list --customer acme --json");
  commands.verb<IdOptions>(noun, "test", "Send one message, marked as a test, now", declare_id, test)
      .footer(
          "Prints what the server said. Exits 0 when it took the message, for everybody it is for, and 1\n"
          "when not. The message does not wait in the outbox and is not tried again.");
  commands
      .verb<IdOptions>(noun, "enable", "Send to a destination again that wanted no more", declare_id, enable)
      .footer(
          "A webhook that answers 410 (gone) is disabled, and what waited for it is dead: `nightjar "
          "delivery\n"
          "list --undelivered` shows it, `nightjar delivery replay` sends it. Exits 2 when it is enabled.");
  commands.verb<IdOptions>(noun, "remove", "Remove a destination with the messages to it", declare_remove,
                           remove);
}

}  // namespace nightjar::cli
