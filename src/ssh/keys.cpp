#include "ssh/keys.hpp"

#include <fmt/format.h>
#include <libssh/callbacks.h>

#include <bit>
#include <cstring>

namespace nightjar::ssh {
namespace {

// Hands libssh the passphrase, and remembers that the key asked for one. libssh wipes the buffer.
struct Passphrase {
  const Secret& secret;
  bool asked = false;

  static int give(const char* /*prompt*/, char* into, size_t room, int /*echo*/, int /*verify*/, void* self) {
    auto& passphrase = *static_cast<Passphrase*>(self);
    passphrase.asked = true;
    const std::string& text = passphrase.secret.reveal();
    if (text.empty() || text.size() >= room) return -1;
    std::memcpy(into, text.c_str(), text.size() + 1);
    return 0;
  }
};

bool is_usable(ssh_keytypes_e type) {
  switch (type) {
    case SSH_KEYTYPE_RSA:
    case SSH_KEYTYPE_ED25519:
    case SSH_KEYTYPE_ECDSA_P256:
    case SSH_KEYTYPE_ECDSA_P384:
    case SSH_KEYTYPE_ECDSA_P521:
      return true;
    default:
      return false;
  }
}

std::string decode_base64(std::string_view text) {
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (char c : text) {
    unsigned digit = 0;
    if (c >= 'A' && c <= 'Z')
      digit = static_cast<unsigned>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<unsigned>(c - 'a') + 26;
    else if (c >= '0' && c <= '9')
      digit = static_cast<unsigned>(c - '0') + 52;
    else if (c == '+')
      digit = 62;
    else if (c == '/')
      digit = 63;
    else
      break;
    held = (held << 6 | digit) & 0xffffffu;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(held >> bits & 0xffu);
    }
  }
  return bytes;
}

// One length-prefixed string of the SSH wire format, taken off the front of `blob`.
std::optional<std::string_view> take_string(std::string_view& blob) {
  if (blob.size() < 4) return std::nullopt;
  std::size_t size = 0;
  for (char c : blob.substr(0, 4)) size = size << 8 | static_cast<unsigned char>(c);
  blob.remove_prefix(4);
  if (size > blob.size()) return std::nullopt;
  std::string_view taken = blob.substr(0, size);
  blob.remove_prefix(size);
  return taken;
}

}  // namespace

Result<PrivateKey> PrivateKey::parse(const Secret& text, const Secret& passphrase, std::string_view name) {
  std::string clean;
  clean.reserve(text.reveal().size() + 1);
  for (char c : text.reveal()) {
    if (c != '\r') clean += c;  // keys come through web forms and Windows editors
  }
  Passphrase given{passphrase};
  ssh_key parsed = nullptr;
  int rc = ssh_pki_import_privkey_base64(clean.c_str(), nullptr, Passphrase::give, &given, &parsed);
  wipe(clean);
  auto refused = [&](std::string_view why) {
    return failure(FailureClass::setup, Stage::none, fmt::format("private key {}: {}", name, why));
  };
  if (rc != SSH_OK) {
    if (given.asked && passphrase.empty()) return refused("it is encrypted and no passphrase is stored");
    if (given.asked) return refused("wrong passphrase");
    return refused("unreadable; an OpenSSH or PEM private key (ed25519, ecdsa or rsa) is expected");
  }
  auto handle = std::make_shared<Handle>(parsed);
  if (!is_usable(ssh_key_type(parsed))) {
    const char* type = ssh_key_type_to_char(ssh_key_type(parsed));
    return refused(fmt::format("keys of type {} cannot be used", type != nullptr ? type : "unknown"));
  }
  PrivateKey key;
  key.handle_ = std::move(handle);
  return key;
}

std::optional<int> rsa_bits(std::string_view base64_blob) {
  std::string bytes = decode_base64(base64_blob);
  std::string_view blob = bytes;
  auto type = take_string(blob);
  if (!type || *type != "ssh-rsa") return std::nullopt;
  auto exponent = take_string(blob);
  auto modulus = take_string(blob);
  if (!exponent || !modulus) return std::nullopt;
  while (!modulus->empty() && modulus->front() == '\0') modulus->remove_prefix(1);
  if (modulus->empty()) return 0;
  auto first = static_cast<unsigned char>(modulus->front());
  return static_cast<int>((modulus->size() - 1) * 8) + std::bit_width(first);
}

std::optional<ServerKey> server_key(ssh_session session) {
  ssh_key key = nullptr;
  if (ssh_get_server_publickey(session, &key) != SSH_OK) return std::nullopt;
  ServerKey seen;
  if (const char* type = ssh_key_type_to_char(ssh_key_type(key))) seen.name.type = type;
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &size) == SSH_OK) {
    if (char* text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size)) {
      seen.name.fingerprint = text;
      ssh_string_free_char(text);
    }
    ssh_clean_pubkey_hash(&hash);
  }
  if (ssh_key_type(key) == SSH_KEYTYPE_RSA) {
    char* blob = nullptr;
    if (ssh_pki_export_pubkey_base64(key, &blob) == SSH_OK) {
      seen.rsa_bits = rsa_bits(blob);
      ssh_string_free_char(blob);
    }
  }
  ssh_key_free(key);
  if (seen.name.fingerprint.empty()) return std::nullopt;
  return seen;
}

}  // namespace nightjar::ssh
