// `alert`: when people are told about a level's devices, and when not.
#include "cli/cascade_command.hpp"
#include "cli/command.hpp"

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

using alerting::AlertFields;

Exit show(Context& context, const CascadeOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto alerts = look<AlertFields>(**db, options);
  if (!alerts) return alerts.error();
  print(context.out(), alerts->in_force);
  return ExitCode::done;
}

Exit set(Context& context, const CascadeOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto alerts = edit<AlertFields>(**db, options);
  if (!alerts) return alerts.error();
  const Output& out = context.out();
  if (!out.quiet() || out.format() != Format::table) print(out, alerts->in_force);
  out.note(alerts->same ? fmt::format("the alerts of {} are so already; nothing changed", alerts->at.name)
                        : fmt::format("set the alerts of {}", alerts->at.name));
  return ExitCode::done;
}

}  // namespace

void declare_alert(Commands& commands) {
  CLI::App& noun =
      commands.noun("alert", "Alerts: how often people are told, and when they are left in peace");
  noun.footer(
      "Whom they go to is said by `nightjar destination`. Nothing is told while a try is pending.\n"
      "  nightjar alert set --customer acme repeat=every\n"
      "  nightjar alert set --device acme/core-01 \"maintenance=0 22 * * sat for 6h\"");
  const std::string fields =
      fields_text(
          {{"repeat", "a device that fails again is told again: every time, daily (once a day) or never"},
           {"group_seconds", "failures of one customer within this go out as one message: 0 to 3600"},
           {"recovered", "true: those who were told of a failure hear of the first success after it"},
           {"maintenance", "series scheduled in these windows are not told; none, or windows with ; between"},
           {"", "  recurring: 0 22 * * sat for 6h   once: 2026-12-24 18:00 to 2026-12-27 06:00"}}) +
      "Windows are on the clocks of the schedule's time zone there.";
  commands
      .verb<CascadeOptions>(noun, "show", "The alerts in force at a level, with the origin of each value",
                            declare_look, show)
      .footer("  nightjar alert show --customer acme\n\n" + fields);
  commands.verb<CascadeOptions>(noun, "set", "Set or clear fields at a level", declare_edit, set)
      .footer(
          "  nightjar alert set --platform group_seconds=300\n"
          "  nightjar alert set --customer acme \"maintenance=0 22 * * sat for 6h; 2026-12-24 18:00 to "
          "2026-12-27 06:00\"\n"
          "  nightjar alert set --customer acme maintenance=\n\n" +
          fields);
}

}  // namespace nightjar::cli
