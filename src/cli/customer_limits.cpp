// `limits`: how much of the platform one customer may use at once, and when its breaker opens.
#include "cli/cascade_command.hpp"
#include "cli/command.hpp"

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

using admission::LimitFields;

Result<void> refuse_device(const ScopeOptions& scope) {
  if (scope.device.empty()) return {};
  return usage(fmt::format(
      "a device has no limits of its own: its customer's devices share their sessions and their breaker; "
      "name the customer (--customer {}) or --platform",
      scope.device.substr(0, scope.device.find('/'))));
}

Exit show(Context& context, const CascadeOptions& options) {
  if (const auto level = refuse_device(options.scope); !level) return level.error();
  const auto db = context.database();
  if (!db) return db.error();
  const auto limits = look<LimitFields>(**db, options);
  if (!limits) return limits.error();
  print(context.out(), limits->in_force);
  return ExitCode::done;
}

Exit set(Context& context, const CascadeOptions& options) {
  if (const auto level = refuse_device(options.scope); !level) return level.error();
  const auto db = context.database();
  if (!db) return db.error();
  const auto limits = edit<LimitFields>(**db, options);
  if (!limits) return limits.error();
  const Output& out = context.out();
  if (!out.quiet() || out.format() != Format::table) print(out, limits->in_force);
  out.note(limits->same ? fmt::format("the limits of {} are so already; nothing changed", limits->at.name)
                        : fmt::format("set the limits of {}", limits->at.name));
  return ExitCode::done;
}

}  // namespace

void declare_limits(Commands& commands) {
  CLI::App& noun =
      commands.noun("limits", "Limits: sessions of one customer at once, and when its breaker opens");
  noun.footer(
      "The platform and a customer may each set any field; a customer's own comes first.\n"
      "  nightjar limits set --customer acme sessions=10\n"
      "  nightjar limits show --customer acme");
  const std::string fields =
      fields_text(
          {{"sessions", "sessions of one customer at once: 1 to 10000"},
           {"breaker_failures", "so many attempts in a row that reach nobody open it: 1 to 100000"},
           {"breaker_cooldown_seconds", "while it is open one attempt goes this often: 1 to 86400"}}) +
      "What --platform says holds for each customer that says nothing itself. The sessions of all customers\n"
      "together and new connections per second are set in the configuration file.";
  commands
      .verb<CascadeOptions>(noun, "show", "The limits in force at a level, with the origin of each value",
                            declare_look, show)
      .footer("  nightjar limits show --customer acme\n\n" + fields);
  commands.verb<CascadeOptions>(noun, "set", "Set or clear fields at a level", declare_edit, set)
      .footer(
          "  nightjar limits set --customer acme sessions=10\n"
          "  nightjar limits set --platform breaker_failures=50\n"
          "  nightjar limits set --customer acme sessions=\n\n" +
          fields);
}

}  // namespace nightjar::cli
