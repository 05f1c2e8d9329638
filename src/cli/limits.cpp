#include "cli/limits.hpp"

#include "cli/settings.hpp"

#include <CLI/Validators.hpp>

#include <algorithm>

namespace nightjar::cli {

void declare_limits(CLI::App& app, LimitOptions& options) {
  const char* group = "Limits (before those of the configuration file)";
  const CLI::Range bounds{1, most_sessions};
  app.add_option("--sessions", options.sessions, "Sessions at once, also for one customer")
      ->type_name("N")
      ->check(bounds)
      ->group(group);
  app.add_option("--rate", options.rate, "New connections per second")
      ->type_name("N")
      ->check(bounds)
      ->group(group);
}

orchestrator::Limits with(orchestrator::Limits limits, const LimitOptions& options) {
  // Who asks for 300 sessions of one customer's fleet wants 300: the limit for one customer moves along.
  if (options.sessions) limits.sessions = limits.sessions_per_customer = *options.sessions;
  limits.connections_per_second = options.rate.value_or(limits.connections_per_second);
  return limits;
}

}  // namespace nightjar::cli
