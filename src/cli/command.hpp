// How a noun gets its verbs: each verb is an options struct, a function that declares the options and one
// that acts on them. Parsing only notes which verb was chosen; nothing is opened or touched before the whole
// line has been understood.
#pragma once
#include "cli/context.hpp"
#include "cli/exit_code.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace nightjar::cli {

struct NoOptions {};

class Commands {
 public:
  explicit Commands(CLI::App& root) : root_(root) {}

  CLI::App& noun(const std::string& name, const std::string& description) {
    CLI::App* app = root_.add_subcommand(name, description);
    app->require_subcommand(1);
    return *app;
  }

  template <class Options>
  CLI::App& verb(CLI::App& noun, const std::string& name, const std::string& description,
                 void (*declare)(CLI::App&, Options&), Exit (*act)(Context&, const Options&)) {
    CLI::App* app = noun.add_subcommand(name, description);
    app->require_subcommand(0);
    auto options = std::make_shared<Options>();
    declare(*app, *options);
    app->callback([this, app, act, options] {
      if (!app->get_subcommands().empty()) return;  // a verb below it was chosen
      chosen_ = [act, options](Context& context) { return act(context, *options); };
    });
    return *app;
  }

  // A verb that stands alone: `nightjar init`.
  template <class Options>
  CLI::App& verb(const std::string& name, const std::string& description,
                 void (*declare)(CLI::App&, Options&), Exit (*act)(Context&, const Options&)) {
    return verb<Options>(root_, name, description, declare, act);
  }

  const std::function<Exit(Context&)>& chosen() const { return chosen_; }

 private:
  CLI::App& root_;
  std::function<Exit(Context&)> chosen_;
};

inline void declare_nothing(CLI::App&, NoOptions&) {}

// The nouns, one file each.
void declare_init(Commands&);
void declare_customer(Commands&);
void declare_credential(Commands&);
void declare_device(Commands&);
void declare_rule(Commands&);
void declare_schedule(Commands&);
void declare_limits(Commands&);
void declare_backup(Commands&);
void declare_series(Commands&);
void declare_config(Commands&);
void declare_driver(Commands&);
void declare_hostkey(Commands&);
void declare_db(Commands&);
void declare_doctor(Commands&);
void declare_lab(Commands&);
void declare_serve(Commands&);
void declare_status(Commands&);
void declare_report(Commands&);
void declare_alert(Commands&);
void declare_mail(Commands&);
void declare_destination(Commands&);
void declare_delivery(Commands&);

}  // namespace nightjar::cli
