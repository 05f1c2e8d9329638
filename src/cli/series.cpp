// `series`: what was tried, what was decided, and why.
#include "cli/command.hpp"
#include "cli/drive.hpp"
#include "cli/follow.hpp"
#include "cli/names.hpp"
#include "cli/series_json.hpp"
#include "cli/text.hpp"

#include <nightjar/store/daemon_lock.hpp>
#include <nightjar/store/series_book.hpp>

#include <fmt/format.h>

#include <optional>

namespace nightjar::cli {
namespace {

struct ListOptions {
  SelectorOptions selector;
  bool open = false, failed = false;
  std::string since;
  std::size_t limit = 1000;
};

struct SeriesOptions {
  std::string id;
  LimitOptions limits;
};

void declare_list(CLI::App& app, ListOptions& options) {
  declare_selector(app, options.selector);
  app.add_flag("--open", options.open, "Only those that have not ended");
  app.add_flag("--failed", options.failed, "Only those that failed");
  app.add_option("--since", options.since, "Only those scheduled since: 90m, 24h, 7d or 2026-11-30T02:00:00Z")
      ->type_name("TIME");
  app.add_option("--limit", options.limit, "At most so many")->type_name("N")->capture_default_str();
}

void declare_id(CLI::App& app, SeriesOptions& options) {
  app.add_option("ID", options.id, "The number of the series")->required();
}

void declare_rerun(CLI::App& app, SeriesOptions& options) {
  declare_id(app, options);
  declare_limits(app, options.limits);
}

Result<std::optional<UtcTime>> to_time(const std::string& text, UtcTime now) {
  if (text.empty()) return std::optional<UtcTime>{};
  if (const auto span = parse_span(text)) return std::optional<UtcTime>{now - *span};
  if (const auto time = parse_rfc3339(text)) return time;
  return usage(fmt::format("\"{}\" is not a time: write 90m, 24h, 7d or 2026-11-30T02:00:00Z", text));
}

Exit list(Context& context, const ListOptions& options) {
  const auto since = to_time(options.since, context.now());
  if (!since) return since.error();
  const auto selector = to_selector(options.selector);
  if (!selector) return selector.error();
  const auto db = context.database_with_series();
  if (!db) return db.error();
  store::SeriesQuery query{.devices = {},
                           .open_only = options.open,
                           .failed_only = options.failed,
                           .since = *since,
                           .limit = options.limit};
  Listing all = series_listing();
  if (!selector->all || !options.selector.tags.empty()) {
    auto devices = store::Inventory{**db}.select(*selector, false);
    if (!devices) return devices.error();
    query.devices = std::move(*devices);
    // No devices at all would read as every device.
    if (query.devices.empty()) {
      context.out().list(all);
      return ExitCode::done;
    }
  }
  const auto rows = store::SeriesBook{**db}.list(query);
  if (!rows) return rows.error();
  for (const store::SeriesRow& row : *rows) add_row(all, row);
  context.out().list(all);
  return ExitCode::done;
}

Exit show(Context& context, const SeriesOptions& options) {
  const auto id = parse_number(options.id, "series");
  if (!id) return id.error();
  const auto db = context.database_with_series();
  if (!db) return db.error();
  const auto detail = store::SeriesBook{**db}.detail(SeriesId{*id});
  if (!detail) return detail.error();
  const Output& out = context.out();
  if (out.format() == Format::json) {
    out.json(to_json(*detail));
    return ExitCode::done;
  }
  if (out.format() == Format::csv) {
    Listing one = series_listing();
    add_row(one, detail->series);
    out.list(one);
    return ExitCode::done;
  }
  out.bytes(to_people(*detail, out.verbose()));
  return ExitCode::done;
}

Exit rerun(Context& context, const SeriesOptions& options) {
  const auto id = parse_number(options.id, "series");
  if (!id) return id.error();
  if (context.out().format() == Format::csv) return usage("series rerun writes table or json, not csv");
  const auto db = context.database_with_series();
  if (!db) return db.error();
  const auto folder = context.data_folder();
  if (!folder) return folder.error();
  if (store::DaemonLock::is_held(*folder)) {
    const auto reopened = (*db)->atomically([&]() -> Result<void> {
      const auto device = orchestrator::reopen(**db, SeriesId{*id}, context.now());
      return device ? Result<void>{} : device.error();
    });
    if (!reopened) return reopened.error();
    return follow(context, {SeriesId{*id}});
  }
  return drive(context, options.limits,
               [&](orchestrator::Runner& runner) { return runner.rerun(SeriesId{*id}); });
}

// Reads, decides and writes in one transaction: an attempt may begin or end at the same moment.
Result<store::SeriesRow> cancel_now(store::Database& db, SeriesId id, UtcTime now) {
  store::SeriesRow after;
  const auto done = db.atomically([&]() -> Result<void> {
    store::SeriesBook book{db};
    auto row = book.find(id);
    if (!row) return std::move(row).error();
    after = std::move(*row);
    if (!series::is_open(after.machine.state)) return {};
    const auto rule = store::Inventory{db}.retry_rule({rules::Level::device, {}, after.device});
    if (!rule) return rule.error();
    const auto step = series::step(after.machine, series::event::Cancel{},
                                   rules::values<rules::RetryFields>(rule->rule), now, [] { return 0.0; });
    if (!step) return step.error();
    if (auto written = book.update(id, step->series, now); !written) return written;
    after.machine = step->series;
    after.ended_at = now;
    return {};
  });
  if (!done) return done.error();
  return after;
}

Exit cancel(Context& context, const SeriesOptions& options) {
  const auto id = parse_number(options.id, "series");
  if (!id) return id.error();
  const auto db = context.database_with_series();
  if (!db) return db.error();
  const UtcTime now = context.now();
  const auto row = cancel_now(**db, SeriesId{*id}, now);
  if (!row) return row.error();
  const std::string name = fmt::format("series {} ({}/{})", *id, row->customer_name, row->device_name);
  const auto state = row->machine.state;
  if (!series::is_open(state) && row->ended_at != now) {
    context.out().note(fmt::format("{} has ended already: {}", name, series::to_text(state)));
    return ExitCode::nothing_to_do;
  }
  context.out().done(series::is_open(state)
                         ? fmt::format("{} is cancelled as soon as its running attempt is given up", name)
                         : fmt::format("cancelled {}", name),
                     {{"id", *id}, {"state", series::to_text(state)}});
  return ExitCode::done;
}

}  // namespace

void declare_series(Commands& commands) {
  CLI::App& noun = commands.noun("series", "Series: one backup of one device through all of its attempts");
  commands.verb<ListOptions>(noun, "list", "List series, newest first", declare_list, list);
  commands.verb<SeriesOptions>(noun, "show", "One series with its attempts and decisions", declare_id, show)
      .footer(
          "Each decision was stored with its attempt, with the values that applied and where they came "
          "from.\n"
          "--verbose adds the end of the dialogue of each failed attempt, secrets masked.");
  commands.verb<SeriesOptions>(noun, "rerun", "Run a series that has ended again, now", declare_rerun, rerun)
      .footer(
          "The series keeps its number and its scheduled time, attempts are numbered on, and the count "
          "against\n"
          "the rule starts afresh. Exit codes as of `nightjar backup`.");
  commands.verb<SeriesOptions>(noun, "cancel", "End an open series; it is not tried again and alerts nobody",
                               declare_id, cancel);
}

}  // namespace nightjar::cli
