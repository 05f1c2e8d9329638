#include "simulation/disk.hpp"

#include "simulation/random.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>

namespace nightjar::simulation {
namespace {

sqlite3_vfs* real = nullptr;
Disk* disk = nullptr;

// The real file lies behind this in the memory that SQLite hands out.
struct File {
  sqlite3_file base;
};
sqlite3_file* real_file(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) +
                                         std::max(sizeof(File), alignof(std::max_align_t)));
}
const sqlite3_io_methods& real_methods(sqlite3_file* file) {
  return *real_file(file)->pMethods;
}

template <auto Method, class... Arguments>
int forward(sqlite3_file* file, Arguments... arguments) {
  return (real_methods(file).*Method)(real_file(file), arguments...);
}

int write_file(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  switch (disk->write()) {
    case Disk::Fate::done:
      return real_methods(file).xWrite(real_file(file), bytes, count, offset);
    case Disk::Fate::full:
      return SQLITE_FULL;
    case Disk::Fate::torn:
      real_methods(file).xWrite(real_file(file), bytes, count / 2, offset);
      return SQLITE_IOERR_WRITE;
    case Disk::Fate::dead:
      break;
  }
  return SQLITE_IOERR_WRITE;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (disk->change() == Disk::Fate::dead) return SQLITE_IOERR_TRUNCATE;
  return real_methods(file).xTruncate(real_file(file), size);
}

int sync_file(sqlite3_file*, int) {
  return disk->change() == Disk::Fate::dead ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

void shm_barrier(sqlite3_file* file) {
  real_methods(file).xShmBarrier(real_file(file));
}

using Io = sqlite3_io_methods;
constexpr Io methods{
    .iVersion = 3,
    .xClose = [](sqlite3_file* file) { return forward<&Io::xClose>(file); },
    .xRead = [](sqlite3_file* file, void* into, int count,
                sqlite3_int64 offset) { return forward<&Io::xRead>(file, into, count, offset); },
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = [](sqlite3_file* file, sqlite3_int64* size) { return forward<&Io::xFileSize>(file, size); },
    .xLock = [](sqlite3_file* file, int level) { return forward<&Io::xLock>(file, level); },
    .xUnlock = [](sqlite3_file* file, int level) { return forward<&Io::xUnlock>(file, level); },
    .xCheckReservedLock = [](sqlite3_file* file,
                             int* held) { return forward<&Io::xCheckReservedLock>(file, held); },
    .xFileControl = [](sqlite3_file* file, int what,
                       void* argument) { return forward<&Io::xFileControl>(file, what, argument); },
    .xSectorSize = [](sqlite3_file* file) { return forward<&Io::xSectorSize>(file); },
    .xDeviceCharacteristics = [](sqlite3_file* file) { return forward<&Io::xDeviceCharacteristics>(file); },
    .xShmMap = [](sqlite3_file* file, int page, int size, int extend,
                  void volatile** into) { return forward<&Io::xShmMap>(file, page, size, extend, into); },
    .xShmLock = [](sqlite3_file* file, int offset, int count,
                   int flags) { return forward<&Io::xShmLock>(file, offset, count, flags); },
    .xShmBarrier = shm_barrier,
    .xShmUnmap = [](sqlite3_file* file, int remove) { return forward<&Io::xShmUnmap>(file, remove); },
    .xFetch = [](sqlite3_file* file, sqlite3_int64 offset, int count,
                 void** into) { return forward<&Io::xFetch>(file, offset, count, into); },
    .xUnfetch = [](sqlite3_file* file, sqlite3_int64 offset,
                   void* mapped) { return forward<&Io::xUnfetch>(file, offset, mapped); },
};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  const int code = real->xOpen(real, name, real_file(file), flags, out_flags);
  file->pMethods = real_file(file)->pMethods ? &methods : nullptr;
  return code;
}

int delete_file(sqlite3_vfs*, const char* name, int sync) {
  return disk->change() == Disk::Fate::dead ? SQLITE_IOERR_DELETE : real->xDelete(real, name, sync);
}

int random_bytes(sqlite3_vfs*, int count, char* into) {
  for (int i = 0; i < count; ++i) into[i] = static_cast<char>(disk->random());
  return count;
}

int now_in_days(sqlite3_vfs*, double* days) {
  *days = static_cast<double>(disk->clock().time_since_epoch().count()) / 86'400'000.0 + 2'440'587.5;
  return SQLITE_OK;
}

int now_in_milliseconds(sqlite3_vfs*, sqlite3_int64* now) {
  constexpr sqlite3_int64 julian_epoch = 210'866'760'000'000;  // 1970 in milliseconds of the Julian day
  *now = disk->clock().time_since_epoch().count() + julian_epoch;
  return SQLITE_OK;
}

}  // namespace

Disk& Disk::mounted() {
  static Disk only;
  static sqlite3_vfs vfs;
  if (disk) return only;
  disk = &only;
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);  // as every connection of the product wants it
  sqlite3_initialize();
  real = sqlite3_vfs_find("unix-excl");  // all connections are this process's: no locks through the kernel
  vfs = *real;
  vfs.zName = "simulated";
  vfs.szOsFile = real->szOsFile + static_cast<int>(std::max(sizeof(File), alignof(std::max_align_t)));
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  vfs.xRandomness = random_bytes;
  vfs.xCurrentTime = now_in_days;
  vfs.xCurrentTimeInt64 = now_in_milliseconds;
  vfs.pNext = nullptr;
  sqlite3_vfs_register(&vfs, 1);
  return only;
}

void Disk::clean(std::uint64_t seed) {
  full = false;
  acting_ = 0;
  left_.clear();
  random_ = seed;
  sqlite3_randomness(0, nullptr);  // begins anew, with what random() gives it
}

bool Disk::is_dead(int process) const {
  const auto found = left_.find(process);
  return found != left_.end() && found->second < 0;
}

Disk::Fate Disk::write() {
  const auto found = left_.find(acting_);
  if (found != left_.end()) {
    if (found->second < 0) return Fate::dead;
    if (--found->second < 0) return Fate::torn;
  }
  return full ? Fate::full : Fate::done;
}

Disk::Fate Disk::change() const {
  return is_dead(acting_) ? Fate::dead : Fate::done;
}

std::uint64_t Disk::random() {
  return Random{random_++}.next();
}

}  // namespace nightjar::simulation
