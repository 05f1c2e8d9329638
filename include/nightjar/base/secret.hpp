// A password or passphrase. It never prints itself, is compared only on purpose, and its bytes are
// overwritten when it dies. It does not protect against a reader of this process's memory.
#pragma once
#include <string>
#include <string_view>

namespace nightjar {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string_view bytes) : bytes_(bytes) {}
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret other) noexcept;
  ~Secret();

  // The bytes themselves, valid as long as this object is. Callers do not copy them into logs, errors or
  // files.
  const std::string& reveal() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }

 private:
  void wipe() noexcept;
  std::string bytes_;
};

// Overwrites the text's bytes and empties it; the compiler may not leave this out.
void wipe(std::string& bytes) noexcept;

}  // namespace nightjar
