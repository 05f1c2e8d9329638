#include "simulation/world.hpp"

#include <cstdio>

namespace nightjar::simulation {
namespace {

constexpr std::size_t remembered = 60;

}  // namespace

void Account::add(std::string words) {
  words = fmt::format("{:>10.3f} s  {}  {}",
                      std::chrono::duration<double>(clock_.mono().time_since_epoch()).count() - 3600,
                      to_rfc3339(clock_.now()), words);
  for (const char c : words) digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  if (aloud_) fmt::print("{}\n", words);
  ++count_;
  newest_.push_back(std::move(words));
  if (newest_.size() > remembered) newest_.pop_front();
}

World::World(const Equipment& with, std::uint64_t of_seed, UtcTime start, std::filesystem::path night_folder,
             bool aloud)
    : seed(of_seed),
      equipment(with),
      folder(std::move(night_folder)),
      database(folder / "nightjar.db"),
      disk(Disk::mounted()),
      clock(start),
      account(clock, aloud),
      random(of_seed),
      site{with.idle, with.vault, with.drivers, clock, folder} {
  disk.clean(of_seed);
  disk.clock = [this] { return clock.now(); };
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(with.empty_database, database,
                             std::filesystem::copy_options::overwrite_existing);
}

std::string World::said(const Failure& failure) const {
  std::string reason = failure.reason;
  if (const auto at = reason.find(folder.string()); at != std::string::npos)
    reason.erase(at, folder.string().size() + 1);
  return reason;
}

}  // namespace nightjar::simulation
