// Flags that go before the limits of the configuration file.
#pragma once
#include <nightjar/orchestrator/runner.hpp>

#include <CLI/App.hpp>

#include <optional>

namespace nightjar::cli {

struct LimitOptions {
  std::optional<int> sessions, rate;
};
void declare_limits(CLI::App& app, LimitOptions& options);
orchestrator::Limits with(orchestrator::Limits limits, const LimitOptions& options);

}  // namespace nightjar::cli
