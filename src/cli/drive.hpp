// Drives series in the foreground until they have ended or ^C is pressed: the loop under `backup` and `series
// rerun`.
#pragma once
#include "cli/context.hpp"
#include "cli/exit_code.hpp"
#include "cli/limits.hpp"

#include <nightjar/orchestrator/runner.hpp>

#include <functional>

namespace nightjar::cli {

using Work = std::function<Task<Result<orchestrator::Summary>>(orchestrator::Runner&)>;

// Takes the context's database. ^C once: running attempts are given up and recorded, waits stay; twice: the
// process ends at once, and the next command records what was running as interrupted.
Exit drive(Context& context, const LimitOptions& limits, const Work& work);

}  // namespace nightjar::cli
