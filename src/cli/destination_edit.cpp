// How a destination is made and changed, and how the secret that signs its messages is.
#include "cli/address.hpp"
#include "cli/destination.hpp"
#include "cli/secret_input.hpp"

#include <nightjar/delivery/address.hpp>
#include <nightjar/delivery/webhook.hpp>
#include <nightjar/orchestrator/letter.hpp>
#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

#include <optional>

namespace nightjar::cli {
namespace {

struct SecretOptions {
  bool from_stdin = false, make_new = false;
  bool any() const { return from_stdin || make_new; }
};

// What `add` and `set` have in common; "" is not said.
struct Form {
  std::string email, webhook, preset, events;
  bool allow_link_local = false;
};

struct AddOptions {
  bool platform = false;
  std::string customer;
  Form form;
  SecretOptions secret;
};

struct SetOptions {
  std::string id;
  Form form;
  bool refuse_link_local = false;
};

struct RotateOptions {
  std::string id;
  SecretOptions secret;
  bool finish = false;
};

void declare_form(CLI::App& app, Form& form) {
  app.add_option("--email", form.email, "A mail address, or several with commas between")
      ->type_name("ADDRESS");
  app.add_option("--webhook", form.webhook, "A URL that messages are posted to")->type_name("URL");
  app.add_option("--preset", form.preset, "The form of a webhook's body: generic, slack or teams")
      ->check(CLI::IsMember({"generic", "slack", "teams"}))
      ->type_name("FORM");
  app.add_option("--events", form.events, "What it hears of, with commas between; all when not said")
      ->type_name("EVENTS");
  app.add_flag("--allow-link-local", form.allow_link_local,
               "A webhook at a link-local address, or one where clouds keep credentials");
}

void declare_secret(CLI::App& app, SecretOptions& secret) {
  const char* group = "The secret that signs a webhook's messages (at most one)";
  app.add_flag("--secret-stdin", secret.from_stdin, "whsec_... is a line of standard input")->group(group);
  app.add_flag("--new-secret", secret.make_new, "A new one is made, and printed this one time")->group(group);
}

void declare_add(CLI::App& app, AddOptions& options) {
  const char* group = "Of whom it hears (exactly one)";
  app.add_flag("--platform", options.platform, "Of every customer and of the installation")->group(group);
  app.add_option("--customer", options.customer, "Of this customer")->type_name("NAME")->group(group);
  declare_form(app, options.form);
  declare_secret(app, options.secret);
}

void declare_set(CLI::App& app, SetOptions& options) {
  declare_destination_id(app, options.id);
  declare_form(app, options.form);
  app.add_flag("--refuse-link-local", options.refuse_link_local, "Takes --allow-link-local back");
}

void declare_rotate(CLI::App& app, RotateOptions& options) {
  declare_destination_id(app, options.id);
  declare_secret(app, options.secret);
  app.add_flag("--finish", options.finish, "The secret before signs no more");
}

alerting::Events all_of(const store::Destination& destination) {
  if (!destination.customer) return alerting::Events::all();
  alerting::Events events;
  for (const alerting::Event event : alerting::all_events)
    if (event != alerting::Event::platform_fault && alerting::Events::all().contains(event))
      events = events.with(event);
  return events;
}

Result<void> fill_events(const std::string& typed, store::Destination& into) {
  if (typed.empty()) return {};
  const auto events = alerting::Events::parse(typed);
  if (!events) return events.error();
  if (into.customer && events->contains(alerting::Event::platform_fault))
    return usage("--events: platform.fault is told to the platform's destinations, not to a customer's");
  into.events = *events;
  return {};
}

Result<void> fill(const Form& form, store::Destination& into) {
  const bool mail = into.kind == store::DestinationKind::email;
  if (mail && (!form.preset.empty() || form.allow_link_local))
    return usage("--preset and --allow-link-local go with a webhook");
  if (!form.email.empty()) {
    auto addresses = mail_addresses(form.email);
    if (!addresses) return addresses.error();
    into.address = std::move(*addresses);
  }
  if (!form.webhook.empty()) {
    auto url = delivery::webhook_url(form.webhook);
    if (!url) return url.error();
    into.address = std::move(*url);
  }
  if (!form.preset.empty()) into.preset = store::parse_preset(form.preset).value_or(into.preset);
  into.allow_link_local = into.allow_link_local || form.allow_link_local;
  return fill_events(form.events, into);
}

Result<store::Destination> new_destination(store::Database& db, const AddOptions& options, UtcTime now) {
  if (options.platform == !options.customer.empty())
    return usage("say of whom it hears: exactly one of --platform and --customer NAME");
  if (options.form.email.empty() == options.form.webhook.empty())
    return usage("say where messages go: exactly one of --email ADDRESS and --webhook URL");
  store::Destination destination;
  destination.created_at = now;
  destination.kind =
      options.form.webhook.empty() ? store::DestinationKind::email : store::DestinationKind::webhook;
  if (destination.kind == store::DestinationKind::email && options.secret.any())
    return usage("a secret signs a webhook's messages; mail has none");
  if (!options.customer.empty()) {
    const auto customer = store::Inventory{db}.customer(options.customer);
    if (!customer) return customer.error();
    destination.customer = customer->id;
    destination.customer_name = customer->name;
  }
  destination.events = all_of(destination);
  if (const auto filled = fill(options.form, destination); !filled) return filled.error();
  return destination;
}

// Empty when none was asked for.
Result<std::optional<Secret>> read_secret(const SecretOptions& options) {
  if (options.from_stdin && options.make_new)
    return usage("--secret-stdin and --new-secret contradict each other");
  if (options.make_new) return std::optional{delivery::new_signing_secret()};
  if (!options.from_stdin) return std::optional<Secret>{};
  const auto typed = can_ask() ? ask_secret("Signing secret") : secret_line("signing secret");
  if (!typed) return typed.error();
  auto secret = delivery::signing_secret(typed->reveal());
  if (!secret) return std::move(secret).error();
  return std::optional{std::move(*secret)};
}

std::string seal(const vault::Vault& vault, const Secret& secret, DestinationId id, std::string_view part) {
  return vault.seal(secret, store::destination_record(id, part));
}

// The vault is opened for a secret only.
Result<const vault::Vault*> vault_for(Context& context, const std::optional<Secret>& secret) {
  if (!secret) return static_cast<const vault::Vault*>(nullptr);
  return context.vault();
}

// A made secret is shown here and nowhere else. People's scripts read the lines of stdout: id, then secret.
void tell(const Output& out, std::string_view sentence, const store::Destination& destination, bool with_id,
          const Secret* made) {
  if (out.format() == Format::table) {
    if (with_id) out.line(std::to_string(destination.id.value));
    if (made) out.line(made->reveal());
    return out.note(sentence);
  }
  Json object = destination_json(destination);
  if (made) object["secret"] = made->reveal();
  out.done(sentence, object);
}

Exit add(Context& context, const AddOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  auto destination = new_destination(**db, options, context.now());
  if (!destination) return destination.error();
  const auto secret = read_secret(options.secret);
  if (!secret) return secret.error();
  const auto vault = vault_for(context, *secret);
  if (!vault) return vault.error();
  const auto added = (*db)->atomically([&]() -> Result<void> {
    store::Destinations destinations{**db};
    const auto id = destinations.add(*destination);  // the first: it is part of what seals the secret
    if (!id) return id.error();
    destination->id = *id;
    if (!*secret) return {};
    destination->sealed_secret = seal(**vault, **secret, *id, orchestrator::secret_part);
    return destinations.update(*destination);
  });
  if (!added) return added.error();
  tell(context.out(), fmt::format("added {}", destination_text(*destination)), *destination, true,
       options.secret.make_new ? &**secret : nullptr);
  return ExitCode::done;
}

Result<void> refuse_other_kind(const Form& form, const store::Destination& destination) {
  const bool mail = destination.kind == store::DestinationKind::email;
  if ((mail ? form.webhook : form.email).empty()) return {};
  return usage(fmt::format("{} is {}: add another one, and remove this", destination_text(destination),
                           mail ? "mail" : "a webhook"));
}

Exit set(Context& context, const SetOptions& options) {
  const Form& form = options.form;
  if (form.allow_link_local && options.refuse_link_local)
    return usage("--allow-link-local and --refuse-link-local contradict each other");
  const bool says = !form.email.empty() || !form.webhook.empty() || !form.preset.empty() ||
                    !form.events.empty() || form.allow_link_local || options.refuse_link_local;
  if (!says) return usage("nothing to change: name what is to be different");
  const auto db = context.database();
  if (!db) return db.error();
  const auto changed =
      change_destination(**db, options.id, [&](store::Destination& destination) -> Result<void> {
        if (auto same = refuse_other_kind(form, destination); !same) return same;
        if (options.refuse_link_local) destination.allow_link_local = false;
        return fill(form, destination);
      });
  if (!changed) return changed.error();
  tell(context.out(), fmt::format("changed {}", destination_text(*changed)), *changed, false, nullptr);
  return ExitCode::done;
}

Result<void> refuse_mail(const store::Destination& destination) {
  if (destination.kind == store::DestinationKind::webhook) return {};
  return usage(fmt::format("{} is mail: a secret signs a webhook's messages", destination_text(destination)));
}

Exit finish(Context& context, store::Database& db, const RotateOptions& options) {
  bool had_one = false;
  const auto changed =
      change_destination(db, options.id, [&](store::Destination& destination) -> Result<void> {
        had_one = !destination.sealed_previous_secret.empty();
        destination.sealed_previous_secret.clear();
        return refuse_mail(destination);
      });
  if (!changed) return changed.error();
  if (!had_one) {
    context.out().note(fmt::format("{} has no secret before its own", destination_text(*changed)));
    return ExitCode::nothing_to_do;
  }
  tell(context.out(), fmt::format("the secret before signs no more for {}", destination_text(*changed)),
       *changed, false, nullptr);
  return ExitCode::done;
}

// The current secret becomes the previous one, sealed as such.
Result<void> step_down(store::Destination& destination, const vault::Vault& vault) {
  if (destination.sealed_secret.empty()) return {};
  const auto current = vault.unseal(destination.sealed_secret,
                                    store::destination_record(destination.id, orchestrator::secret_part));
  if (!current) return current.error();
  destination.sealed_previous_secret =
      seal(vault, *current, destination.id, orchestrator::previous_secret_part);
  return {};
}

Exit rotate(Context& context, const RotateOptions& options) {
  if (options.finish == options.secret.any())
    return usage("say exactly one of --secret-stdin, --new-secret and --finish");
  const auto db = context.database();
  if (!db) return db.error();
  if (options.finish) return finish(context, **db, options);
  const auto secret = read_secret(options.secret);
  if (!secret) return secret.error();
  const auto vault = context.vault();
  if (!vault) return vault.error();
  const auto changed =
      change_destination(**db, options.id, [&](store::Destination& destination) -> Result<void> {
        if (auto hook = refuse_mail(destination); !hook) return hook;
        if (auto stepped = step_down(destination, **vault); !stepped) return stepped;
        destination.sealed_secret = seal(**vault, **secret, destination.id, orchestrator::secret_part);
        return {};
      });
  if (!changed) return changed.error();
  const bool both = !changed->sealed_previous_secret.empty();
  tell(context.out(),
       fmt::format("{} is signed with the new secret{}", destination_text(*changed),
                   both ? " and the one before; `rotate --finish` ends that" : ""),
       *changed, false, options.secret.make_new ? &**secret : nullptr);
  return ExitCode::done;
}

}  // namespace

void declare_destination_edit(Commands& commands, CLI::App& noun) {
  const std::string about_events = fmt::format(
      "Events: {}.\nThe last one is of the installation: a customer's destination does not hear of "
      "it.\n",
      alerting::Events::all().text());
  commands.verb<AddOptions>(noun, "add", "Add a mail address or a webhook", declare_add, add)
      .footer(
          about_events +
          "Prints the number of the destination and, with --new-secret, the secret on a second line.\n\n"
          "  nightjar destination add --customer acme --email noc@example.org,lead@example.org\n"
          "  nightjar destination add --platform --webhook https://hooks.example.net/T0/B0 --preset slack\n"
          "  nightjar destination add --customer acme --webhook https://alerts.example.org/nightjar \\\n"
          "    --events series.failed,series.recovered --new-secret");
  commands.verb<SetOptions>(noun, "set", "Change where it is and what it hears of", declare_set, set)
      .footer(about_events + "\n  nightjar destination set 3 --events series.failed");
  commands
      .verb<RotateOptions>(noun, "rotate",
                           "Give a webhook another secret; the one before signs too for a while",
                           declare_rotate, rotate)
      .footer(
          "Both secrets sign until --finish, so that the receiver can change over without losing a message.\n"
          "Rotating again before that drops the oldest.\n\n"
          "  nightjar destination rotate 3 --new-secret\n"
          "  nightjar destination rotate 3 --finish");
}

}  // namespace nightjar::cli
