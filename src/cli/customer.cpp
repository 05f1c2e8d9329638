// `customer`: tenants of the installation.
#include "cli/command.hpp"
#include "cli/secret_input.hpp"

#include <nightjar/orchestrator/daemon.hpp>
#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

#include <optional>

namespace nightjar::cli {
namespace {

struct CustomerOptions {
  std::string name;
  std::optional<std::string> timezone, rename;
  bool yes = false;
};

Listing listing() {
  return Listing({{"id", ""}, {"name", "CUSTOMER"}, {"timezone", "TIME ZONE"}});
}

void add_row(Listing& into, const store::Customer& customer) {
  into.add(
      {customer.id.value, customer.name,
       Cell(json_or_null(customer.timezone), customer.timezone.empty() ? "inherited" : customer.timezone)});
}

Json json(const store::Customer& customer) {
  Listing one = listing();
  add_row(one, customer);
  return one.as_record_json();
}

void declare_name(CLI::App& app, CustomerOptions& options) {
  app.add_option("NAME", options.name, "The customer's name")->required();
}

void declare_add(CLI::App& app, CustomerOptions& options) {
  declare_name(app, options);
  app.add_option("--timezone", options.timezone,
                 "IANA time zone of its schedule, e.g. Europe/Paris; the platform's when not said")
      ->type_name("ZONE");
}

void declare_set(CLI::App& app, CustomerOptions& options) {
  declare_name(app, options);
  app.add_option("--timezone", options.timezone, "Another IANA time zone; \"\" for the platform's")
      ->type_name("ZONE");
  app.add_option("--rename", options.rename, "Another name")->type_name("NAME");
}

void declare_remove(CLI::App& app, CustomerOptions& options) {
  declare_name(app, options);
  app.add_flag("--yes", options.yes, "Do not ask");
}

Exit add(Context& context, const CustomerOptions& options) {
  store::Customer customer{.id = {}, .name = options.name, .timezone = options.timezone.value_or("")};
  const auto db = context.database();
  if (!db) return db.error();
  const auto added = (*db)->atomically([&]() -> Result<void> {
    const auto id = store::Inventory{**db}.add_customer(customer);
    if (!id) return id.error();
    customer.id = *id;
    return orchestrator::note_schedules(**db, context.now());
  });
  if (!added) return added.error();
  context.out().done(fmt::format("added customer {}", customer.name), json(customer));
  return ExitCode::done;
}

Exit set(Context& context, const CustomerOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  const auto found = inventory.customer(options.name);
  if (!found) return found.error();
  store::Customer customer = *found;
  customer.timezone = options.timezone.value_or(customer.timezone);
  customer.name = options.rename.value_or(customer.name);
  if (customer.timezone == found->timezone && customer.name == found->name) {
    context.out().done(fmt::format("customer {} is so already; nothing changed", found->name), json(*found));
    return ExitCode::done;
  }
  const auto written = (*db)->atomically([&]() -> Result<void> {
    if (auto updated = inventory.update_customer(customer); !updated) return updated;
    return orchestrator::note_schedules(**db, context.now());
  });
  if (!written) return written.error();
  context.out().done(fmt::format("changed customer {}", customer.name), json(customer));
  return ExitCode::done;
}

Exit show(Context& context, const CustomerOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto customer = store::Inventory{**db}.customer(options.name);
  if (!customer) return customer.error();
  Listing one = listing();
  add_row(one, *customer);
  context.out().record(one);
  return ExitCode::done;
}

Exit list(Context& context, const NoOptions&) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto customers = store::Inventory{**db}.customers();
  if (!customers) return customers.error();
  Listing all = listing();
  for (const store::Customer& customer : *customers) add_row(all, customer);
  context.out().list(all);
  return ExitCode::done;
}

Exit remove(Context& context, const CustomerOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  const auto customer = inventory.customer(options.name);
  if (!customer) return customer.error();
  const auto sure = confirm(
      fmt::format("Customer {} goes with all its devices, credentials, rules and backups.", customer->name),
      options.yes);
  if (!sure) return sure.error();
  if (!*sure) return ExitCode::nothing_to_do;
  if (const auto removed = inventory.remove_customer(customer->id); !removed) return removed.error();
  context.out().done(fmt::format("removed customer {}", customer->name), json(*customer));
  return ExitCode::done;
}

}  // namespace

void declare_customer(Commands& commands) {
  CLI::App& noun = commands.noun("customer", "Customers: the tenants that devices belong to");
  const char* about_timezone =
      "The time zone is that of the customer's schedule, the field `timezone` of `nightjar schedule`.\n"
      "  nightjar customer add acme --timezone Europe/Paris\n"
      "  nightjar customer set acme --timezone \"\"   # the platform's again";
  commands.verb<CustomerOptions>(noun, "add", "Add a customer", declare_add, add).footer(about_timezone);
  commands.verb<CustomerOptions>(noun, "set", "Change a customer's name or time zone", declare_set, set)
      .footer(about_timezone);
  commands.verb<CustomerOptions>(noun, "show", "Show one customer", declare_name, show);
  commands.verb<NoOptions>(noun, "list", "List all customers", declare_nothing, list);
  commands.verb<CustomerOptions>(noun, "remove", "Remove a customer with all that is its own", declare_remove,
                                 remove);
}

}  // namespace nightjar::cli
