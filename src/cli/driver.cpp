// `driver`: the kinds of devices that can be talked to, and tools for who writes a driver.
#include "cli/command.hpp"
#include "cli/file.hpp"
#include "cli/text.hpp"

#include <nightjar/config/driver.hpp>
#include <nightjar/config/replay.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace nightjar::cli {
namespace {

struct DriverOptions {
  std::string name, file;
};

void declare_name(CLI::App& app, DriverOptions& options) {
  app.add_option("NAME", options.name, "The driver's name")->required();
}

void declare_file(CLI::App& app, DriverOptions& options) {
  app.add_option("FILE", options.file, "A driver file (TOML)")->required();
}

void declare_replay(CLI::App& app, DriverOptions& options) {
  declare_name(app, options);
  app.add_option("TRANSCRIPT", options.file, "A recorded dialogue (JSON)")->required();
}

Result<const config::Driver*> find_driver(Context& context, const std::string& name) {
  const auto drivers = context.drivers();
  if (!drivers) return drivers.error();
  if (const config::Driver* driver = (*drivers)->find(name)) return driver;
  const std::string near = (*drivers)->suggest(name);
  return usage(fmt::format(
      "unknown driver \"{}\"{}", name,
      near.empty() ? ": see `nightjar driver list`" : fmt::format("; did you mean \"{}\"?", near)));
}

Exit list(Context& context, const NoOptions&) {
  const auto drivers = context.drivers();
  if (!drivers) return drivers.error();
  Listing all({{"name", "DRIVER"}, {"title", "FOR"}, {"status", "STATUS"}, {"source", "FROM"}});
  for (const config::Driver* driver : (*drivers)->all())
    all.add({driver->name, driver->title, driver->status, driver->source});
  context.out().list(all);
  return ExitCode::done;
}

Exit show(Context& context, const DriverOptions& options) {
  const auto driver = find_driver(context, options.name);
  if (!driver) return driver.error();
  const Output& out = context.out();
  if (out.format() == Format::table) {
    out.bytes((*driver)->toml);
    return ExitCode::done;
  }
  Json commands = Json::array();
  for (const dialogue::Section& section : (*driver)->script.sections)
    for (const std::string& command : section.commands) commands.push_back(command);
  Listing one({{"name", ""},
               {"title", ""},
               {"status", ""},
               {"source", ""},
               {"legacy_algorithms", ""},
               {"commands", ""},
               {"toml", ""}});
  one.add({(*driver)->name, (*driver)->title, (*driver)->status, (*driver)->source,
           (*driver)->legacy_algorithms, commands, (*driver)->toml});
  out.record(one);
  return ExitCode::done;
}

Exit check(Context& context, const DriverOptions& options) {
  constexpr std::size_t most_bytes = 1u << 20;
  const auto text = read_file(options.file, most_bytes);
  if (!text) return text.error();
  const std::string name = std::filesystem::path(options.file).stem().string();
  const auto driver = config::parse_driver(*text, name, options.file);
  if (!driver) return driver.error();
  const auto notes = config::lint(*driver);
  for (const std::string& note : notes) context.out().note(fmt::format("{}: note: {}", options.file, note));
  context.out().done(
      fmt::format("{} is a valid driver{}", options.file,
                  notes.empty() ? "" : fmt::format(", with {}", counted(notes.size(), "note"))),
      {{"name", driver->name}, {"title", driver->title}, {"notes", notes}});
  return ExitCode::done;
}

Exit replay(Context& context, const DriverOptions& options) {
  const auto driver = find_driver(context, options.name);
  if (!driver) return driver.error();
  constexpr std::size_t most_bytes = 64u << 20;
  const auto text = read_file(options.file, most_bytes);
  if (!text) return text.error();
  const auto report = config::replay(**driver, *text);
  if (!report) return usage(fmt::format("{}: {}", options.file, report.error().reason));
  const Output& out = context.out();
  const auto& failure = report->failure;
  if (out.format() == Format::json) {
    out.json({{"ok", !failure},
              {"class", failure ? Json(to_text(failure->failure_class)) : Json(nullptr)},
              {"stage", failure ? Json(to_text(failure->stage)) : Json(nullptr)},
              {"reason", failure ? Json(failure->reason) : Json(nullptr)},
              {"text", report->text},
              {"evidence", report->evidence},
              {"transcript", report->transcript}});
  } else {
    out.bytes(report->text.empty() ? report->evidence : report->text);
    if (failure)
      out.warn(fmt::format("nightjar: {}: {} ({}, {})", options.file, failure->reason,
                           to_text(failure->failure_class), to_text(failure->stage)));
  }
  return failure ? ExitCode::failed : ExitCode::done;
}

}  // namespace

void declare_driver(Commands& commands) {
  CLI::App& noun = commands.noun("driver", "Drivers: how to talk to one kind of device");
  commands
      .verb<NoOptions>(noun, "list", "List the drivers, built-in ones and your own", declare_nothing, list)
      .footer(
          "Your own are *.toml files in the folder `drivers` of the data folder, or where the configuration "
          "file\n"
          "says; one with the name of a built-in driver replaces it.");
  commands.verb<DriverOptions>(noun, "show", "Print a driver file: a start for your own", declare_name, show);
  commands.verb<DriverOptions>(noun, "check", "Check a driver file: every key, every pattern", declare_file,
                               check);
  commands
      .verb<DriverOptions>(noun, "replay", "Run a driver against a recorded dialogue", declare_replay, replay)
      .footer(
          "Prints the text that would be stored; exits with 1 when the driver does not get one out of the "
          "dialogue.\n"
          "The recording is a JSON object: \"login\" (all the device sends before the first command), "
          "\"dialogue\"\n"
          "(a list of \"send\" and \"reply\", a reply being echo, output and next prompt) and \"ordered\" "
          "(true: one\n"
          "session in order; false: any command in any order).");
}

}  // namespace nightjar::cli
