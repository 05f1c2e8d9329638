// From a connected socket to a peer whose host key is known and accepted. No secret has been sent when this
// ends.
#pragma once
#include "ssh/wire.hpp"

namespace nightjar::ssh {

// The host key seen. Failures: timeout, dropped, busy, negotiation (stage handshake); host_key (stage
// host_key).
Task<Result<HostKey>> shake_hands(Wire& wire, Algorithms set, std::optional<HostKey> pinned, Limits limits,
                                  MonoTime deadline);

}  // namespace nightjar::ssh
