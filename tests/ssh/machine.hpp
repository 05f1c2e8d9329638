// Real SSH servers and their files: a folder that goes away, keys by ssh-keygen, and OpenSSH's and Dropbear's
// servers started a connection at a time on our own listener, as inetd would. No account and no file of this
// machine is touched.
#pragma once
#include "ssh/peers.hpp"

#include <nightjar/ssh/session.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace nightjar::ssh::testing {

class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(std::string_view name) const { return (path_ / name).string(); }
  void write(std::string_view name, std::string_view text) const;
  std::string read(std::string_view name) const;

 private:
  std::filesystem::path path_;
};

// Makes `name` and `name`.pub in the folder, e.g. ("ed25519"), ("rsa", "-b 1024"), ("ecdsa", "-m PEM").
void make_key(const Folder& folder, std::string_view name, std::string_view type,
              std::string_view passphrase = "", std::string_view more = "");
PrivateKey load_key(const Folder& folder, std::string_view name, std::string_view passphrase = "");

std::string own_name();  // the account the tests run as

// OpenSSH's sshd: the host key and the authorized keys are files of the folder; `more` are further lines of
// its configuration.
Peer::Serve openssh(const Folder& folder, std::string_view host_key, std::string_view authorized,
                    std::string_view more = "");
// Dropbear with one host key.
Peer::Serve dropbear(const Folder& folder, std::string_view key_type);

}  // namespace nightjar::ssh::testing
