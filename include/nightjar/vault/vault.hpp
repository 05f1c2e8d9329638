// The vault seals secrets before they reach the database: XChaCha20-Poly1305 (libsodium) under a key that
// lives in a file of its own (0600), with the record's id as associated data, so a sealed value cannot be
// moved to another record. It never prints, logs or returns the key, and keeps it in memory of its own that
// core dumps leave out.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/base/secret.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace nightjar::vault {

class Vault {
 public:
  // Writes a new random key (file mode 0600, exclusive: an existing file is class setup and stays untouched).
  static Result<void> create_key_file(const std::filesystem::path&);
  // Class setup when the file is missing, unreadable, of the wrong size, or open to group or others.
  static Result<Vault> open(const std::filesystem::path& key_file);

  Vault(Vault&&) noexcept;
  Vault& operator=(Vault&&) noexcept;
  ~Vault();  // wipes the key

  // version byte | nonce | ciphertext and tag. Same input, new nonce: never the same twice.
  std::string seal(const Secret& plain, std::string_view record_id) const;
  // A wrong key, another record's id or a changed byte are one clear error of class setup:
  // "cannot unseal RECORD: the key file does not fit this database".
  Result<Secret> unseal(std::string_view sealed, std::string_view record_id) const;

 private:
  struct WipeAndFree {
    void operator()(unsigned char* key) const noexcept;
  };
  using Key = std::unique_ptr<unsigned char[], WipeAndFree>;
  static constexpr std::size_t key_bytes = 32;

  explicit Vault(Key key);
  Key key_;
};

}  // namespace nightjar::vault
