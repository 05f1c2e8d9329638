// `status`: whether a daemon runs, what waits for what, and how the last runs went.
#include "cli/command.hpp"
#include "cli/text.hpp"

#include <nightjar/orchestrator/daemon.hpp>
#include <nightjar/store/breakers.hpp>
#include <nightjar/store/daemon_lock.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/runs.hpp>
#include <nightjar/store/settings.hpp>

#include <fmt/format.h>

#include <map>
#include <optional>

namespace nightjar::cli {
namespace {

constexpr std::size_t shown_runs = 10;

struct StatusOptions {
  std::string customer;
};

void declare(CLI::App& app, StatusOptions& options) {
  app.add_option("--customer", options.customer, "Only the runs of this customer")->type_name("NAME");
}

struct ShownRun {
  store::RunTally tally;
  std::string local;  // its time on the customer's clocks
};

struct Shown {
  bool runs = false;                    // a daemon does
  std::optional<store::Daemon> daemon;  // that one, or the last one there was
  orchestrator::Standing standing;
  std::vector<ShownRun> last_runs;
};

Result<std::vector<ShownRun>> last_runs(store::Database& db, const std::string& customer) {
  std::optional<CustomerId> only;
  if (!customer.empty()) {
    const auto found = store::Inventory{db}.customer(customer);
    if (!found) return found.error();
    only = found->id;
  }
  auto tallies = store::RunBook{db}.list(only, shown_runs);
  if (!tallies) return tallies.error();
  std::map<CustomerId, schedule::Zone> zones;
  std::vector<ShownRun> shown;
  for (store::RunTally& tally : *tallies) {
    auto zone = zones.find(tally.run.customer);
    if (zone == zones.end()) {
      const auto settings = store::Settings{db}.in_force<schedule::ScheduleFields>(
          {rules::Level::customer, tally.run.customer, {}});
      if (!settings) return settings.error();
      zone = zones.emplace(tally.run.customer, settings->rule.timezone.value).first;
    }
    std::string local = zone->second.local_text(tally.run.scheduled_for);
    shown.push_back({std::move(tally), std::move(local)});
  }
  return shown;
}

Result<Shown> look(Context& context, const StatusOptions& options) {
  const auto folder = context.data_folder();
  if (!folder) return folder.error();
  const auto db = context.database_with_series();
  if (!db) return db.error();
  Shown shown;
  shown.runs = store::DaemonLock::is_held(*folder);
  auto daemon = store::BreakerBook{**db}.daemon();
  if (!daemon) return daemon.error();
  shown.daemon = std::move(*daemon);
  auto standing = orchestrator::standing(**db, context.now());
  if (!standing) return standing.error();
  shown.standing = std::move(*standing);
  auto runs = last_runs(**db, options.customer);
  if (!runs) return runs.error();
  shown.last_runs = std::move(*runs);
  return shown;
}

Listing breaker_listing(const orchestrator::Standing& standing) {
  Listing listing({{"customer", "BREAKER OPEN OF"},
                   {"opened_at", "SINCE (UTC)"},
                   {"probe_at", "NEXT PROBE (UTC)"},
                   {"held_back", "HELD BACK", Align::right}});
  for (const orchestrator::OpenBreaker& breaker : standing.breakers)
    listing.add({breaker.customer, breaker.opened_at, breaker.probe_at, breaker.held_back});
  return listing;
}

Listing credential_listing(const orchestrator::Standing& standing) {
  Listing listing({{"credential", "CREDENTIAL REJECTED"},
                   {"tripped_at", "SINCE (UTC)"},
                   {"refused", "ATTEMPTS NOT MADE", Align::right}});
  for (const orchestrator::TrippedCredential& credential : standing.credentials)
    listing.add({credential.credential, credential.tripped_at, credential.refused});
  return listing;
}

std::string kind_text(store::RunKind kind) {
  return std::string{store::to_text(kind)};
}

Listing run_listing(const std::vector<ShownRun>& runs) {
  Listing listing({{"id", ""},
                   {"customer", "LAST RUNS OF"},
                   {"scheduled_for", "SCHEDULED (UTC)"},
                   {"local", "LOCAL"},
                   {"kind", "KIND"},
                   {"series", "SERIES", Align::right},
                   {"succeeded", "SUCCEEDED", Align::right},
                   {"recovered", "RECOVERED", Align::right},
                   {"failed", "FAILED", Align::right},
                   {"cancelled", "CANCELLED", Align::right},
                   {"missed", "MISSED", Align::right},
                   {"open", "OPEN", Align::right}});
  const auto tinted = [](std::size_t number, Tone tone) {
    return Cell(number).toned(number > 0 ? tone : Tone::normal);
  };
  for (const auto& [tally, local] : runs)
    listing.add({tally.run.id.value, tally.run.customer_name, tally.run.scheduled_for, local,
                 kind_text(tally.run.kind), tally.series, tally.succeeded, tally.recovered,
                 tinted(tally.failed, Tone::bad), tally.cancelled, tinted(tally.missed, Tone::bad),
                 tinted(tally.open, Tone::waiting)});
  return listing;
}

Json to_json(const Shown& shown) {
  const auto of_running = [&](auto&& value) {
    return shown.runs && shown.daemon ? Json(value(*shown.daemon)) : Json(nullptr);
  };
  const auto& standing = shown.standing;
  return {{"daemon",
           {{"running", shown.runs},
            {"pid", of_running([](const auto& daemon) { return daemon.pid; })},
            {"started_at", of_running([](const auto& daemon) { return to_rfc3339(daemon.started_at); })},
            {"address", of_running([](const auto& daemon) { return json_or_null(daemon.address); })},
            {"retries_put_off", of_running([](const auto& daemon) { return daemon.retries_put_off; })},
            {"last_seen_at", shown.daemon ? json_time(shown.daemon->seen_at) : Json(nullptr)}}},
          {"series",
           {{"pending", standing.pending},
            {"running", standing.running},
            {"retry_wait", standing.retry_wait},
            {"due", standing.due},
            {"oldest_due_at", json_time(standing.oldest_due)}}},
          {"next_run_at", json_time(standing.next_run)},
          {"breakers", breaker_listing(standing).as_json()},
          {"credentials", credential_listing(standing).as_json()},
          {"runs", run_listing(shown.last_runs).as_json()}};
}

std::string daemon_text(const Shown& shown) {
  const auto& daemon = shown.daemon;
  if (shown.runs && !daemon) return "starts";
  if (shown.runs)
    return fmt::format("runs since {} UTC: pid {}{}", table_time(daemon->started_at), daemon->pid,
                       daemon->address.empty() ? "" : ", listens on " + daemon->address);
  return daemon ? "none runs" : "none runs, and none ever has";
}

std::string due_text(const orchestrator::Standing& standing) {
  if (!standing.oldest_due || standing.due == 0) return "0";
  return fmt::format("{}, the oldest since {} UTC", grouped(standing.due), table_time(*standing.oldest_due));
}

Listing summary(const Shown& shown) {
  const auto& standing = shown.standing;
  const auto time = [](std::optional<UtcTime> at) {
    return at ? table_time(*at) + " UTC" : std::string{"-"};
  };
  Listing one({{"", "Daemon"},
               {"", "Last seen"},
               {"", "Retries put off"},
               {"", "Open series"},
               {"", "Due"},
               {"", "Next run"}});
  one.add({daemon_text(shown), time(shown.daemon ? std::optional{shown.daemon->seen_at} : std::nullopt),
           shown.daemon ? grouped(shown.daemon->retries_put_off) : "-",
           fmt::format("{} pending, {} running, {} waiting for a retry", grouped(standing.pending),
                       grouped(standing.running), grouped(standing.retry_wait)),
           due_text(standing), time(standing.next_run)});
  return one;
}

Exit status(Context& context, const StatusOptions& options) {
  const Output& out = context.out();
  if (out.format() == Format::csv) return usage("status writes table or json, not csv");
  const auto shown = look(context, options);
  if (!shown) return shown.error();
  if (out.format() == Format::json) {
    out.json(to_json(*shown));
  } else {
    out.record(summary(*shown));
    for (const Listing& part : {breaker_listing(shown->standing), credential_listing(shown->standing),
                                run_listing(shown->last_runs)}) {
      if (part.empty()) continue;
      out.line("");
      out.list(part);
    }
  }
  return shown->runs ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void declare_status(Commands& commands) {
  commands
      .verb<StatusOptions>("status", "Whether a daemon runs, what waits for what, and the last runs", declare,
                           status)
      .footer(
          "Exits 0 when a daemon runs on the data folder, 1 when none does.\n"
          "\"Due\" are series whose time has come: they wait for a slot, a breaker or the daemon. A breaker\n"
          "opens when no device of a customer can be reached; a credential that devices reject is not tried\n"
          "until it is edited, or reset with `nightjar credential reset`.\n\n"
          "  nightjar status\n"
          "  nightjar status --customer acme --json");
}

}  // namespace nightjar::cli
