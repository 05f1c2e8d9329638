// `backup`: whole series, now, in the foreground, retry waits included.
#include "cli/command.hpp"
#include "cli/drive.hpp"
#include "cli/follow.hpp"
#include "cli/names.hpp"

#include <nightjar/store/daemon_lock.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/series_book.hpp>

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

// The daemon does the work; this process looks on.
Exit hand_over(Context& context, const std::vector<DeviceId>& devices, bool only_open) {
  const auto db = context.database();
  if (!db) return db.error();
  store::SeriesBook book{**db};
  std::vector<SeriesId> series;
  if (only_open) {
    store::SeriesQuery query;
    query.devices = devices;
    query.open_only = true;
    query.limit = devices.size() * 4;
    auto rows = book.list(query);
    if (!rows) return rows.error();
    for (const auto& row : *rows) series.push_back(row.id);
  } else {
    auto opened = book.open(devices, series::Trigger::manual, context.now(), {}, {});
    if (!opened) return opened.error();
    for (const auto& one : *opened) series.push_back(one.series);
  }
  if (series.empty()) {
    context.out().note("nothing to resume: no series is left open");
    return ExitCode::nothing_to_do;
  }
  return follow(context, std::move(series));
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
  const auto folder = context.data_folder();
  if (!folder) return folder.error();
  if (store::DaemonLock::is_held(*folder)) return hand_over(context, *devices, options.resume);
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
          "Runs whole series in the foreground until each has succeeded or failed; where a daemon runs, it "
          "does "
          "the work\n"
          "and is followed. A device whose series is open joins it. With --json every event is a line of "
          "JSON, the last one the summary.\n"
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
