#include <nightjar/revision/text.hpp>

#include <sodium.h>

namespace nightjar::revision {

static_assert(crypto_hash_sha256_BYTES == std::tuple_size_v<Digest>);

Digest digest(std::string_view bytes) {
  Digest out;
  // As it stands in libsodium, hashing needs no sodium_init and always returns 0.
  crypto_hash_sha256(out.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return out;
}

Digest fingerprint(std::string_view bytes) {
  Digest out;
  crypto_generichash(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                     bytes.size(), nullptr, 0);
  return out;
}

std::string to_hex(const Digest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    out += digits[byte >> 4];
    out += digits[byte & 0xf];
  }
  return out;
}

}  // namespace nightjar::revision
