// night_simulation [--nights N] [--seed S] [--first S] [--verbose]
// Plays whole nights of the product's own decisions and store in virtual time, one seed a night. A rule that
// does not hold prints the seed, the rule and what had happened, and ends with 1; `--seed S` plays it again.
#include "simulation/night.hpp"

#include <nightjar/config/driver.hpp>
#include <nightjar/store/worker.hpp>

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdlib.h>
#include <string_view>
#include <unistd.h>

namespace nightjar::simulation {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::uint64_t nights = 2000;
  std::uint64_t first = 1;
  bool verbose = false;
};

std::optional<Options> read(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name{arguments[i]};
    if (name == "--verbose") {
      options.verbose = true;
      continue;
    }
    if (i + 1 == count) return std::nullopt;
    const std::string_view text{arguments[++i]};
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (name == "--nights") {
      options.nights = value;
    } else if (name == "--first") {
      options.first = value;
    } else if (name == "--seed") {
      options.first = value;
      options.nights = 1;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

// In memory where the system has such a place: nothing of it has to last.
class Folder {
 public:
  Folder() {
    std::error_code error;
    const fs::path memory{"/dev/shm"};
    const fs::path base = ::access(memory.c_str(), W_OK) == 0 && fs::is_directory(memory, error)
                              ? memory
                              : fs::temp_directory_path();
    std::string pattern = (base / "nightjar-nights-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder in " + base.string());
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

struct Played {
  std::uint64_t digest = 0;
  std::size_t events = 0;
};

// Empty when a rule did not hold, which is on standard output by then.
std::optional<Played> play(const Equipment& equipment, std::uint64_t seed, bool aloud) {
  const fs::path folder = equipment.folder;
  fs::remove_all(folder);
  std::optional<Night> night;
  std::string broken;
  try {
    night.emplace(equipment, seed, folder, aloud);
    night->run();
    return Played{night->account().digest(), night->account().count()};
  } catch (const Broken& e) {
    broken = e.what();
  } catch (const std::exception& e) {
    broken = std::string{"a bug threw: "} + e.what();
  }
  fmt::print("seed {}: {}\n", seed, broken);
  if (night && !aloud)
    for (const std::string& line : night->account().newest()) fmt::print("  {}\n", line);
  return std::nullopt;
}

int run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const Folder folder;
  Disk& disk = Disk::mounted();
  disk.clock = [] { return UtcTime{Seconds{1'790'000'000}}; };
  const fs::path empty = folder / "empty.db";
  {
    auto made = store::Database::open(empty, store::Database::Access::create);
    if (!made) throw std::runtime_error(made.error().reason);
  }
  const fs::path key = folder / "vault.key";
  if (auto made = vault::Vault::create_key_file(key); !made) throw std::runtime_error(made.error().reason);
  const auto vault = vault::Vault::open(key).value();
  const auto drivers = config::Drivers::load("").value();
  store::Worker idle{store::Database::open(folder / "idle.db", store::Database::Access::create).value()};
  const Equipment equipment{vault, drivers, idle, empty, folder / "night"};

  constexpr std::uint64_t played_twice = 200;  // one in so many, to see that a seed repeats
  const auto began = Clock::now();
  std::size_t events = 0;
  for (std::uint64_t i = 0; i < options.nights; ++i) {
    const std::uint64_t seed = options.first + i;
    const auto played = play(equipment, seed, options.verbose);
    if (!played) return 1;
    events += played->events;
    if (i % played_twice == 0) {
      const auto again = play(equipment, seed, false);
      if (!again || again->digest != played->digest) {
        fmt::print("seed {} does not repeat\n", seed);
        return 1;
      }
    }
  }
  const double took = std::chrono::duration<double>(Clock::now() - began).count();
  fmt::print("{} nights from seed {}: {} events, {:.1f} s, {:.0f} nights a second\n", options.nights,
             options.first, events, took, static_cast<double>(options.nights) / took);
  return 0;
}

}  // namespace
}  // namespace nightjar::simulation

int main(int count, char** arguments) {
  const auto options = nightjar::simulation::read(count, arguments);
  if (!options) {
    fmt::print(stderr, "night_simulation [--nights N] [--seed S] [--first S] [--verbose]\n");
    return 3;
  }
  try {
    return nightjar::simulation::run(*options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 3;
  }
}
