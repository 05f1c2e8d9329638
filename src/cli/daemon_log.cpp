#include "cli/daemon_log.hpp"

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

using orchestrator::Event;
using orchestrator::EventKind;
using runtime::Severity;

std::string name_of(const Event& event) {
  return event.customer + "/" + event.device;
}

template <class T>
std::optional<std::string_view> text_of(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return to_text(*value);
}

// A failed attempt is a warning, a failed series an error; what went well is for the curious.
Severity severity_of(const Event& event) {
  if (event.kind == EventKind::attempt_started) return Severity::debug;
  if (event.kind == EventKind::attempt_ended)
    return event.outcome == series::Outcome::success ? Severity::debug : Severity::warning;
  return event.state == series::State::failed ? Severity::error : Severity::info;
}

std::string_view kind_of(const Event& event) {
  switch (event.kind) {
    case EventKind::attempt_started:
      return "attempt.started";
    case EventKind::attempt_ended:
      return "attempt.ended";
    case EventKind::series_ended:
      break;
  }
  return "series.ended";
}

}  // namespace

void DaemonLog::tell(const Event& event) const {
  const Failure* failure = event.failure ? &*event.failure : nullptr;
  const auto of_failure = [&](auto part) {
    return failure ? std::optional<std::string_view>{part(*failure)} : std::nullopt;
  };
  std::optional<std::string_view> transport;
  if (!event.transport.empty()) transport = event.transport;
  log_.write(severity_of(event), kind_of(event), name_of(event),
             {{"customer", event.customer},
              {"device", event.device},
              {"series", event.series.value},
              {"attempt", event.attempt},
              {"outcome", text_of(event.outcome)},
              {"state", series::to_text(event.state)},
              {"end", text_of(event.end)},
              {"class", of_failure([](const Failure& f) { return nightjar::to_text(f.failure_class); })},
              {"stage", of_failure([](const Failure& f) { return nightjar::to_text(f.stage); })},
              {"reason", of_failure([](const Failure& f) { return std::string_view{f.reason}; })},
              {"transport", transport},
              {"next_attempt_at", event.next_attempt_at},
              {"changed", event.changed},
              {"duration_ms", event.duration.count()}});
}

void DaemonLog::tell(const store::Run& run) const {
  log_.write(run.kind == store::RunKind::on_time ? Severity::info : Severity::warning, "run.fired",
             fmt::format("scheduled for {}, {}", to_rfc3339(run.scheduled_for), to_text(run.kind)),
             {{"customer_id", run.customer.value},
              {"run", run.id.value},
              {"scheduled_for", run.scheduled_for},
              {"kind", to_text(run.kind)}});
}

// The address is left out: the path of a webhook's URL is often a secret.
void DaemonLog::tell(const orchestrator::Delivered& tried) const {
  const auto& [message, answer, next_try] = tried;
  const bool delivered = answer.verdict == delivery::Verdict::delivered;
  log_.write(delivered  ? Severity::info
             : next_try ? Severity::warning
                        : Severity::error,
             "delivery.tried", answer.detail,
             {{"delivery", message.id.value},
              {"event_id", message.event_id},
              {"told", alerting::to_text(message.event)},
              {"customer", message.customer_name},
              {"destination", message.destination.value},
              {"try", message.tries},
              {"verdict", delivery::to_text(answer.verdict)},
              {"status", answer.status},
              {"next_try_at", next_try}});
}

void DaemonLog::trouble(const Failure& failure) const {
  log_.write(
      Severity::error, "daemon.trouble", failure.reason,
      {{"class", nightjar::to_text(failure.failure_class)}, {"stage", nightjar::to_text(failure.stage)}});
}

void DaemonLog::recovered(std::size_t attempts) const {
  log_.write(Severity::warning, "daemon.recovered",
             "attempts of a process that died were recorded as interrupted", {{"attempts", attempts}});
}

void DaemonLog::started(const std::string& address) const {
  log_.write(Severity::notice, "daemon.started",
             address.empty() ? std::string{"ready, without a listener"} : "ready on " + address,
             {{"version", NIGHTJAR_VERSION}});
}

void DaemonLog::stopping(Seconds grace, std::size_t running) const {
  log_.write(Severity::notice, "daemon.stopping", "no new attempts",
             {{"running", running}, {"grace_seconds", grace.count()}});
}

void DaemonLog::stopped() const {
  log_.write(Severity::notice, "daemon.stopped", "everything is recorded");
}

void DaemonLog::reloaded() const {
  log_.write(Severity::notice, "daemon.reloaded", "configuration file and drivers were read again");
}

}  // namespace nightjar::cli
