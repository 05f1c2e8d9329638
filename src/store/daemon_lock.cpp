#include <nightjar/store/daemon_lock.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace nightjar::store {
namespace {

std::filesystem::path file_in(const std::filesystem::path& data_folder) {
  return data_folder / "daemon.lock";
}

// A lock of the open file description: it dies with the process, and asking after it does not take it.
struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// What the holder has written about itself; it may be about to.
std::string holder(int descriptor) {
  std::array<char, 64> text{};
  const auto size = ::pread(descriptor, text.data(), text.size(), 0);
  std::string words(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words.empty() ? "a process that has just started" : words;
}

}  // namespace

Result<DaemonLock> DaemonLock::acquire(const std::filesystem::path& data_folder) {
  const auto file = file_in(data_folder);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return failure(FailureClass::local, Stage::store,
                   fmt::format("cannot open {}: {}", file.string(), std::generic_category().message(errno)));
  DaemonLock lock{descriptor};
  struct flock wanted = whole_file(F_WRLCK);
  if (::fcntl(descriptor, F_OFD_SETLK, &wanted) != 0) {
    if (errno != EAGAIN && errno != EACCES)
      return failure(
          FailureClass::local, Stage::store,
          fmt::format("cannot lock {}: {}", file.string(), std::generic_category().message(errno)));
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("a daemon runs on {} already: {}", data_folder.string(), holder(descriptor)));
  }
  const std::string words = fmt::format("pid {}\n", ::getpid());
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, words.data(), words.size(), 0) < 0)
    return failure(FailureClass::local, Stage::store,
                   fmt::format("cannot write {}: {}", file.string(), std::generic_category().message(errno)));
  return lock;
}

DaemonLock::DaemonLock(DaemonLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
DaemonLock& DaemonLock::operator=(DaemonLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
DaemonLock::~DaemonLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool DaemonLock::is_held(const std::filesystem::path& data_folder) {
  const int descriptor = ::open(file_in(data_folder).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock asked = whole_file(F_WRLCK);
  const bool held = ::fcntl(descriptor, F_OFD_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
  ::close(descriptor);
  return held;
}

}  // namespace nightjar::store
