// Who is alive: each process that drives series holds an flock on a file of its own in the data folder. The
// kernel lets go when the process dies, whatever killed it, so no lock can outlive its owner.
#pragma once
#include <nightjar/base/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace nightjar::store {

class OwnerLock {
 public:
  // Creates folder/owners/NAME.lock, locked; NAME is unique (pid and random). Removes files of dead owners on
  // the way.
  static Result<OwnerLock> acquire(const std::filesystem::path& data_folder);
  OwnerLock(OwnerLock&&) noexcept;
  OwnerLock& operator=(OwnerLock&&) noexcept;
  ~OwnerLock();  // unlocks and removes the file
  const std::string& name() const { return name_; }

  // False for a name without a file, or whose file nobody locks.
  static bool is_alive(const std::filesystem::path& data_folder, std::string_view name);

 private:
  OwnerLock(std::filesystem::path file, std::string name, int descriptor);
  std::filesystem::path file_;
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace nightjar::store
