#include "ssh/algorithms.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace nightjar::ssh {
namespace {

using Names = std::vector<std::string_view>;

// The cheapest of equal strength first: a kex is most of what a session costs, and group18 costs fifty times
// curve25519.
const Names modern_key_exchange{"curve25519-sha256",
                                "curve25519-sha256@libssh.org",
                                "ecdh-sha2-nistp256",
                                "ecdh-sha2-nistp384",
                                "ecdh-sha2-nistp521",
                                "diffie-hellman-group14-sha256",
                                "diffie-hellman-group16-sha512",
                                "diffie-hellman-group-exchange-sha256",
                                "diffie-hellman-group18-sha512"};
const Names legacy_key_exchange{"diffie-hellman-group14-sha1", "diffie-hellman-group-exchange-sha1",
                                "diffie-hellman-group1-sha1"};

const Names modern_signatures{"ssh-ed25519",         "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
                              "ecdsa-sha2-nistp521", "rsa-sha2-512",        "rsa-sha2-256"};
const Names legacy_signatures{"ssh-rsa"};

const Names modern_ciphers{"chacha20-poly1305@openssh.com",
                           "aes256-gcm@openssh.com",
                           "aes128-gcm@openssh.com",
                           "aes256-ctr",
                           "aes192-ctr",
                           "aes128-ctr"};
const Names legacy_ciphers{"aes256-cbc", "aes192-cbc", "aes128-cbc", "3des-cbc"};

const Names modern_macs{"hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256",
                        "hmac-sha2-512"};
const Names legacy_macs{"hmac-sha1-etm@openssh.com", "hmac-sha1"};

constexpr int least_rsa_bits_modern = 1024;
constexpr int least_rsa_bits_legacy = 768;  // the least libssh 0.10 can be told

Names together(const Names& modern, const Names& legacy, Algorithms set) {
  Names all = modern;
  if (set == Algorithms::legacy) all.insert(all.end(), legacy.begin(), legacy.end());
  return all;
}

std::string join(const Names& names) {
  std::string list;
  for (std::string_view name : names) {
    if (!list.empty()) list += ',';
    list += name;
  }
  return list;
}

// An RSA key signs under three names; every other type under its own.
bool signs_as(std::string_view key_type, std::string_view signature) {
  if (key_type != "ssh-rsa") return key_type == signature;
  return signature == "rsa-sha2-512" || signature == "rsa-sha2-256" || signature == "ssh-rsa";
}

}  // namespace

Offer offer(Algorithms set, const std::optional<HostKey>& pinned) {
  Names signatures = together(modern_signatures, legacy_signatures, set);
  Offer made;
  made.user_keys = join(signatures);
  if (pinned) {
    // Otherwise a device with two host keys shows the one we did not pin, which looks like a changed key.
    std::stable_partition(signatures.begin(), signatures.end(),
                          [&](std::string_view name) { return signs_as(pinned->type, name); });
  }
  made.host_keys = join(signatures);
  made.key_exchange = join(together(modern_key_exchange, legacy_key_exchange, set));
  made.ciphers = join(together(modern_ciphers, legacy_ciphers, set));
  made.macs = join(together(modern_macs, legacy_macs, set));
  made.least_rsa_bits = set == Algorithms::legacy ? least_rsa_bits_legacy : least_rsa_bits_modern;
  return made;
}

bool apply(const Offer& offer, ssh_session session) {
  struct Setting {
    ssh_options_e option;
    const std::string& list;
  };
  const std::array settings{Setting{SSH_OPTIONS_KEY_EXCHANGE, offer.key_exchange},
                            Setting{SSH_OPTIONS_HOSTKEYS, offer.host_keys},
                            Setting{SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, offer.user_keys},
                            Setting{SSH_OPTIONS_CIPHERS_C_S, offer.ciphers},
                            Setting{SSH_OPTIONS_CIPHERS_S_C, offer.ciphers},
                            Setting{SSH_OPTIONS_HMAC_C_S, offer.macs},
                            Setting{SSH_OPTIONS_HMAC_S_C, offer.macs}};
  for (const Setting& setting : settings) {
    if (ssh_options_set(session, setting.option, setting.list.c_str()) != SSH_OK) return false;
  }
  // libssh's own check hides the size behind "signature"; we check against least_rsa_bits and can name it.
  int least = least_rsa_bits_legacy;
  return ssh_options_set(session, SSH_OPTIONS_RSA_MIN_SIZE, &least) == SSH_OK &&
         ssh_options_set(session, SSH_OPTIONS_COMPRESSION, "no") == SSH_OK;
}

}  // namespace nightjar::ssh
