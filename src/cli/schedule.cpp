// `schedule`: when backups run at a level, where each value comes from, and the times to come.
#include "cli/cascade_command.hpp"
#include "cli/command.hpp"
#include "cli/next_runs.hpp"

#include <nightjar/orchestrator/daemon.hpp>

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

using schedule::ScheduleFields;
using ScheduleAt = SettingsAt<ScheduleFields>;

constexpr std::size_t shown_runs = 5;

struct Outlook {
  schedule::Schedule schedule;
  std::vector<UtcTime> runs;          // none when nothing is to come
  std::string why_none;               // a sentence
  std::vector<std::string> warnings;  // of the retry rule, whose window may not fit
};

Result<Outlook> outlook_of(store::Database& db, const ScheduleAt& settings, UtcTime now) {
  Outlook outlook{.schedule = rules::values<ScheduleFields>(settings.in_force.rule),
                  .runs = {},
                  .why_none = {},
                  .warnings = {}};
  if (settings.at.scope.device) {
    const auto device = store::Inventory{db}.device(settings.at.scope.device);
    if (!device) return device.error();
    if (!device->enabled) {
      outlook.why_none = fmt::format("No runs: {} is disabled.", settings.at.name);
      return outlook;
    }
  }
  outlook.runs = next_runs(outlook.schedule, now, shown_runs);
  if (outlook.runs.empty())
    outlook.why_none = outlook.schedule.enabled ? "No runs to come." : "No runs: the schedule is disabled.";
  const auto rule = store::Settings{db}.in_force<rules::RetryFields>(settings.at.scope);
  if (!rule) return rule.error();
  outlook.warnings =
      window_warnings(rules::timetable(rules::values<rules::RetryFields>(rule->rule)), outlook.schedule, now);
  return outlook;
}

void print_all(const Output& out, const ScheduleAt& settings, const Outlook& outlook) {
  switch (out.format()) {
    case Format::json: {
      Json object = to_json(settings.in_force);
      object["next"] = next_runs_json(outlook.schedule, outlook.runs);
      return out.json(object);
    }
    case Format::csv:
      return print(out, settings.in_force);
    case Format::table:
      print(out, settings.in_force);
      out.line("");
      if (outlook.runs.empty()) return out.line(outlook.why_none);
      return out.list(next_runs_listing(outlook.schedule, outlook.runs));
  }
}

std::string changed_sentence(const ScheduleAt& settings, const Outlook& outlook) {
  const std::string next =
      outlook.runs.empty()
          ? outlook.why_none
          : fmt::format("The next run is at {}.", outlook.schedule.timezone.local_text(outlook.runs.front()));
  return fmt::format("set the schedule of {}. {}", settings.at.name, next);
}

Exit show(Context& context, const CascadeOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto settings = look<ScheduleFields>(**db, options);
  if (!settings) return settings.error();
  const auto outlook = outlook_of(**db, *settings, context.now());
  if (!outlook) return outlook.error();
  print_all(context.out(), *settings, *outlook);
  for (const std::string& warning : outlook->warnings) context.out().warn("warning: " + warning);
  return ExitCode::done;
}

Exit set(Context& context, const CascadeOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const UtcTime now = context.now();
  const auto settings =
      edit<ScheduleFields>(**db, options, [&] { return orchestrator::note_schedules(**db, now); });
  if (!settings) return settings.error();
  const auto outlook = outlook_of(**db, *settings, now);
  if (!outlook) return outlook.error();
  const Output& out = context.out();
  if (!out.quiet() || out.format() != Format::table) print_all(out, *settings, *outlook);
  out.note(settings->same
               ? fmt::format("the schedule of {} is so already; nothing changed", settings->at.name)
               : changed_sentence(*settings, *outlook));
  for (const std::string& warning : outlook->warnings) out.warn("warning: " + warning);
  return ExitCode::done;
}

}  // namespace

void declare_schedule(Commands& commands) {
  CLI::App& noun = commands.noun("schedule", "Schedules: when the daemon backs devices up");
  noun.footer(
      "The platform, a customer and a device may each set any field; the nearest one that does counts.\n"
      "  nightjar schedule set --customer acme cron=\"0 2 * * *\" timezone=Europe/Paris\n"
      "  nightjar schedule show --customer acme");
  const std::string fields =
      fields_text(
          {{"cron", "minute, hour, day of month, month, day of week (or @daily, @hourly, ...)"},
           {"timezone", "whose clocks that is about: an IANA name, e.g. Europe/Paris"},
           {"enabled", "true or false"},
           {"catch_up_seconds", "a run that was missed still runs when not older than this: 0 to 604800"}}) +
      "A time that clocks skip runs right after the gap; one that they show twice runs the first time.";
  commands
      .verb<CascadeOptions>(noun, "show", "The schedule in force at a level, and the next runs", declare_look,
                            show)
      .footer(
          "  nightjar schedule show --customer acme\n"
          "  nightjar schedule show --customer acme cron=\"0 4 * * sun\"   # as it would be\n\n" +
          fields);
  commands.verb<CascadeOptions>(noun, "set", "Set or clear fields at a level", declare_edit, set)
      .footer(
          "  nightjar schedule set --platform cron=\"30 1 * * *\" timezone=Europe/Paris\n"
          "  nightjar schedule set --device acme/core-01 cron=\"*/30 8-18 * * mon-fri\"\n"
          "  nightjar schedule set --customer acme enabled=false\n"
          "  nightjar schedule set --customer acme enabled=\n\n" +
          fields);
}

}  // namespace nightjar::cli
