#include <nightjar/base/secret.hpp>

#include <string.h>
#include <utility>

namespace nightjar {

void wipe(std::string& bytes) noexcept {
  ::explicit_bzero(bytes.data(), bytes.capacity());
  bytes.clear();
}

// A moved-from short string keeps its bytes, so the source is wiped here.
Secret::Secret(Secret&& other) noexcept : bytes_(std::move(other.bytes_)) {
  other.wipe();
}

Secret& Secret::operator=(Secret other) noexcept {
  bytes_.swap(other.bytes_);
  return *this;
}

Secret::~Secret() {
  wipe();
}

void Secret::wipe() noexcept {
  nightjar::wipe(bytes_);
}

}  // namespace nightjar
