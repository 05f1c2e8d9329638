// `device test`: one attempt, told as it goes, nothing stored. The host key it sees is compared with the
// pinned one but not pinned.
#include "cli/device.hpp"

#include "cli/names.hpp"
#include "cli/text.hpp"

#include <nightjar/backup/attempt.hpp>
#include <nightjar/orchestrator/plan.hpp>
#include <nightjar/runtime/spawn.hpp>
#include <nightjar/store/series_book.hpp>

#include <fmt/format.h>

#include <csignal>
#include <optional>

namespace nightjar::cli {
namespace {

constexpr std::size_t transcript_bytes = 4u << 20;

struct TestOptions {
  std::string name;
  bool transcript = false;
};

void declare(CLI::App& app, TestOptions& options) {
  app.add_option("DEVICE", options.name, "CUSTOMER/DEVICE")->required();
  app.add_flag("--transcript", options.transcript, "Print the dialogue as well, secrets masked");
}

// One session per device at any time, a test's included.
Result<void> refuse_while_running(store::Database& db, const store::Device& device) {
  store::SeriesQuery query;
  query.devices = {device.id};
  query.open_only = true;
  const auto open = store::SeriesBook{db}.list(query);
  if (!open) return open.error();
  for (const store::SeriesRow& row : *open)
    if (row.machine.state == series::State::running)
      return usage(fmt::format("a backup of {} is running (series {}): test it when that has ended",
                               full_name(device), row.id.value));
  return {};
}

struct Step {
  Stage stage;
  std::string words;
  Milliseconds after;
};

Task<void> attempt_into(backup::Plan plan, backup::Progress progress, std::optional<backup::Report>& into) {
  auto report = co_await backup::attempt(std::move(plan), std::move(progress));
  into = std::move(report);
}

Json json(const backup::Report& report, const std::vector<Step>& stages, Milliseconds took,
          bool with_transcript) {
  Json steps = Json::array();
  for (const Step& s : stages)
    steps.push_back({{"stage", to_text(s.stage)}, {"words", s.words}, {"elapsed_ms", s.after.count()}});
  Json object{{"ok", !report.failure},
              {"class", nullptr},
              {"stage", nullptr},
              {"reason", nullptr},
              {"transport", report.transport}};
  if (report.failure) {
    object["class"] = to_text(report.failure->failure_class);
    object["stage"] = to_text(report.failure->stage);
    object["reason"] = report.failure->reason;
  }
  object["bytes"] = report.failure ? Json(nullptr) : Json(report.text.size());
  object["lines"] = report.failure ? Json(nullptr) : Json(revision::count_lines(report.text));
  object["host_key"] = nullptr;
  if (report.host_key)
    object["host_key"] = {{"type", report.host_key->type}, {"fingerprint", report.host_key->fingerprint}};
  object["legacy_algorithms"] = report.algorithms == ssh::Algorithms::legacy;
  object["duration_ms"] = took.count();
  object["stages"] = std::move(steps);
  if (with_transcript) object["transcript"] = report.transcript;
  return object;
}

// Line ends stay; every other control character is shown, not obeyed.
void print_transcript(const Output& out, std::string_view transcript) {
  while (!transcript.empty()) {
    const std::size_t end = std::min(transcript.find('\n'), transcript.size());
    out.line("  | " + printable(transcript.substr(0, end)));
    transcript.remove_prefix(std::min(end + 1, transcript.size()));
  }
}

ExitCode tell(const Output& out, const store::Device& device, const backup::Report& report, Milliseconds took,
              bool transcript) {
  if (transcript) print_transcript(out, report.transcript);
  if (report.failure) {
    out.line(fmt::format("{} failed at {} after {}: {} ({})", full_name(device),
                         to_text(report.failure->stage), to_span(took), printable(report.failure->reason),
                         to_text(report.failure->failure_class)));
    return ExitCode::failed;
  }
  out.line(fmt::format("{} is fine: {} bytes, {} lines in {}; nothing was stored", full_name(device),
                       grouped(report.text.size()), grouped(revision::count_lines(report.text)),
                       to_span(took)));
  return ExitCode::done;
}

Exit test(Context& context, const TestOptions& options) {
  const auto vault = context.vault();
  if (!vault) return vault.error();
  const auto drivers = context.drivers();
  if (!drivers) return drivers.error();
  const auto db = context.database_with_series();
  if (!db) return db.error();
  const auto device = find_device(**db, options.name);
  if (!device) return device.error();
  if (const auto free = refuse_while_running(**db, *device); !free) return free.error();
  const auto rule = store::Inventory{**db}.retry_rule({rules::Level::device, device->customer, device->id});
  if (!rule) return rule.error();
  auto plan = orchestrator::Planner{**vault, **drivers}.plan(**db, *device);
  if (!plan) return plan.error();

  const auto began = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - began);
  };
  plan->deadline = began + rule->rule.attempt_timeout.value;
  if (options.transcript) plan->transcript_limit = transcript_bytes;

  const Output& out = context.out();
  const bool for_people = out.format() == Format::table;
  std::vector<Step> stages;
  const backup::Progress progress = [&](Stage stage, std::string_view words) {
    stages.push_back({stage, std::string{words}, elapsed()});
    if (for_people && !out.quiet())
      out.line(fmt::format("{:>9}  {:<9}  {}", to_span(elapsed()), to_text(stage), printable(words)));
  };

  std::optional<backup::Report> report;
  std::exception_ptr bug;
  asio::io_context io{1};
  asio::signal_set signals{io, SIGINT, SIGTERM};
  signals.async_wait([&](boost::system::error_code error, int) {
    if (!error) io.stop();
  });
  runtime::spawn_logged(io.get_executor(), "device test", attempt_into(std::move(*plan), progress, report),
                        [&](std::exception_ptr error) {
                          bug = error;
                          signals.cancel();
                        });
  io.run();
  if (bug) std::rethrow_exception(bug);
  if (!report) return ExitCode::interrupted;
  if (for_people) return tell(out, *device, *report, elapsed(), options.transcript);
  out.json(json(*report, stages, elapsed(), options.transcript));
  return report->failure ? ExitCode::failed : ExitCode::done;
}

}  // namespace

void declare_device_test(Commands& commands, CLI::App& noun) {
  commands
      .verb<TestOptions>(noun, "test", "Back a device up once, for real, and store nothing", declare, test)
      .footer(
          "Says each stage as it is reached. Exits with 0 when a whole configuration was read, with 1 when "
          "not.\n"
          "Nothing is stored and no host key is pinned; a pinned one must fit.");
}

}  // namespace nightjar::cli
