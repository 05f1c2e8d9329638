// The exit codes of the contract, and the one kind of failure that commands raise themselves.
#pragma once
#include <nightjar/base/result.hpp>

#include <string>

namespace nightjar::cli {

enum class ExitCode : int {
  done = 0,
  failed = 1,         // failed after retries
  nothing_to_do = 2,  // nothing selected, nothing changed
  setup = 3,          // usage, configuration or set-up error
  interrupted = 130,
};

using Exit = Result<ExitCode>;

inline Failure usage(std::string reason) {
  return failure(FailureClass::setup, Stage::none, std::move(reason));
}

}  // namespace nightjar::cli
