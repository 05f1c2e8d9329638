#include <nightjar/vault/vault.hpp>

#include <fmt/format.h>
#include <sodium.h>

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <span>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace nightjar::vault {
namespace {

constexpr unsigned char format_version = 1;
constexpr std::size_t nonce_bytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_bytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

void start_sodium() {
  static const int started = sodium_init();
  if (started < 0) throw std::runtime_error("libsodium does not start");
}

std::string cause(int error) {
  return std::generic_category().message(error);
}

unsigned char* allocate_key(std::size_t size) {
  auto* const key = static_cast<unsigned char*>(sodium_malloc(size));
  if (!key) throw std::bad_alloc();
  return key;
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

bool write_all(int descriptor, std::span<const unsigned char> data) {
  while (!data.empty()) {
    const ssize_t written = ::write(descriptor, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data = data.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// Reads until the buffer is full or the file ends; -1 with errno on an error.
ssize_t read_all(int descriptor, std::span<unsigned char> buffer) {
  std::size_t have = 0;
  while (have < buffer.size()) {
    const ssize_t got = ::read(descriptor, buffer.data() + have, buffer.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(have);
}

// A key that is lost with the power takes every sealed secret along: its directory entry is made durable too.
bool sync_folder(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
  const File handle{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  return handle && ::fsync(handle.get()) == 0;
}

Failure setup(std::string reason) {
  return failure(FailureClass::setup, Stage::none, std::move(reason));
}

}  // namespace

void Vault::WipeAndFree::operator()(unsigned char* key) const noexcept {
  sodium_free(key);
}

Vault::Vault(Key key) : key_(std::move(key)) {}
Vault::Vault(Vault&&) noexcept = default;
Vault& Vault::operator=(Vault&&) noexcept = default;
Vault::~Vault() = default;

Result<void> Vault::create_key_file(const std::filesystem::path& path) {
  start_sodium();
  const File file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!file) {
    const int error = errno;
    if (error == EEXIST) return setup(fmt::format("key file {} exists already", path.string()));
    return failure(FailureClass::local, Stage::none,
                   fmt::format("cannot create key file {}: {}", path.string(), cause(error)));
  }
  const Key key{allocate_key(key_bytes)};
  randombytes_buf(key.get(), key_bytes);
  // fchmod: a umask may have taken the owner's own bits.
  if (::fchmod(file.get(), 0600) != 0 || !write_all(file.get(), {key.get(), key_bytes}) ||
      ::fsync(file.get()) != 0 || !sync_folder(path)) {
    const int error = errno;
    ::unlink(path.c_str());
    return failure(FailureClass::local, Stage::none,
                   fmt::format("cannot write key file {}: {}", path.string(), cause(error)));
  }
  return {};
}

Result<Vault> Vault::open(const std::filesystem::path& path) {
  start_sodium();
  // O_NONBLOCK: opening a FIFO that nobody writes must not hang.
  const File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) {
    const int error = errno;
    if (error == ENOENT) return setup(fmt::format("key file {} does not exist", path.string()));
    return setup(fmt::format("cannot read key file {}: {}", path.string(), cause(error)));
  }
  struct ::stat status {};
  if (::fstat(file.get(), &status) != 0)
    return setup(fmt::format("cannot read key file {}: {}", path.string(), cause(errno)));
  if (!S_ISREG(status.st_mode)) return setup(fmt::format("key file {} is not a regular file", path.string()));
  if ((status.st_mode & 077) != 0)
    return setup(fmt::format("key file {} is open to others (mode {:04o}): make it 0600", path.string(),
                             status.st_mode & 07777));
  if (status.st_size != static_cast<off_t>(key_bytes))
    return setup(fmt::format("key file {} has {} bytes instead of {}: it is not a key of this program",
                             path.string(), status.st_size, key_bytes));
  Key key{allocate_key(key_bytes)};
  const ssize_t got = read_all(file.get(), {key.get(), key_bytes});
  if (got < 0) return setup(fmt::format("cannot read key file {}: {}", path.string(), cause(errno)));
  if (got != static_cast<ssize_t>(key_bytes))
    return setup(fmt::format("key file {} ended after {} bytes", path.string(), got));
  sodium_mprotect_readonly(key.get());
  return Vault{std::move(key)};
}

std::string Vault::seal(const Secret& plain, std::string_view record_id) const {
  const std::string& text = plain.reveal();
  std::string sealed(1 + nonce_bytes + text.size() + tag_bytes, '\0');
  sealed[0] = static_cast<char>(format_version);
  unsigned char* const nonce = bytes(sealed) + 1;
  randombytes_buf(nonce, nonce_bytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + nonce_bytes, nullptr, bytes(text), text.size(),
                                             bytes(record_id), record_id.size(), nullptr, nonce, key_.get());
  return sealed;
}

Result<Secret> Vault::unseal(std::string_view sealed, std::string_view record_id) const {
  const auto refused = [&] {
    return setup(fmt::format("cannot unseal {}: the key file does not fit this database", record_id));
  };
  if (sealed.size() < 1 + nonce_bytes + tag_bytes || bytes(sealed)[0] != format_version) return refused();
  const unsigned char* const nonce = bytes(sealed) + 1;
  const std::size_t sealed_bytes = sealed.size() - 1 - nonce_bytes;
  std::string text(sealed_bytes - tag_bytes, '\0');
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(bytes(text), nullptr, nullptr, nonce + nonce_bytes,
                                                 sealed_bytes, bytes(record_id), record_id.size(), nonce,
                                                 key_.get()) != 0)
    return refused();
  Secret plain{text};
  wipe(text);
  return plain;
}

}  // namespace nightjar::vault
