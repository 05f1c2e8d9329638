// `serve`: the daemon, wired to signals, the service manager, the log and a loopback listener.
#include "cli/command.hpp"
#include "cli/daemon_log.hpp"

#include <nightjar/api/health.hpp>
#include <nightjar/api/http.hpp>
#include <nightjar/api/metrics.hpp>
#include <nightjar/orchestrator/daemon.hpp>
#include <nightjar/orchestrator/postman.hpp>
#include <nightjar/runtime/notify.hpp>
#include <nightjar/runtime/spawn.hpp>
#include <nightjar/store/daemon_lock.hpp>
#include <nightjar/store/owner_lock.hpp>

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <list>
#include <optional>

namespace nightjar::cli {
namespace {

struct ServeOptions {
  std::optional<std::string> listen;
  std::optional<int> grace_seconds;
  std::string log = "text";
  bool debug = false;
};

void declare(CLI::App& app, ServeOptions& options) {
  app.add_option("--listen", options.listen, "Where /metrics, /healthz and /readyz are; none: nowhere")
      ->type_name("ADDRESS:PORT");
  app.add_option("--grace", options.grace_seconds,
                 "When stopped, let running attempts go on for so long; the rest is recorded as interrupted")
      ->type_name("SECONDS")
      ->check(CLI::Range(0, 3600));
  app.add_option("--log", options.log, "text, one line an event, or json")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_flag("--debug", options.debug, "Log the start of every attempt too");
}

struct Endpoint {
  std::string address;
  std::uint16_t port = 0;
};

// "127.0.0.1:8484", "[::1]:8484".
Result<Endpoint> parse_endpoint(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto refuse = [&] {
    return usage(fmt::format("\"{}\" is no place to listen: ADDRESS:PORT is wanted, or none", text));
  };
  if (colon == std::string_view::npos || colon == 0) return refuse();
  std::string_view address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  const std::string port{text.substr(colon + 1)};
  char* end = nullptr;
  const long number = std::strtol(port.c_str(), &end, 10);
  if (port.empty() || *end != '\0' || number < 0 || number > 65535) return refuse();
  return Endpoint{std::string{address}, static_cast<std::uint16_t>(number)};
}

// Everything the daemon needs, alive as long as it runs.
class Service {
 public:
  Service(Context& context, const ServeOptions& options, const Settings& settings,
          runtime::ServiceManager& manager, orchestrator::Site site, const std::string& owner)
      : context_(context),
        options_(options),
        settings_(settings),
        manager_(manager),
        log_(context.clock(),
             options.log == "json" ? runtime::EventLog::Format::json : runtime::EventLog::Format::text, 2,
             options.debug ? runtime::Severity::debug : runtime::Severity::info),
        daemon_(site, settings.limits, owner, runtime::system_dice(),
                {.event = [this](const orchestrator::Event& event) { log_.tell(event); },
                 .run = [this](const store::Run& run) { log_.tell(run); },
                 .trouble = [this](const Failure& failure) { log_.trouble(failure); },
                 .recovered = [this](std::size_t attempts) { log_.recovered(attempts); }}),
        courier_(context.clock()),
        postman_(site, owner, courier_,
                 {.tried = [this](const orchestrator::Delivered& tried) { log_.tell(tried); },
                  .trouble = [this](const Failure& failure) { log_.trouble(failure); }}) {}

  Result<void> listen(asio::io_context& io) {
    const std::string where = options_.listen.value_or(settings_.listen);
    if (where == "none") return {};
    const auto endpoint = parse_endpoint(where);
    if (!endpoint) return endpoint.error();
    auto opened =
        api::Listener::open(io.get_executor(), endpoint->address, endpoint->port,
                            api::routes({{"/metrics", [this](api::Request) { return metrics(); }},
                                         {"/healthz", [this](api::Request) { return health(); }},
                                         {"/readyz", [this](api::Request) { return readiness(); }}}));
    if (!opened) return std::move(opened).error();
    listener_ = std::move(*opened);
    const bool bare = endpoint->address.find(':') == std::string::npos;
    address_ =
        fmt::format("{}:{}", bare ? endpoint->address : "[" + endpoint->address + "]", listener_->port());
    return {};
  }

  Task<Result<void>> run(asio::io_context& io) {
    auto prepared = co_await daemon_.prepare(address_);
    if (!prepared) co_return prepared;
    signals_.emplace(io, SIGTERM, SIGINT);
    signals_->add(SIGHUP);
    wait_for_signal();
    timer_.emplace(io);
    runtime::spawn_logged(io.get_executor(), "watchdog", watch());
    runtime::spawn_logged(io.get_executor(), "postman", postman_.run());
    ready_ = true;
    manager_.ready();
    log_.started(address_);
    auto ran = co_await daemon_.run();
    ready_ = false;
    over_ = true;
    postman_.stop();
    courier_.stop();  // what is under way is tried again by the next process
    timer_->cancel();
    signals_->cancel();
    if (listener_) listener_->close();
    log_.stopped();
    co_return ran;
  }

 private:
  Task<api::Response> metrics() {
    auto status = co_await daemon_.status();
    if (status) co_return api::metrics(*status);
    co_return api::plain(503, status.error().reason);
  }
  Task<api::Response> health() { co_return api::healthz(); }
  Task<api::Response> readiness() {
    api::Readiness readiness{.ready = ready_ && !stopping_ && daemon_.is_alive()};
    if (!readiness.ready)
      readiness.why_not = stopping_ ? "stopping" : ready_ ? "the loop does not come round" : "starting";
    co_return api::readyz(readiness);
  }

  Task<void> watch() {
    constexpr Milliseconds status_every{5000};
    const Milliseconds every = std::min(manager_.watchdog_interval().value_or(status_every), status_every);
    while (!over_) {
      if (daemon_.is_alive()) manager_.watchdog();
      manager_.status(fmt::format("{} sessions open", daemon_.running()));
      timer_->expires_after(every);
      co_await timer_->async_wait(as_result);
    }
  }

  void wait_for_signal() {
    signals_->async_wait([this](boost::system::error_code error, int signal) {
      if (error) return;
      if (signal == SIGHUP)
        reload();
      else
        stop();
      wait_for_signal();
    });
  }

  // The second one asks no more.
  void stop() {
    const Seconds grace{options_.grace_seconds.value_or(settings_.grace_seconds)};
    manager_.stopping();
    log_.stopping(stopping_ ? Seconds{0} : grace, daemon_.running());
    daemon_.stop(std::exchange(stopping_, true) ? Seconds{0} : grace);
  }

  // What cannot be read changes nothing.
  void reload() {
    manager_.reloading();
    auto settings = context_.read_settings_again();
    auto drivers = settings ? context_.read_drivers_again(*settings) : settings.error();
    if (drivers) {
      drivers_.push_back(std::move(*drivers));  // attempts under way point into the ones before
      daemon_.use(drivers_.back(), settings->limits);
      log_.reloaded();
    } else {
      log_.trouble(drivers.error());
    }
    manager_.ready();
  }

  Context& context_;
  const ServeOptions& options_;
  const Settings& settings_;
  runtime::ServiceManager& manager_;
  DaemonLog log_;
  std::list<config::Drivers> drivers_;
  orchestrator::Daemon daemon_;
  delivery::Courier courier_;
  orchestrator::Postman postman_;
  std::unique_ptr<api::Listener> listener_;
  std::string address_;
  std::optional<asio::signal_set> signals_;
  std::optional<asio::steady_timer> timer_;
  bool ready_ = false, stopping_ = false, over_ = false;
};

Exit serve(Context& context, const ServeOptions& options) {
  auto manager = runtime::ServiceManager::from_environment();
  const auto folder = context.data_folder();
  if (!folder) return folder.error();
  const auto settings = context.settings();
  if (!settings) return settings.error();
  const auto drivers = context.drivers();
  if (!drivers) return drivers.error();
  const auto vault = context.vault();
  if (!vault) return vault.error();
  auto database = context.take_database();
  if (!database) return database.error();
  const auto only = store::DaemonLock::acquire(*folder);
  if (!only) return only.error();
  const auto lock = store::OwnerLock::acquire(*folder);
  if (!lock) return lock.error();

  asio::io_context io{1};
  store::Worker worker{std::move(*database)};
  Service service{context,
                  options,
                  **settings,
                  manager,
                  orchestrator::Site{worker, **vault, **drivers, context.clock(), *folder},
                  lock->name()};
  if (auto listens = service.listen(io); !listens) return listens.error();
  std::optional<Result<void>> ended;
  std::exception_ptr bug;
  auto all = [](Task<Result<void>> task, std::optional<Result<void>>& into) -> Task<void> {
    auto result = co_await std::move(task);
    into = std::move(result);
  };
  runtime::spawn_logged(io.get_executor(), "serve", all(service.run(io), ended),
                        [&](std::exception_ptr error) {
                          bug = error;
                          io.stop();
                        });
  io.run();
  if (bug) std::rethrow_exception(bug);
  if (!*ended) return ended->error();
  return ExitCode::done;
}

}  // namespace

void declare_serve(Commands& commands) {
  commands.verb<ServeOptions>("serve", "Run the daemon: schedules, retries, figures", declare, serve)
      .footer(
          "Fires every schedule at its time, drives each series to its end and goes on where it stopped, "
          "however "
          "it stopped.\n"
          "Only one daemon runs on a data folder; commands work beside it, and what they change counts "
          "within a "
          "second.\n"
          "SIGHUP reads configuration file and drivers again; SIGTERM and ^C stop it, a second time at "
          "once.\n\n"
          "  nightjar serve\n"
          "  nightjar serve --listen 127.0.0.1:9090 --log json");
}

}  // namespace nightjar::cli
