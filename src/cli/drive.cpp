#include "cli/drive.hpp"

#include "cli/narrator.hpp"
#include "cli/status_line.hpp"

#include <nightjar/orchestrator/postman.hpp>
#include <nightjar/runtime/spawn.hpp>
#include <nightjar/store/outbox.hpp>
#include <nightjar/store/owner_lock.hpp>

#include <csignal>
#include <cstdlib>
#include <optional>

namespace nightjar::cli {
namespace {

using orchestrator::Runner;
using orchestrator::Summary;

Task<void> keep(Task<Result<Summary>> task, std::optional<Result<Summary>>& into) {
  auto summary = co_await std::move(task);
  into = std::move(summary);
}

// The first signal asks, the second does not.
class StopSignals {
 public:
  StopSignals(asio::io_context& io, Runner& runner, StatusLine& status, const Output& out)
      : signals_(io, SIGINT, SIGTERM), runner_(runner), status_(status), out_(out) {
    wait();
  }
  void forget() { signals_.cancel(); }
  bool came() const { return came_; }

 private:
  void wait() {
    signals_.async_wait([this](boost::system::error_code error, int) {
      if (error) return;
      // Everything that was decided is in the database; nothing here is worth waiting for.
      if (came_) std::_Exit(static_cast<int>(ExitCode::interrupted));
      came_ = true;
      status_.clear();
      out_.note(
          "stopping: running attempts are given up and recorded as interrupted; ^C again to stop at once");
      runner_.stop();
      wait();
    });
  }

  asio::signal_set signals_;
  Runner& runner_;
  StatusLine& status_;
  const Output& out_;
  bool came_ = false;
};

// Without a daemon nobody else would tell anyone: each message gets its first try before the command ends.
constexpr Seconds telling_takes_at_most{30};

Result<void> tell(asio::io_context& io, const orchestrator::Site& site, const std::string& owner,
                  store::Database& book, const Output& out) {
  store::Outbox outbox{book};
  const auto next = outbox.next_at();
  if (!next) return next.error();
  if (!*next) return {};
  delivery::Courier courier{site.clock};
  orchestrator::Postman postman{
      site,
      owner,
      courier,
      {.tried =
           [&](const orchestrator::Delivered& tried) {
             if (tried.answer.verdict != delivery::Verdict::delivered)
               out.warn("not delivered: " + tried.answer.detail + "; see `nightjar delivery list`");
           },
       .trouble = [&](const Failure& failure) { out.warn(failure.reason); }}};
  std::exception_ptr bug;
  runtime::spawn_logged(io.get_executor(), "telling", postman.flush(telling_takes_at_most),
                        [&](std::exception_ptr error) { bug = error; });
  io.restart();
  io.run();
  if (bug) std::rethrow_exception(bug);
  return {};
}

ExitCode exit_of(const Summary& summary, bool stopped) {
  if (stopped) return ExitCode::interrupted;
  if (summary.failed > 0) return ExitCode::failed;
  return summary.series == 0 ? ExitCode::nothing_to_do : ExitCode::done;
}

}  // namespace

Exit drive(Context& context, const LimitOptions& flags, const Work& work) {
  const auto folder = context.data_folder();
  if (!folder) return folder.error();
  const auto settings = context.settings();
  if (!settings) return settings.error();
  const auto drivers = context.drivers();
  if (!drivers) return drivers.error();
  const auto vault = context.vault();
  if (!vault) return vault.error();
  const auto lock = store::OwnerLock::acquire(*folder);
  if (!lock) return lock.error();
  auto database = context.take_database();
  if (!database) return database.error();
  const auto book = context.database();  // opened anew: the first one goes to the worker
  if (!book) return book.error();

  const Output& out = context.out();
  asio::io_context io{1};
  store::Worker worker{std::move(*database)};
  Runner* progress_of = nullptr;
  StatusLine status{io, [&] { return status_text(progress_of->progress(), context.now()); }};
  Narrator narrator{out, **book, [&] { status.clear(); }};
  const orchestrator::Site site{worker, **vault, **drivers, context.clock(), *folder};
  Runner runner{site, with((*settings)->limits, flags), lock->name(), runtime::system_dice(),
                [&](const orchestrator::Event& event) { narrator.tell(event); }};
  progress_of = &runner;
  StopSignals signals{io, runner, status, out};

  std::optional<Result<Summary>> ended;
  std::exception_ptr bug;
  runtime::spawn_logged(io.get_executor(), "backup", keep(work(runner), ended),
                        [&](std::exception_ptr error) {
                          bug = error;
                          signals.forget();
                          status.stop();
                        });
  if (out.shows_progress()) status.start();
  io.run();
  if (bug) std::rethrow_exception(bug);
  if (!*ended) return ended->error();
  const Summary& summary = **ended;
  narrator.sum_up(summary);
  if (!signals.came())
    if (const auto told = tell(io, site, lock->name(), **book, out); !told) out.warn(told.error().reason);
  if (signals.came() && summary.left_open > 0) out.note("go on with `nightjar backup --resume`");
  return exit_of(summary, signals.came());
}

}  // namespace nightjar::cli
