// One daemon a data folder: it holds a lock on a file there, which the kernel lets go of when the process
// dies, whatever killed it. The file says who holds it, for the message to the second one.
#pragma once
#include <nightjar/base/result.hpp>

#include <filesystem>
#include <string>

namespace nightjar::store {

class DaemonLock {
 public:
  // Refused (class setup) while another process holds it: "a daemon runs on DIR already: pid 4711".
  static Result<DaemonLock> acquire(const std::filesystem::path& data_folder);
  DaemonLock(DaemonLock&&) noexcept;
  DaemonLock& operator=(DaemonLock&&) noexcept;
  ~DaemonLock();

  static bool is_held(const std::filesystem::path& data_folder);

 private:
  explicit DaemonLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace nightjar::store
