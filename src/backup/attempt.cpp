#include "backup/conversation.hpp"

#include <nightjar/backup/attempt.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace nightjar::backup {
namespace {

std::vector<Secret> secrets_of(const Plan& plan) {
  std::vector<Secret> secrets;
  for (const Secret* secret : {&plan.credential.password, &plan.enable_password})
    if (!secret->empty()) secrets.push_back(*secret);
  return secrets;
}

// Opens the session, talks, and judges what came. Returns with the session still open.
Task<void> talk(const Plan& plan, const Progress& progress, dialogue::Transcript& transcript,
                std::unique_ptr<ssh::Session>& session, Report& report) {
  auto opened = co_await ssh::Session::open(plan.target, plan.credential, plan.limits, plan.deadline);
  if (!opened) {
    report.failure = std::move(opened).error();
    co_return;
  }
  session = std::move(*opened);
  report.host_key = session->host_key();
  report.algorithms = session->algorithms();
  progress(Stage::auth,
           fmt::format("logged in to {} as {}; host key {} {}", session->peer(), plan.credential.username,
                       report.host_key->type, report.host_key->fingerprint));

  Conversation conversation{*session, plan, transcript, progress};
  auto sections = co_await conversation.run();
  if (!sections) {
    report.failure = std::move(sections).error();
    report.evidence = conversation.take_evidence();
    co_return;
  }
  report.text = config::whole_text(*plan.driver, *sections);
  report.failure = revision::verify(report.text, plan.driver->text, plan.last_good);
  if (report.failure) report.evidence = std::exchange(report.text, {});
}

}  // namespace

Task<Report> attempt(Plan plan, Progress progress) {
  Report report;
  progress = [&report, told = std::move(progress)](Stage stage, std::string_view words) {
    if (stage == Stage::command && !report.let_in_at) report.let_in_at = std::chrono::steady_clock::now();
    if (told) told(stage, words);
  };
  const std::size_t most = std::max(plan.transcript_limit, dialogue::transcript_tail_bytes);
  dialogue::Transcript transcript{secrets_of(plan), most};
  std::unique_ptr<ssh::Session> session;
  // Cancelled means: the wait at hand, or the next one, throws; the closing below must not be cancelled with
  // it.
  try {
    co_await talk(plan, progress, transcript, session, report);
  } catch (const boost::system::system_error& e) {
    if (e.code() != asio::error::operation_aborted) throw;
    report.failure = failure(FailureClass::local, Stage::none, "the attempt was given up");
  }
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  if (session && report.failure) co_await session->close();
  if (session && !report.failure) co_await session->close(farewell);

  if (plan.transcript_limit > 0) report.transcript = transcript.text();
  if (report.failure && report.failure->transcript_tail.empty())
    report.failure->transcript_tail = transcript.tail();
  co_return report;
}

}  // namespace nightjar::backup
