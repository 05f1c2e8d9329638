// `delivery`: messages on their way to destinations, and what became of them.
#include "cli/address.hpp"
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/text.hpp"

#include <nightjar/store/destinations.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/outbox.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace nightjar::cli {
namespace {

struct ListOptions {
  std::string customer;
  bool undelivered = false;
  std::size_t limit = 100;
};

struct IdOptions {
  std::string id;
};

void declare_list(CLI::App& app, ListOptions& options) {
  app.add_option("--customer", options.customer, "Only messages about this customer")->type_name("NAME");
  app.add_flag("--undelivered", options.undelivered, "Only those that wait for a try or are dead");
  app.add_option("--limit", options.limit, "At most so many")->type_name("N")->capture_default_str();
}

void declare_id(CLI::App& app, IdOptions& options) {
  app.add_option("ID", options.id, "The number of the delivery")->required();
}

Listing listing() {
  return Listing({{"id", "ID", Align::right},
                  {"event_id", ""},
                  {"opened_at", "WHEN (UTC)"},
                  {"event", "EVENT"},
                  {"customer", "CUSTOMER"},
                  {"destination", ""},
                  {"address", "TO"},
                  {"state", "STATE"},
                  {"series", "SERIES", Align::right},
                  {"tries", "TRIES", Align::right},
                  {"next_try_at", "NEXT TRY (UTC)"},
                  {"ended_at", ""},
                  {"status", ""},
                  {"detail", "LAST ANSWER"}});
}

Tone tone_of(store::MessageState state) {
  switch (state) {
    case store::MessageState::gathering:
    case store::MessageState::waiting:
      return Tone::waiting;
    case store::MessageState::delivered:
      return Tone::normal;
    case store::MessageState::dead:
      return Tone::bad;
  }
  return Tone::normal;
}

void add_row(Listing& into, const store::Message& message) {
  into.add(
      {message.id.value, message.event_id, message.opened_at, alerting::to_text(message.event),
       Cell(json_or_null(message.customer_name), message.customer ? message.customer_name : "(platform)"),
       message.destination.value, shown_address(message.destination_address),
       Cell(store::to_text(message.state)).toned(tone_of(message.state)), message.series, message.tries,
       message.due, message.ended_at, message.status == 0 ? Json(nullptr) : Json(message.status),
       json_or_null(message.detail)});
}

Json json(const store::Message& message) {
  Listing one = listing();
  add_row(one, message);
  return one.as_record_json();
}

Exit list(Context& context, const ListOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  store::Outbox::Query query{.customer = {}, .undelivered = options.undelivered, .limit = options.limit};
  if (!options.customer.empty()) {
    const auto customer = store::Inventory{**db}.customer(options.customer);
    if (!customer) return customer.error();
    query.customer = customer->id;
  }
  const auto messages = store::Outbox{**db}.list(query);
  if (!messages) return messages.error();
  Listing all = listing();
  for (const store::Message& message : *messages) add_row(all, message);
  context.out().list(all);
  return ExitCode::done;
}

Result<store::Message> find(store::Database& db, const std::string& id) {
  const auto number = parse_number(id, "delivery");
  if (!number) return number.error();
  return store::Outbox{db}.find(MessageId{*number});
}

// Line ends stay; every other control character is shown, not obeyed.
void print_text(const Output& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.line(printable(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

Exit show(Context& context, const IdOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto message = find(**db, options.id);
  if (!message) return message.error();
  const auto content = store::Outbox{**db}.content(message->id);
  if (!content) return content.error();
  const Output& out = context.out();
  if (out.format() == Format::table) {
    Listing one = listing();
    add_row(one, *message);
    out.record(one);
    out.line("");
    if (message->state == store::MessageState::gathering) {
      out.line("It still gathers; what it says is not fixed yet.");
      return ExitCode::done;
    }
    out.line(printable(content->subject));
    out.line("");
    print_text(out, content->text);
    return ExitCode::done;
  }
  Json object = json(*message);
  object["subject"] = json_or_null(content->subject);
  object["text"] = json_or_null(content->text);
  object["in_reply_to"] = json_or_null(content->in_reply_to);
  out.done("", object);
  return ExitCode::done;
}

Exit replay(Context& context, const IdOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  store::Message replayed;
  const auto done = (*db)->atomically([&]() -> Result<void> {
    const auto message = find(**db, options.id);
    if (!message) return message.error();
    const auto destination = store::Destinations{**db}.find(message->destination);
    if (!destination) return destination.error();
    if (destination->disabled_at)
      return usage(fmt::format("destination {0} is disabled ({1}): `nightjar destination enable {0}` first",
                               destination->id.value, destination->disabled_because));
    store::Outbox outbox{**db};
    if (auto again = outbox.replay(message->id, context.now()); !again) return again;
    auto after = outbox.find(message->id);
    if (!after) return std::move(after).error();
    replayed = std::move(*after);
    return {};
  });
  if (!done) return done.error();
  context.out().done(fmt::format("delivery {} is tried again by the daemon", replayed.id.value),
                     json(replayed));
  return ExitCode::done;
}

}  // namespace

void declare_delivery(Commands& commands) {
  CLI::App& noun = commands.noun("delivery", "Deliveries: messages on their way, and what became of them");
  noun.footer(
      "A message is gathering until it is complete, then waiting until a server has taken it (delivered), "
      "or\n"
      "none would within a day (dead). Dead ones are kept and can be replayed.");
  commands.verb<ListOptions>(noun, "list", "List deliveries, the newest first", declare_list, list)
      .footer("  nightjar delivery list --undelivered");
  commands.verb<IdOptions>(noun, "show", "One delivery, with what it says", declare_id, show);
  commands.verb<IdOptions>(noun, "replay", "Try a dead one again, from now on", declare_id, replay)
      .footer("Receivers know it again: it has the id it had.\n\n  nightjar delivery replay 17");
}

}  // namespace nightjar::cli
