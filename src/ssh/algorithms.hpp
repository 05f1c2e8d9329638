// Which algorithms are offered. Full lists, because libssh 0.10 takes no "+name" and drops unknown names
// without a word.
#pragma once
#include <nightjar/ssh/session.hpp>

#include <libssh/libssh.h>

#include <optional>
#include <string>

namespace nightjar::ssh {

struct Offer {
  std::string key_exchange;
  std::string host_keys;   // signature algorithms, the pinned key's first
  std::string user_keys;   // signature algorithms for public key authentication
  std::string ciphers;     // both directions
  std::string macs;        // both directions
  int least_rsa_bits = 0;  // of the host key
};

Offer offer(Algorithms set, const std::optional<HostKey>& pinned);

// False when this build of libssh refuses one of the lists, which is a bug of ours.
bool apply(const Offer& offer, ssh_session session);

}  // namespace nightjar::ssh
