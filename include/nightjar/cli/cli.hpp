// The command line: parses, asks, prints. Everything it does is done by the modules below; it holds no rule
// of its own.
#pragma once

namespace nightjar::cli {

// Runs one command; returns the exit code of the contract: 0 done, 1 failed after retries, 2 nothing to do, 3
// usage, configuration or set-up error, 130 interrupted. Results on stdout, everything else on stderr.
int run(int argc, const char* const* argv);

}  // namespace nightjar::cli
