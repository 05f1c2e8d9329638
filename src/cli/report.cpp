// `report`: what the night brought, and when the report of a level is made.
#include "cli/cascade_command.hpp"
#include "cli/command.hpp"
#include "cli/next_runs.hpp"
#include "cli/report_json.hpp"

#include <nightjar/report/html.hpp>
#include <nightjar/report/text.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/night_book.hpp>

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

using report::ReportFields;

struct ReportOptions {
  std::string customer, date, format;
};

void declare(CLI::App& app, ReportOptions& options) {
  app.add_option("--customer", options.customer, "Only this customer's; its report's time and zone count")
      ->type_name("NAME");
  app.add_option("--date", options.date, "The report of this date; the newest one when not said")
      ->type_name("YYYY-MM-DD");
  app.add_option("--format", options.format, "text, html, json or csv")
      ->check(CLI::IsMember({"text", "html", "json", "csv"}))
      ->type_name("FORMAT");
}

// --format, or what --output says of every command.
Result<std::string> format_of(const Context& context, const ReportOptions& options) {
  const Format output = context.out().format();
  const std::string general = output == Format::json ? "json" : output == Format::csv ? "csv" : "";
  if (options.format.empty()) return general.empty() ? "text" : general;
  if (!general.empty() && general != options.format)
    return usage(fmt::format("--format {} and --output {} contradict each other", options.format, general));
  return options.format;
}

Result<report::Report> read_report(store::Database& db, const ReportOptions& options, UtcTime now) {
  std::optional<CustomerId> customer;
  if (!options.customer.empty()) {
    const auto found = store::Inventory{db}.customer(options.customer);
    if (!found) return found.error();
    customer = found->id;
  }
  store::NightBook nights{db};
  Result<report::Date> date = report::Date{};
  if (options.date.empty()) {
    date = nights.newest(customer, now);
  } else if (const auto said = report::parse_date(options.date)) {
    date = *said;
  } else {
    return usage(fmt::format("--date: \"{}\" is not a date such as 2026-11-30", options.date));
  }
  if (!date) return date.error();
  auto input = nights.input(customer, *date, now);
  if (!input) return input.error();
  return report::build(std::move(*input));
}

Exit act(Context& context, const ReportOptions& options) {
  const auto format = format_of(context, options);
  if (!format) return format.error();
  const auto db = context.database_with_series();
  if (!db) return db.error();
  const auto made = read_report(**db, options, context.now());
  if (!made) return made.error();
  const Output& out = context.out();
  if (*format == "json")
    out.json(to_json(*made));
  else if (*format == "csv")
    out.bytes(report_listing(*made).as_csv());
  else
    out.bytes(*format == "html" ? report::to_html(*made) : report::to_text(*made));
  switch (verdict(*made)) {
    case report::Verdict::well:
      return ExitCode::done;
    case report::Verdict::failed:
      return ExitCode::failed;
    case report::Verdict::nothing_due:
      break;
  }
  return ExitCode::nothing_to_do;
}

// The times to come are on the clocks of the schedule there.
Result<schedule::Schedule> times_of(store::Database& db, const SettingsAt<ReportFields>& settings) {
  const auto there = store::Settings{db}.in_force<schedule::ScheduleFields>(settings.at.scope);
  if (!there) return there.error();
  auto schedule = rules::values<schedule::ScheduleFields>(there->rule);
  schedule.cron = settings.in_force.rule.cron.value;
  schedule.enabled = settings.in_force.rule.enabled.value;
  return schedule;
}

void print_settings(const Output& out, const SettingsAt<ReportFields>& settings,
                    const schedule::Schedule& times, UtcTime now) {
  const auto next = next_runs(times, now, 1);
  if (out.format() == Format::json) {
    Json object = to_json(settings.in_force);
    object["next_report_at"] = next.empty() ? Json(nullptr) : json_time(next.front());
    return out.json(object);
  }
  print(out, settings.in_force);
  if (out.format() == Format::csv) return;
  out.line("");
  out.line(next.empty() ? "No report is sent."
                        : fmt::format("Next report: {}.", times.timezone.local_text(next.front())));
}

// Reports are made for customers and the platform; of a device only the age of its copy counts.
Result<void> refuse_of_device(const CascadeOptions& options) {
  if (options.scope.device.empty()) return {};
  for (const std::string& text : options.assignments) {
    const auto pair = parse_assignment(text);
    if (!pair) return pair.error();
    if (pair->first == "cron" || pair->first == "enabled")
      return usage(
          fmt::format("a device has no report of its own: only stale_after_days can be set for one; "
                      "name the customer (--customer {}) or --platform",
                      options.scope.device.substr(0, options.scope.device.find('/'))));
  }
  return {};
}

Exit show(Context& context, const CascadeOptions& options) {
  if (const auto level = refuse_of_device(options); !level) return level.error();
  const auto db = context.database();
  if (!db) return db.error();
  const auto settings = look<ReportFields>(**db, options);
  if (!settings) return settings.error();
  const auto times = times_of(**db, *settings);
  if (!times) return times.error();
  print_settings(context.out(), *settings, *times, context.now());
  return ExitCode::done;
}

Exit set(Context& context, const CascadeOptions& options) {
  if (const auto level = refuse_of_device(options); !level) return level.error();
  const auto db = context.database();
  if (!db) return db.error();
  const auto settings = edit<ReportFields>(**db, options);
  if (!settings) return settings.error();
  const auto times = times_of(**db, *settings);
  if (!times) return times.error();
  const Output& out = context.out();
  if (!out.quiet() || out.format() != Format::table) print_settings(out, *settings, *times, context.now());
  out.note(settings->same ? fmt::format("the report of {} is so already; nothing changed", settings->at.name)
                          : fmt::format("set the report of {}", settings->at.name));
  return ExitCode::done;
}

}  // namespace

void declare_report(Commands& commands) {
  CLI::App& report = commands.verb<ReportOptions>(
      "report", "The morning report: what failed, each once, and what else to look at", declare, act);
  report.footer(
      "Exits 1 when anything failed or was missed, 0 when all is well, 2 when nothing was due. It is about\n"
      "the day up to the report's time; before that time, about the night so far. No daemon is needed.\n\n"
      "  nightjar report\n"
      "  nightjar report --customer acme --date 2026-11-30 --format html > report.html\n"
      "  nightjar report set --customer acme cron=\"0 6 * * mon-fri\" stale_after_days=7");
  const std::string fields =
      fields_text({{"cron", "when it is made: minute, hour, day of month, month, day of week"},
                   {"enabled", "true or false: whether it is sent"},
                   {"stale_after_days", "a good copy older than this is listed: 1 to 3650"}}) +
      "The time zone is that of the schedule (`nightjar schedule set`).";
  commands
      .verb<CascadeOptions>(report, "show", "When the report of a level is made, and what counts as stale",
                            declare_look, show)
      .footer("  nightjar report show --customer acme\n\n" + fields);
  commands.verb<CascadeOptions>(report, "set", "Set or clear fields at a level", declare_edit, set)
      .footer(
          "  nightjar report set --platform cron=\"0 8 * * *\"\n"
          "  nightjar report set --device acme/core-01 stale_after_days=60\n\n" +
          fields);
}

}  // namespace nightjar::cli
