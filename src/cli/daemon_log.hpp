// What the daemon says in its log: one line an event, with names and numbers to search by, never a secret and
// never a configuration.
#pragma once
#include <nightjar/orchestrator/postman.hpp>
#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/runtime/event_log.hpp>
#include <nightjar/store/runs.hpp>

#include <string>

namespace nightjar::cli {

class DaemonLog {
 public:
  DaemonLog(const runtime::Clock& clock, runtime::EventLog::Format format, int descriptor,
            runtime::Severity least)
      : log_(clock, format, descriptor, least) {}

  void tell(const orchestrator::Event& event) const;
  void tell(const store::Run& run) const;
  void tell(const orchestrator::Delivered& tried) const;
  void trouble(const Failure& failure) const;
  void recovered(std::size_t attempts) const;
  void started(const std::string& address) const;
  void stopping(Seconds grace, std::size_t running) const;
  void stopped() const;
  void reloaded() const;

 private:
  runtime::EventLog log_;
};

}  // namespace nightjar::cli
