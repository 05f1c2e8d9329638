#include "cli/test_message.hpp"

#include "cli/address.hpp"
#include "cli/text.hpp"

#include <nightjar/delivery/payload.hpp>
#include <nightjar/orchestrator/letter.hpp>
#include <nightjar/runtime/spawn.hpp>

#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <optional>
#include <random>

namespace nightjar::cli {
namespace {

constexpr std::string_view subject = "Nightjar test message";
constexpr std::string_view words =
    "This is a test that somebody asked for. Nothing has failed, and nothing is to be done.";

std::string new_event_id() {
  std::random_device random;
  std::string id = "msg_";
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", random());
  return id;
}

std::string body(const store::Destination& destination, const std::string& event_id, UtcTime now) {
  delivery::Notice notice;
  notice.id = event_id;
  notice.type = alerting::to_text(alerting::Event::test);
  notice.at = now;
  notice.customer = destination.customer_name;
  notice.headline = subject;
  notice.lines = {std::string{words}};
  notice.data = {{"test", true},
                 {"customer", destination.customer_name.empty() ? nlohmann::json(nullptr)
                                                                : nlohmann::json(destination.customer_name)},
                 {"headline", subject},
                 {"lines", notice.lines}};
  switch (destination.preset) {
    case store::Preset::generic:
      break;
    case store::Preset::slack:
      return delivery::slack(notice);
    case store::Preset::teams:
      return delivery::teams(notice);
  }
  return delivery::generic(notice);
}

store::Content content(const store::Destination& destination, const std::string& event_id, UtcTime now) {
  store::Content content;
  content.subject = subject;
  content.text = fmt::format("{}\n\nSent by Nightjar at {}.\n", words, to_rfc3339(now));
  content.body = body(destination, event_id, now);
  return content;
}

Task<void> send_into(delivery::Courier& courier, orchestrator::Letter letter,
                     std::optional<delivery::Answer>& into) {
  auto answer = co_await orchestrator::send(courier, std::move(letter));
  into = std::move(answer);
}

// Empty: interrupted.
std::optional<delivery::Answer> send_now(const runtime::Clock& clock, orchestrator::Letter letter) {
  std::optional<delivery::Answer> answer;
  std::exception_ptr bug;
  asio::io_context io{1};
  delivery::Courier courier{clock};
  asio::signal_set signals{io, SIGINT, SIGTERM};
  signals.async_wait([&](boost::system::error_code error, int) {
    if (!error) io.stop();
  });
  runtime::spawn_logged(io.get_executor(), "test message", send_into(courier, std::move(letter), answer),
                        [&](std::exception_ptr error) {
                          bug = error;
                          signals.cancel();
                        });
  io.run();
  if (bug) std::rethrow_exception(bug);
  return answer;
}

Json json(const store::Destination& destination, const std::string& event_id, const delivery::Answer& answer,
          bool delivered) {
  Json left_out = Json::array();
  for (const delivery::LeftOut& left : answer.left_out)
    left_out.push_back(
        {{"address", left.address}, {"verdict", delivery::to_text(left.verdict)}, {"said", left.said}});
  return {{"delivered", delivered},
          {"destination", destination.id ? Json(destination.id.value) : Json(nullptr)},
          {"address", shown_address(destination.address)},
          {"event_id", event_id},
          {"verdict", delivery::to_text(answer.verdict)},
          {"status", answer.status == 0 ? Json(nullptr) : Json(answer.status)},
          {"detail", answer.detail},
          {"left_out", std::move(left_out)}};
}

void tell(const Output& out, const store::Destination& destination, const delivery::Answer& answer) {
  out.line(fmt::format(
      "{} to {}: {}",
      answer.verdict == delivery::Verdict::delivered ? "the test message went" : "no test message went",
      printable(shown_address(destination.address)), printable(answer.detail)));
  for (const delivery::LeftOut& left : answer.left_out)
    out.line(fmt::format("not to {}: {}", printable(left.address), printable(left.said)));
}

}  // namespace

Exit send_test(Context& context, const store::Destination& destination) {
  const Output& out = context.out();
  if (out.format() == Format::csv) return usage("a test writes table or json, not csv");
  const auto db = context.database();
  if (!db) return db.error();
  const auto vault = context.vault();
  if (!vault) return vault.error();
  const auto mail_server = store::Destinations{**db}.mail_server();
  if (!mail_server) return mail_server.error();
  const std::string event_id = new_event_id();
  const UtcTime now = context.now();
  auto letter = orchestrator::letter(destination, content(destination, event_id, now), event_id, *mail_server,
                                     **vault, now);
  if (!letter) return letter.error();
  const auto answer = send_now(context.clock(), std::move(*letter));
  if (!answer) return ExitCode::interrupted;
  const bool delivered = answer->verdict == delivery::Verdict::delivered && answer->left_out.empty();
  if (out.format() == Format::json)
    out.json(json(destination, event_id, *answer, delivered));
  else
    tell(out, destination, *answer);
  return delivered ? ExitCode::done : ExitCode::failed;
}

}  // namespace nightjar::cli
