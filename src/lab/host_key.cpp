#include "lab/host_key.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <unistd.h>

namespace nightjar::lab {

HostKey make_key(ssh_keytypes_e type, int bits) {
  ssh_key key = nullptr;
  if (ssh_pki_generate(type, bits, &key) != SSH_OK) throw std::runtime_error("libssh cannot make a host key");
  return HostKey(key);
}

Result<HostKey> load_or_make_key(const std::string& file) {
  if (file.empty()) return make_key(SSH_KEYTYPE_ED25519, 0);
  ssh_key key = nullptr;
  if (::access(file.c_str(), F_OK) == 0) {
    if (ssh_pki_import_privkey_file(file.c_str(), nullptr, nullptr, nullptr, &key) != SSH_OK)
      return failure(FailureClass::setup, Stage::none,
                     fmt::format("{} is not a private key this lab can read", file));
    return HostKey(key);
  }
  HostKey made = make_key(SSH_KEYTYPE_ED25519, 0);
  char* text = nullptr;
  if (ssh_pki_export_privkey_base64(made.get(), nullptr, nullptr, nullptr, &text) != SSH_OK)
    throw std::bad_alloc();
  const std::string bytes(text);
  ssh_string_free_char(text);
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written =
      fd >= 0 && ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!written)
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("cannot write the host key {}: {}", file, std::strerror(error)));
  return made;
}

std::string fingerprint_of(ssh_key key) {
  unsigned char* hash = nullptr;
  std::size_t length = 0;
  if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &length) != 0) throw std::bad_alloc();
  char* text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, length);
  std::string fingerprint = text == nullptr ? "" : text;
  ssh_string_free_char(text);
  ssh_clean_pubkey_hash(&hash);
  return fingerprint;
}

Identity::Identity(HostKey key, Algorithms algorithms)
    : fingerprint_(fingerprint_of(key.get())), bind_(ssh_bind_new()) {
  if (!bind_) throw std::bad_alloc();
  const auto set = [&](ssh_bind_options_e option, const void* value) {
    if (ssh_bind_options_set(bind_.get(), option, value) != SSH_OK)
      throw std::runtime_error(fmt::format("libssh refuses a server option: {}", ssh_get_error(bind_.get())));
  };
  const bool process_config = false;  // a machine's sshd settings are none of the lab's business
  set(SSH_BIND_OPTIONS_PROCESS_CONFIG, &process_config);
  set(SSH_BIND_OPTIONS_IMPORT_KEY, key.release());  // the bind's from here on
  if (algorithms == Algorithms::legacy) {
    set(SSH_BIND_OPTIONS_KEY_EXCHANGE, "diffie-hellman-group14-sha1");
    set(SSH_BIND_OPTIONS_HOSTKEY_ALGORITHMS, "ssh-rsa");
    set(SSH_BIND_OPTIONS_CIPHERS_C_S, "aes128-cbc");
    set(SSH_BIND_OPTIONS_CIPHERS_S_C, "aes128-cbc");
    set(SSH_BIND_OPTIONS_HMAC_C_S, "hmac-sha1");
    set(SSH_BIND_OPTIONS_HMAC_S_C, "hmac-sha1");
  }
}

bool Identity::accept(ssh_session session, int descriptor) const {
  return ssh_bind_accept_fd(bind_.get(), session, descriptor) == SSH_OK;
}

}  // namespace nightjar::lab
