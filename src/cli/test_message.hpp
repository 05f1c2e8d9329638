// A message that says it is a test, sent at once and past the outbox: whoever asks for it waits for the
// server's answer. Nothing is stored.
#pragma once
#include "cli/context.hpp"
#include "cli/exit_code.hpp"

#include <nightjar/store/destinations.hpp>

namespace nightjar::cli {

// Sends it and prints what the server said. `failed` when not all who are named took it.
Exit send_test(Context& context, const store::Destination& destination);

}  // namespace nightjar::cli
