// `backup`: whole series, now, in the foreground, retry waits included.
#include "cli/command.hpp"
#include "cli/drive.hpp"
#include "cli/names.hpp"

#include <nightjar/store/inventory.hpp>

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

struct BackupOptions {
  SelectorOptions selector;
  LimitOptions limits;
  bool resume = false;
};

void declare(CLI::App& app, BackupOptions& options) {
  declare_selector(app, options.selector);
  declare_limits(app, options.limits);
  app.add_flag("--resume", options.resume, "Go on with series that a process that died left open");
}

Exit backup(Context& context, const BackupOptions& options) {
  if (options.selector.empty() && !options.resume)
    return usage("say which devices: --all, --customer NAME, --device CUSTOMER/DEVICE or --tag TAG");
  if (context.out().format() == Format::csv) return usage("backup writes table or json, not csv");
  const auto selector = to_selector(options.selector);
  if (!selector) return selector.error();
  const auto db = context.database_with_series();
  if (!db) return db.error();
  // A series that is open goes on even when its device was disabled meanwhile.
  auto devices = store::Inventory{**db}.select(*selector, !options.resume);
  if (!devices) return devices.error();
  if (devices->empty()) {
    context.out().note(options.resume ? "nothing to resume: there are no such devices"
                                      : "nothing to do: no enabled device is selected");
    return ExitCode::nothing_to_do;
  }
  const auto exit = drive(context, options.limits, [&](orchestrator::Runner& runner) {
    return options.resume ? runner.resume(std::move(*devices)) : runner.backup(std::move(*devices));
  });
  if (exit && *exit == ExitCode::nothing_to_do)
    context.out().note(options.resume ? "nothing to resume: no series is left open"
                                      : "nothing to do: another process drives the series of these devices");
  return exit;
}

}  // namespace

void declare_backup(Commands& commands) {
  commands.verb<BackupOptions>("backup", "Back devices up now, retries included", declare, backup)
      .footer(
          "Runs whole series in the foreground until each has succeeded or failed. A device whose series is "
          "open\n"
          "joins it. With --json every event is a line of JSON, the last one the summary.\n"
          "^C ends it: what runs is recorded as interrupted and does not count, what waits keeps its time "
          "and goes on\n"
          "with --resume (of all devices when none are named).\n\n"
          "Exit codes: 0 all backed up; 1 some failed after their retries; 2 nothing selected or nothing to "
          "resume;\n"
          "3 usage, configuration or set-up error; 130 interrupted.\n\n"
          "  nightjar backup --all\n"
          "  nightjar backup --customer acme --tag core");
}

}  // namespace nightjar::cli
