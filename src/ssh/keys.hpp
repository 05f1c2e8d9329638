// Keys: the private ones users store, and what there is to say about a device's public one.
#pragma once
#include <nightjar/ssh/session.hpp>

#include <libssh/libssh.h>

#include <optional>
#include <string>

namespace nightjar::ssh {

struct PrivateKey::Handle {
  explicit Handle(ssh_key parsed) : key(parsed) {}
  ~Handle() { ssh_key_free(key); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ssh_key key;
};

struct ServerKey {
  HostKey name;
  std::optional<int> rsa_bits;  // none: not an RSA key
};

// The key the handshake of this session proved; none only when libssh is out of memory.
std::optional<ServerKey> server_key(ssh_session session);

// Bits of the modulus of an "ssh-rsa" public key, base64 as in an authorized_keys line; none when it is not
// one.
std::optional<int> rsa_bits(std::string_view base64_blob);

}  // namespace nightjar::ssh
