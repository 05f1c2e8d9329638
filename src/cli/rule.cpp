// `rule`: the retry rule in force at a level, where each value comes from, and what it means in minutes.
#include "cli/cascade_command.hpp"
#include "cli/command.hpp"
#include "cli/next_runs.hpp"
#include "cli/rule_json.hpp"

#include <fmt/format.h>

#include <optional>

namespace nightjar::cli {
namespace {

using rules::RetryFields;
using RuleAt = SettingsAt<RetryFields>;

// The rule's window, beside the schedule it runs in.
struct Window {
  rules::Timetable timetable;
  schedule::Zone timezone;
  std::optional<UtcTime> next_run;
  std::vector<std::string> warnings;
};

Result<Window> window_of(store::Database& db, const RuleAt& rule, UtcTime now) {
  const auto settings = store::Settings{db}.in_force<schedule::ScheduleFields>(rule.at.scope);
  if (!settings) return settings.error();
  const auto schedule = rules::values<schedule::ScheduleFields>(settings->rule);
  Window window{.timetable = rules::timetable(rules::values<RetryFields>(rule.in_force.rule)),
                .timezone = schedule.timezone,
                .next_run = {},
                .warnings = {}};
  if (const auto next = next_runs(schedule, now, 1); !next.empty()) window.next_run = next.front();
  window.warnings = window_warnings(window.timetable, schedule, now);
  return window;
}

void warn(const Output& out, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) out.warn("warning: " + warning);
}

std::string told_sentence(const rules::Timetable& timetable) {
  return fmt::format(
      "A failure is known {} after the scheduled time, {} when every attempt runs into its timeout{}.",
      to_span(timetable.told_after), to_span(timetable.told_after_with_timeouts),
      timetable.ended_by == rules::WindowEnd::give_up ? "; \"give up after\" ends the series early" : "");
}

std::string told_at_sentence(const Window& window, UtcTime run) {
  return fmt::format("Of the run at {} you are told at {} at the latest, or at {} with the timeouts.",
                     window.timezone.local_text(run),
                     window.timezone.local_text(run + window.timetable.told_after),
                     window.timezone.local_text(run + window.timetable.told_after_with_timeouts));
}

Exit show(Context& context, const CascadeOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto rule = look<RetryFields>(**db, options);
  if (!rule) return rule.error();
  const auto window = window_of(**db, *rule, context.now());
  if (!window) return window.error();
  print(context.out(), rule->in_force);
  warn(context.out(), window->warnings);
  return ExitCode::done;
}

Exit timetable(Context& context, const CascadeOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto rule = look<RetryFields>(**db, options);
  if (!rule) return rule.error();
  const auto window = window_of(**db, *rule, context.now());
  if (!window) return window.error();
  const auto& [table, timezone, run, warnings] = *window;
  const Output& out = context.out();
  if (out.format() == Format::json) {
    const auto after_run = [&](Milliseconds span) {
      return json_time(run ? std::optional{*run + span} : std::nullopt);
    };
    Json object = to_json(table);
    object["next_run_at"] = json_time(run);
    object["told_at"] = after_run(table.told_after);
    object["told_at_with_timeouts"] = after_run(table.told_after_with_timeouts);
    object["warnings"] = warnings;
    out.json(object);
    return ExitCode::done;
  }
  out.list(timetable_listing(table));
  if (out.format() == Format::table) {
    out.line(told_sentence(table));
    if (run) out.line(told_at_sentence(*window, *run));
  }
  warn(out, warnings);
  return ExitCode::done;
}

Exit set(Context& context, const CascadeOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto rule = edit<RetryFields>(**db, options);
  if (!rule) return rule.error();
  const auto window = window_of(**db, *rule, context.now());
  if (!window) return window.error();
  const Output& out = context.out();
  if (!out.quiet() || out.format() != Format::table) print(out, rule->in_force);
  out.note(rule->same
               ? fmt::format("the rule of {} is so already; nothing changed", rule->at.name)
               : fmt::format("set the rule of {}. {}", rule->at.name, told_sentence(window->timetable)));
  warn(out, window->warnings);
  return ExitCode::done;
}

}  // namespace

void declare_rule(Commands& commands) {
  CLI::App& noun = commands.noun("rule", "Retry rules: how often a failed backup is tried again, and when");
  const std::string fields =
      fields_text({{"attempts", "total tries, the first one included: 1 to 20"},
                   {"delay_seconds", "wait between the first failure and the second try: 1 to 86400"},
                   {"backoff", "each wait is the one before times this: 1 to 10"},
                   {"spacing", "geometric (the factor applies) or linear (first delay times 1, 2, 3, ...)"},
                   {"max_delay_seconds", "no wait is longer: 1 to 86400"},
                   {"jitter", "none, equal, full or decorrelated"},
                   {"attempt_timeout_seconds", "one attempt may take this long in all: 10 to 7200"},
                   {"give_up_after_seconds",
                    "no try starts later than this after the scheduled time: 60 to 604800, or none"},
                   {"retry_on",
                    "failure classes that are retried: unreachable,dropped,timeout,busy,incomplete,..."}}) +
      "A rule is looked up when an attempt has failed: a change works from the next decision on.";
  commands
      .verb<CascadeOptions>(noun, "show", "The rule in force at a level, with the origin of each value",
                            declare_look, show)
      .footer(fields);
  commands.verb<CascadeOptions>(noun, "set", "Set or clear fields at a level", declare_edit, set)
      .footer(
          "  nightjar rule set --customer acme attempts=5 delay_seconds=600\n"
          "  nightjar rule set --device acme/core-01 attempts=\n\n" +
          fields);
  commands
      .verb<CascadeOptions>(noun, "timetable", "When each attempt is made and when a failure is known",
                            declare_look, timetable)
      .footer(fields);
}

}  // namespace nightjar::cli
