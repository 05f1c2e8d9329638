// What everything in one night shares: the clock, the folder, what never changes, and the account of what
// happened. A rule that does not hold is thrown as Broken.
#pragma once
#include "simulation/disk.hpp"
#include "simulation/random.hpp"

#include <nightjar/orchestrator/site.hpp>
#include <nightjar/runtime/clock.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace nightjar::simulation {

class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws when the rule does not hold; the words are made in that case only.
template <class... Arguments>
void hold(bool holds, fmt::format_string<Arguments...> words, Arguments&&... arguments) {
  if (!holds) throw Broken{fmt::format(words, std::forward<Arguments>(arguments)...)};
}

class VirtualClock final : public runtime::Clock {
 public:
  explicit VirtualClock(UtcTime start) : offset_(start.time_since_epoch() - epoch) {}
  UtcTime now() const override {
    return UtcTime{std::chrono::floor<Milliseconds>(mono_.time_since_epoch()) + offset_};
  }
  MonoTime mono() const override { return mono_; }
  void advance_to(MonoTime to) { mono_ = std::max(mono_, to); }
  void jump(Milliseconds by) {  // somebody sets the wall clock
    highest_ = highest();
    offset_ += by;
  }
  UtcTime highest() const { return std::max(highest_, now()); }  // that it ever showed

 private:
  static constexpr Milliseconds epoch{3'600'000};
  MonoTime mono_{epoch};
  Milliseconds offset_;
  UtcTime highest_{};
};

// The last events in words, and a digest of all of them, by which two plays of one seed are compared.
class Account {
 public:
  explicit Account(const runtime::Clock& clock, bool aloud) : clock_(clock), aloud_(aloud) {}

  template <class... Arguments>
  void note(fmt::format_string<Arguments...> words, Arguments&&... arguments) {
    add(fmt::format(words, std::forward<Arguments>(arguments)...));
  }
  const std::deque<std::string>& newest() const { return newest_; }
  std::uint64_t digest() const { return digest_; }
  std::size_t count() const { return count_; }

 private:
  void add(std::string words);

  const runtime::Clock& clock_;
  bool aloud_;
  std::deque<std::string> newest_;
  std::uint64_t digest_ = 0xcbf29ce484222325U;
  std::size_t count_ = 0;
};

// Made once for all nights: an empty database, a vault, the drivers.
struct Equipment {
  const vault::Vault& vault;
  const config::Drivers& drivers;
  store::Worker& idle;  // a Site names one; nobody gives it a job here
  std::filesystem::path empty_database;
  std::filesystem::path folder;
};

struct World {
  World(const Equipment& equipment, std::uint64_t seed, UtcTime start, std::filesystem::path night_folder,
        bool aloud);
  // The reason without the folder's name, which is another at every play.
  std::string said(const Failure&) const;

  std::uint64_t seed;
  const Equipment& equipment;
  std::filesystem::path folder;
  std::filesystem::path database;
  Disk& disk;
  VirtualClock clock;
  Account account;
  Random random;
  orchestrator::Site site;
};

}  // namespace nightjar::simulation
