// The disk under SQLite: the real files through a VFS of its own, which can be full, and on which a process
// can die at any write: that write is torn and no later one of that process arrives. It also tells SQLite the
// time, which is the simulation's.
#pragma once
#include <nightjar/base/time.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace nightjar::simulation {

class Disk {
 public:
  // Mounted once in the life of the program, as the default of every connection that is opened from then on.
  static Disk& mounted();
  void clean(std::uint64_t seed);  // before each night

  std::function<UtcTime()> clock;
  bool full = false;

  // Whose writes the next ones are; 0: somebody who does not die. Processes are numbered from 1.
  class Acting {
   public:
    Acting(Disk& disk, int process) : disk_(disk), before_(disk.acting_) { disk_.acting_ = process; }
    Acting(const Acting&) = delete;
    Acting& operator=(const Acting&) = delete;
    ~Acting() { disk_.acting_ = before_; }

   private:
    Disk& disk_;
    int before_;
  };

  void die_after(int process, int writes) { left_[process] = writes; }
  bool is_dead(int process) const;

  // What the VFS asks: SQLite's code for one write of who acts now, or of what it would do to names.
  enum class Fate : std::uint8_t { done, full, torn, dead };
  Fate write();
  Fate change() const;
  std::uint64_t random();

 private:
  int acting_ = 0;
  std::map<int, int> left_;  // writes until the process dies; below 0: it is dead
  std::uint64_t random_ = 0;
};

}  // namespace nightjar::simulation
