#include "store/connection.hpp"

#include <nightjar/store/owner_lock.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace nightjar::store {
namespace {

namespace fs = std::filesystem;

// A file can be taken for a dead owner's between its creation and its lock; a handful of tries is far more
// than it takes.
constexpr int tries = 16;
constexpr std::string_view extension = ".lock";

std::string cause(int error) {
  return std::generic_category().message(error);
}

fs::path folder_of(const fs::path& data_folder) {
  return data_folder / "owners";
}

fs::path file_of(const fs::path& data_folder, std::string_view name) {
  return folder_of(data_folder) / (std::string{name} + std::string{extension});
}

std::string fresh_name() {
  std::random_device source;
  return fmt::format("{}-{:08x}{:08x}", ::getpid(), source(), source());
}

// A shared lock is refused exactly while the owner lives; two who ask at once do not disturb each other.
bool is_locked(int descriptor) {
  if (::flock(descriptor, LOCK_SH | LOCK_NB) == 0) return false;
  return errno == EWOULDBLOCK;
}

bool has_a_name(int descriptor) {
  struct ::stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

void remove_dead(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != extension) continue;
    const int descriptor = ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    if (!is_locked(descriptor)) ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

}  // namespace

OwnerLock::OwnerLock(fs::path file, std::string name, int descriptor)
    : file_(std::move(file)), name_(std::move(name)), descriptor_(descriptor) {}

OwnerLock::OwnerLock(OwnerLock&& other) noexcept
    : file_(std::move(other.file_)),
      name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OwnerLock& OwnerLock::operator=(OwnerLock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(name_, other.name_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

// Removed while still locked: who finds the file sees a living owner or none at all.
OwnerLock::~OwnerLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

Result<OwnerLock> OwnerLock::acquire(const fs::path& data_folder) {
  const fs::path folder = folder_of(data_folder);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return local_failure(fmt::format("cannot create folder {}: {}", folder.string(), cause(errno)));
  remove_dead(folder);
  for (int i = 0; i < tries; ++i) {
    std::string name = fresh_name();
    fs::path file = file_of(data_folder, name);
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) {
      const int error = errno;
      if (error == EEXIST) continue;
      return local_failure(fmt::format("cannot create owner lock {}: {}", file.string(), cause(error)));
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && has_a_name(descriptor))
      return OwnerLock{std::move(file), std::move(name), descriptor};
    ::unlink(file.c_str());
    ::close(descriptor);
  }
  return local_failure(fmt::format("cannot lock a file in {}", folder.string()));
}

bool OwnerLock::is_alive(const fs::path& data_folder, std::string_view name) {
  if (name.empty() || name.find('/') != std::string_view::npos) return false;
  const int descriptor =
      ::open(file_of(data_folder, name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return errno != ENOENT;  // unknown (out of descriptors) is not dead
  const bool alive = is_locked(descriptor);
  ::close(descriptor);
  return alive;
}

}  // namespace nightjar::store
