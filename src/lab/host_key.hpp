// Host keys, and what a device presents with one: its algorithms and how libssh takes over an accepted
// descriptor.
#pragma once
#include <nightjar/base/result.hpp>

#include <libssh/libssh.h>
#include <libssh/server.h>

#include <memory>
#include <string>

namespace nightjar::lab {

struct KeyDeleter {
  void operator()(ssh_key key) const noexcept { ssh_key_free(key); }
};
using HostKey = std::unique_ptr<ssh_key_struct, KeyDeleter>;

HostKey make_key(ssh_keytypes_e type, int bits);
// Reads the private key file, or makes an ed25519 key and writes it (0600).
Result<HostKey> load_or_make_key(const std::string& file);
std::string fingerprint_of(ssh_key key);  // "SHA256:..."

class Identity {
 public:
  enum class Algorithms : std::uint8_t { modern, legacy };
  Identity(HostKey key, Algorithms algorithms);

  // The session takes over the descriptor, also when this fails.
  bool accept(ssh_session session, int descriptor) const;
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  struct BindDeleter {
    void operator()(ssh_bind bind) const noexcept { ssh_bind_free(bind); }
  };
  std::string fingerprint_;
  std::unique_ptr<ssh_bind_struct, BindDeleter> bind_;
};

}  // namespace nightjar::lab
