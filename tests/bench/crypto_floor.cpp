// The cryptography that one backup cannot avoid, in a loop of its own: an X25519 key pair and shared secret,
// one Ed25519 verification, 25 KB of ChaCha20-Poly1305. Prints CPU milliseconds of one round.
#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <sys/resource.h>
#include <vector>

namespace {

double cpu_ms() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

}  // namespace

int main() {
  if (sodium_init() < 0) return 1;
  constexpr int rounds = 2000;
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> sign_public;
  std::array<unsigned char, crypto_sign_SECRETKEYBYTES> sign_secret;
  crypto_sign_keypair(sign_public.data(), sign_secret.data());
  std::array<unsigned char, 32> hash{}, secret, mine, peer, shared;
  std::array<unsigned char, crypto_sign_BYTES> signature;
  crypto_sign_detached(signature.data(), nullptr, hash.data(), hash.size(), sign_secret.data());
  randombytes_buf(secret.data(), secret.size());
  crypto_scalarmult_base(peer.data(), secret.data());
  std::vector<unsigned char> plain(25'000, 'x'),
      sealed(plain.size() + crypto_aead_chacha20poly1305_ietf_ABYTES);
  std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES> nonce{};

  int wrong = 0;
  const double before = cpu_ms();
  for (int i = 0; i < rounds; ++i) {
    randombytes_buf(secret.data(), secret.size());
    crypto_scalarmult_base(mine.data(), secret.data());
    wrong += crypto_scalarmult(shared.data(), secret.data(), peer.data()) != 0;
    wrong += crypto_sign_verify_detached(signature.data(), hash.data(), hash.size(), sign_public.data()) != 0;
    crypto_aead_chacha20poly1305_ietf_encrypt(sealed.data(), nullptr, plain.data(), plain.size(), nullptr, 0,
                                              nullptr, nonce.data(), shared.data());
  }
  if (wrong != 0) return 1;
  fmt::print("{:.4f}\n", (cpu_ms() - before) / rounds);
}
