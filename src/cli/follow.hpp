// Looks on while the daemon drives series: the same lines, summary and exit codes as when this process drives
// them itself.
#pragma once
#include "cli/context.hpp"
#include "cli/exit_code.hpp"

#include <nightjar/base/id.hpp>

#include <vector>

namespace nightjar::cli {

// Until all of them have ended. ^C stops looking on; the daemon goes on.
Exit follow(Context& context, std::vector<SeriesId> series);

}  // namespace nightjar::cli
