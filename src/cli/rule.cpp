// `rule`: the retry rule in force at a level, where each value comes from, and what it means in minutes.
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/rule_json.hpp"

#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

#include <optional>

namespace nightjar::cli {
namespace {

struct RuleOptions {
  ScopeOptions scope;
  std::vector<std::string> assignments;
};

void declare_show(CLI::App& app, RuleOptions& options) {
  declare_scope(app, options.scope);
  app.add_option("FIELD=VALUE", options.assignments,
                 "Show it as it would be with these values; nothing is stored");
}

void declare_set(CLI::App& app, RuleOptions& options) {
  declare_scope(app, options.scope);
  app.add_option("FIELD=VALUE", options.assignments,
                 "Fields to set at this level; FIELD= clears one (inherit)")
      ->required();
}

// All of them or none.
Result<rules::RetryLayer> assigned(rules::RetryLayer layer, const std::vector<std::string>& assignments) {
  for (const std::string& text : assignments) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      return usage(fmt::format("\"{}\" sets nothing: write FIELD=VALUE, or FIELD= to inherit", text));
    const std::string_view whole = text;
    if (const auto done =
            rules::assign<rules::RetryFields>(layer, whole.substr(0, equals), whole.substr(equals + 1));
        !done)
      return done.error();
  }
  return layer;
}

// The rule in force at the scope, with the scope's own layer replaced.
Result<store::RuleInForce> in_force_with(store::Inventory& inventory, const NamedScope& at,
                                         const rules::RetryLayer& own) {
  const auto platform = inventory.retry_layer({});
  if (!platform) return platform.error();
  Result<rules::RetryLayer> customer = rules::RetryLayer{};
  if (at.customer) customer = inventory.retry_layer({rules::Level::customer, at.customer, {}});
  if (!customer) return customer.error();
  const rules::Level level = at.scope.level;
  const rules::Layers<rules::RetryFields> layers{
      .platform = level == rules::Level::platform ? &own : &*platform,
      .customer = level == rules::Level::customer ? &own : &*customer,
      .device = level == rules::Level::device ? &own : nullptr,
  };
  return store::RuleInForce{
      .rule = rules::resolve<rules::RetryFields>(rules::Describe<rules::RetryFields>::built_in(), layers),
      .customer_name = at.customer_name,
      .device_name = at.device_name,
  };
}

Result<store::RuleInForce> looked_up(store::Database& db, const RuleOptions& options) {
  store::Inventory inventory{db};
  const auto at = find_scope(db, options.scope);
  if (!at) return at.error();
  if (options.assignments.empty()) return inventory.retry_rule(at->scope);
  const auto own = inventory.retry_layer(at->scope);
  if (!own) return own.error();
  const auto changed = assigned(*own, options.assignments);
  if (!changed) return changed.error();
  return in_force_with(inventory, *at, *changed);
}

void print_rule(const Output& out, const store::RuleInForce& rule) {
  if (out.format() == Format::json) return out.json(to_json(rule));
  out.list(rule_listing(rule));
}

std::string told_sentence(const rules::Timetable& timetable) {
  return fmt::format(
      "A failure is known {} after the scheduled time, {} when every attempt runs into its timeout{}.",
      to_span(timetable.told_after), to_span(timetable.told_after_with_timeouts),
      timetable.ended_by == rules::WindowEnd::give_up ? "; \"give up after\" ends the series early" : "");
}

// There is no schedule yet that a window could outlast.
std::vector<std::string> warnings_of(const rules::Timetable& timetable, UtcTime now) {
  return rules::window_warnings(timetable, now, std::nullopt, std::nullopt);
}

Exit show(Context& context, const RuleOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto rule = looked_up(**db, options);
  if (!rule) return rule.error();
  print_rule(context.out(), *rule);
  return ExitCode::done;
}

Exit timetable(Context& context, const RuleOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  const auto rule = looked_up(**db, options);
  if (!rule) return rule.error();
  const auto table = rules::timetable(rules::values<rules::RetryFields>(rule->rule));
  const auto warnings = warnings_of(table, context.now());
  const Output& out = context.out();
  if (out.format() == Format::json) {
    out.json(to_json(table, warnings));
    return ExitCode::done;
  }
  out.list(timetable_listing(table));
  if (out.format() == Format::table) out.line(told_sentence(table));
  for (const std::string& warning : warnings) out.warn("warning: " + warning);
  return ExitCode::done;
}

Exit set(Context& context, const RuleOptions& options) {
  const auto db = context.database();
  if (!db) return db.error();
  store::Inventory inventory{**db};
  const auto at = find_scope(**db, options.scope);
  if (!at) return at.error();
  const auto own = inventory.retry_layer(at->scope);
  if (!own) return own.error();
  const auto changed = assigned(*own, options.assignments);
  if (!changed) return changed.error();
  const bool same = *changed == *own;
  if (!same)
    if (const auto written = inventory.set_retry_layer(at->scope, *changed); !written) return written.error();
  const auto rule = inventory.retry_rule(at->scope);
  if (!rule) return rule.error();
  const Output& out = context.out();
  if (!out.quiet() || out.format() != Format::table) print_rule(out, *rule);
  const auto table = rules::timetable(rules::values<rules::RetryFields>(rule->rule));
  out.note(same ? fmt::format("the rule of {} is so already; nothing changed", at->name)
                : fmt::format("set the rule of {}. {}", at->name, told_sentence(table)));
  for (const std::string& warning : warnings_of(table, context.now())) out.warn("warning: " + warning);
  return ExitCode::done;
}

std::string fields_text() {
  std::string text = "Fields, each inherited from the level above where it is not set:\n";
  const auto line = [&](std::string_view name, std::string_view words) {
    text += fmt::format("  {:<24} {}\n", name, words);
  };
  line("attempts", "total tries, the first one included: 1 to 20");
  line("delay_seconds", "wait between the first failure and the second try: 1 to 86400");
  line("backoff", "each wait is the one before times this: 1 to 10");
  line("spacing", "geometric (the factor applies) or linear (first delay times 1, 2, 3, ...)");
  line("max_delay_seconds", "no wait is longer: 1 to 86400");
  line("jitter", "none, equal, full or decorrelated");
  line("attempt_timeout_seconds", "one attempt may take this long in all: 10 to 7200");
  line("give_up_after_seconds",
       "no try starts later than this after the scheduled time: 60 to 604800, or none");
  line("retry_on", "failure classes that are retried: unreachable,dropped,timeout,busy,incomplete,...");
  return text + "A rule is looked up when an attempt has failed: a change works from the next decision on.";
}

}  // namespace

void declare_rule(Commands& commands) {
  CLI::App& noun = commands.noun("rule", "Retry rules: how often a failed backup is tried again, and when");
  const std::string fields = fields_text();
  commands
      .verb<RuleOptions>(noun, "show", "The rule in force at a level, with the origin of each value",
                         declare_show, show)
      .footer(fields);
  commands.verb<RuleOptions>(noun, "set", "Set or clear fields at a level", declare_set, set)
      .footer(
          "  nightjar rule set --customer acme attempts=5 delay_seconds=600\n"
          "  nightjar rule set --device acme/core-01 attempts=\n\n" +
          fields);
  commands
      .verb<RuleOptions>(noun, "timetable", "When each attempt is made and when a failure is known",
                         declare_show, timetable)
      .footer(fields);
}

}  // namespace nightjar::cli
