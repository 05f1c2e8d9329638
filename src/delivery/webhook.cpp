#include "delivery/text.hpp"

#include <nightjar/delivery/webhook.hpp>

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

namespace nightjar::delivery {
namespace {

constexpr std::string_view prefix = "whsec_";
constexpr std::size_t fewest_bytes = 24;  // the specification's bounds
constexpr std::size_t most_bytes = 64;
constexpr std::size_t new_bytes = 32;

void start_sodium() {
  static const int started = sodium_init();
  if (started < 0) throw std::runtime_error("libsodium does not start");
}

Failure setup(std::string reason) {
  return failure(FailureClass::setup, Stage::none, std::move(reason));
}

// Key material on the stack for as long as it is used.
struct Key {
  std::array<unsigned char, most_bytes> bytes{};
  std::size_t size = 0;
  Key() = default;
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key() { sodium_memzero(bytes.data(), bytes.size()); }
};

bool decode(std::string_view text, Key& key) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return sodium_base642bin(key.bytes.data(), key.bytes.size(), text.data(), text.size(), nullptr, &key.size,
                           nullptr, sodium_base64_VARIANT_ORIGINAL) == 0 &&
         key.size >= fewest_bytes;
}

std::string base64(const unsigned char* bytes, std::size_t size) {
  std::string out(sodium_base64_encoded_len(size, sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), bytes, size, sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();  // the NUL
  return out;
}

std::string signature(const Key& key, std::string_view signed_text) {
  crypto_auth_hmacsha256_state state;
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> mac{};
  crypto_auth_hmacsha256_init(&state, key.bytes.data(), key.size);
  crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(signed_text.data()),
                                signed_text.size());
  crypto_auth_hmacsha256_final(&state, mac.data());
  sodium_memzero(&state, sizeof state);
  return "v1," + base64(mac.data(), mac.size());
}

bool is_id(std::string_view id) {
  return !id.empty() &&
         std::all_of(id.begin(), id.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '.'; });
}

long long unix_seconds(UtcTime at) {
  return std::chrono::floor<Seconds>(at).time_since_epoch().count();
}

}  // namespace

Result<Secret> signing_secret(std::string_view typed) {
  Key key;
  const std::string_view text = trimmed(typed);
  if (!decode(text, key))
    return setup(
        fmt::format("a webhook's signing secret is {} and the base64 of {} to {} bytes; this one is not",
                    prefix, fewest_bytes, most_bytes));
  return Secret{text};
}

Secret new_signing_secret() {
  start_sodium();
  Key key;
  key.size = new_bytes;
  randombytes_buf(key.bytes.data(), key.size);
  std::string text = std::string(prefix) + base64(key.bytes.data(), key.size);
  Secret secret{text};
  wipe(text);
  return secret;
}

Result<std::string> sign(std::string_view id, UtcTime at, std::string_view body,
                         std::span<const Secret> secrets) {
  if (!is_id(id)) return setup("a webhook's id is visible ASCII without a full stop; this one is not");
  const std::string signed_text = fmt::format("{}.{}.{}", id, unix_seconds(at), body);
  std::string out;
  for (const Secret& secret : secrets) {
    Key key;
    if (!decode(secret.reveal(), key)) return setup("a webhook's signing secret cannot be read");
    if (!out.empty()) out += ' ';
    out += signature(key, signed_text);
  }
  return out;
}

Result<Headers> webhook_headers(std::string_view id, UtcTime at, std::string_view body,
                                std::span<const Secret> secrets) {
  auto signatures = sign(id, at, body, secrets);
  if (!signatures) return std::move(signatures).error();
  Headers headers{{"webhook-id", std::string(id)},
                  {"webhook-timestamp", std::to_string(unix_seconds(at))},
                  {"Content-Type", "application/json"}};
  if (!secrets.empty()) headers.emplace_back("webhook-signature", std::move(*signatures));
  return headers;
}

}  // namespace nightjar::delivery
