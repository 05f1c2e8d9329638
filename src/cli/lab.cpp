// `lab`: a simulated fleet over real SSH on loopback, to try things on.
#include "cli/command.hpp"

#include <nightjar/lab/serve.hpp>

namespace nightjar::cli {
namespace {

void declare_serve(CLI::App& app, lab::ServeOptions& options) {
  app.add_option("--plan", options.plan_file, "A plan file (JSON); the demo fleet when not said")
      ->type_name("FILE");
  app.add_option("--devices", options.devices, "So many devices without faults, instead of a plan")
      ->type_name("N");
  app.add_option("--address", options.address, "Where to listen")
      ->type_name("ADDRESS")
      ->capture_default_str();
  app.add_option("--base-port", options.base_port, "Device i listens on this port + i; 0: any free ports")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--inventory", options.inventory_file, "Write a CSV for `nightjar device import`")
      ->type_name("FILE");
  app.add_option("--log", options.log_file, "Append what happens, as JSON Lines")->type_name("FILE");
  app.add_option("--ready-file", options.ready_file, "Written when all listen")->type_name("FILE");
  app.add_option("--host-key", options.host_key_file, "Keep the fleet's host key here between runs")
      ->type_name("FILE");
}

Exit serve(Context& context, const lab::ServeOptions& options) {
  lab::ServeOptions asked = options;
  asked.quiet = context.out().quiet();
  return static_cast<ExitCode>(lab::serve(asked));
}

}  // namespace

void declare_lab(Commands& commands) {
  CLI::App& noun = commands.noun("lab", "A simulated fleet to try things on");
  commands
      .verb<lab::ServeOptions>(noun, "serve", "Run simulated devices over real SSH until ^C", declare_serve,
                               serve)
      .footer(
          "Prints where each device listens and which credentials fit.\n"
          "  nightjar lab serve --inventory lab.csv");
}

}  // namespace nightjar::cli
