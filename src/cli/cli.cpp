#include "cli/command.hpp"
#include "cli/text.hpp"

#include <nightjar/cli/cli.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>

namespace nightjar::cli {
namespace {

constexpr std::array nouns{declare_init,     declare_customer, declare_credential, declare_device,
                           declare_rule,     declare_schedule, declare_limits,     declare_backup,
                           declare_series,   declare_config,   declare_serve,      declare_status,
                           declare_report,   declare_alert,    declare_mail,       declare_destination,
                           declare_delivery, declare_driver,   declare_hostkey,    declare_db,
                           declare_doctor,   declare_lab};

void declare_globals(CLI::App& app, GlobalFlags& flags) {
  const char* group = "Global flags (with every command)";
  app.add_option("--data", flags.data,
                 "Data folder; /var/lib/nightjar when that can be written, else $XDG_DATA_HOME/nightjar")
      ->type_name("DIR")
      ->envname("NIGHTJAR_DATA")
      ->group(group);
  app.add_option("--config", flags.config, "Configuration file; /etc/nightjar/nightjar.toml if present")
      ->type_name("FILE")
      ->envname("NIGHTJAR_CONFIG")
      ->group(group);
  app.add_option("--output", flags.output, "table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->type_name("FORMAT")
      ->group(group);
  app.add_flag("--json", flags.json, "Short for --output json")->group(group);
  app.add_flag("--quiet", flags.quiet, "Only results and errors")->group(group);
  app.add_flag("--verbose", flags.verbose, "More about what happens")->group(group);
  app.add_flag("--no-progress", flags.no_progress, "No status line on a terminal")->group(group);
}

Result<Output::Manner> manner_of(const GlobalFlags& flags) {
  if (flags.json && !flags.output.empty() && flags.output != "json")
    return usage("--json and --output " + flags.output + " contradict each other");
  if (flags.quiet && flags.verbose) return usage("--quiet and --verbose contradict each other");
  Output::Manner manner;
  manner.format = flags.json || flags.output == "json" ? Format::json
                  : flags.output == "csv"              ? Format::csv
                                                       : Format::table;
  manner.quiet = flags.quiet;
  manner.verbose = flags.verbose;
  manner.progress = !flags.no_progress;
  return manner;
}

// The innermost command that was understood: where the error is, and whose help to look at.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() ? path_of(*app.get_parent()) + " " + app.get_name() : "nightjar";
}

std::vector<std::string> names_below(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::App* at = &app; at; at = at->get_parent())
    for (const CLI::Option* option : at->get_options())
      if (!option->get_lnames().empty()) flags.push_back("--" + option->get_lnames().front());
  return flags;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

int complain(std::string_view sentence) {
  fmt::print(stderr, "nightjar: {}\n", printable(sentence));
  return static_cast<int>(ExitCode::setup);
}

// What the parser could not make sense of, in our words.
int refuse(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& at = innermost(root);
  const std::string see = fmt::format("see `{} --help`", path_of(at));
  const std::vector<std::string> below = names_below(at);
  const std::vector<std::string> extra = root.remaining(true);
  if (!extra.empty()) {
    const std::string& word = extra.front();
    if (word.starts_with("-") && word.size() > 1)
      return complain(fmt::format("unknown flag {}{} ({})", word,
                                  did_you_mean(word.substr(0, word.find('=')), flags_of(at)), see));
    if (!below.empty()) {
      const std::string near = did_you_mean(word, below);
      return complain(fmt::format("unknown command \"{} {}\"{} ({})", path_of(at), word,
                                  near.empty() ? ": known are " + join(below) : near, see));
    }
    return complain(fmt::format("{}: \"{}\" is one argument too many ({})", path_of(at), word, see));
  }
  if (!below.empty()) return complain(fmt::format("{} wants one of: {} ({})", path_of(at), join(below), see));
  return complain(fmt::format("{}: {} ({})", path_of(at), error.what(), see));
}

int run_chosen(Context& context, const std::function<Exit(Context&)>& command) {
  const Exit exit = command(context);
  // A reader that went away (`| head`) has had enough; that needs no words.
  if (const int error = context.out().flush(); error == EPIPE && exit)
    return static_cast<int>(ExitCode::setup);
  else if (error != 0 && exit)
    return complain(fmt::format("cannot write to standard output: {}", std::strerror(error)));
  if (!exit) return complain(exit.error().reason);
  return static_cast<int>(*exit);
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app{"Backs up the configurations of network devices and says why one failed.", "nightjar"};
  app.fallthrough();  // global flags work anywhere on the line
  app.set_version_flag("--version", "nightjar " NIGHTJAR_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Results go to standard output, all else to standard error.\n"
      "Exit codes: 0 done; 1 failed after retries; 2 nothing to do; 3 usage, configuration or set-up error;\n"
      "130 interrupted.");
  GlobalFlags flags;
  declare_globals(app, flags);
  Commands commands{app};
  for (const auto declare : nouns) declare(commands);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return static_cast<int>(ExitCode::done);
  } catch (const CLI::Success&) {
    fmt::print("{}", app.help());  // of the innermost command that was named
    return static_cast<int>(ExitCode::done);
  } catch (const CLI::ParseError& error) {
    return refuse(app, error);
  }

  const auto manner = manner_of(flags);
  if (!manner) return complain(manner.error().reason);
  try {
    Context context{flags, *manner};
    return run_chosen(context, commands.chosen());
  } catch (const std::exception& bug) {
    return complain(fmt::format("internal error, please report it: {}", bug.what()));
  }
}

}  // namespace nightjar::cli
