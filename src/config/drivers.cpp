#include "config/embedded.hpp"
#include "config/read_driver.hpp"

#include <nightjar/base/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace nightjar::config {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string name, origin, toml;
};

Failure setup(std::string reason) {
  return failure(FailureClass::setup, Stage::none, std::move(reason));
}

std::string built_in(std::string_view name) {
  return fmt::format("built-in {}", name);
}

bool is_driver_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// The *.toml files of a folder, by name.
Result<std::vector<File>> read_folder(const std::string& folder) {
  std::vector<File> files;
  std::error_code error;
  fs::directory_iterator entries{folder, error};
  if (error) return setup(fmt::format("driver folder {}: {}", folder, error.message()));
  for (const auto end = fs::directory_iterator{}; entries != end; entries.increment(error)) {
    const fs::path& path = entries->path();
    if (path.extension() != ".toml") continue;
    const std::string name = path.stem().string();
    if (!is_driver_name(name))
      return setup(fmt::format("{}: a driver's name holds only a-z, 0-9, - and _", path.string()));
    std::ifstream in{path, std::ios::binary};
    std::string toml{std::istreambuf_iterator<char>{in}, {}};
    if (!in.is_open() || in.bad()) return setup(fmt::format("{}: cannot be read", path.string()));
    files.push_back({name, path.string(), std::move(toml)});
    if (error) break;
  }
  if (error) return setup(fmt::format("driver folder {}: {}", folder, error.message()));
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.name < b.name; });
  return files;
}

Result<Common> built_in_common() {
  for (const EmbeddedFile& file : embedded_files())
    if (file.name == common_name) return parse_common(file.toml, built_in(common_name));
  return Common{};
}

}  // namespace

Result<Driver> parse_driver(std::string_view toml, std::string_view name, std::string_view origin) {
  static const Result<Common> common = built_in_common();
  if (!common) return common.error();
  return parse_driver(toml, name, origin, *common);
}

Result<Drivers> Drivers::load(const std::string& folder) {
  std::vector<File> own;
  if (!folder.empty()) {
    auto read = read_folder(folder);
    if (!read) return std::move(read).error();
    own = std::move(*read);
  }

  auto common = built_in_common();
  for (const File& file : own)
    if (file.name == common_name) common = parse_common(file.toml, file.origin);
  if (!common) return std::move(common).error();

  Drivers drivers;
  const auto add = [&](std::string_view name, std::string_view origin, std::string_view toml,
                       std::string_view source) -> Result<void> {
    if (name == common_name) return {};
    auto driver = parse_driver(toml, name, origin, *common);
    if (!driver) return std::move(driver).error();
    driver->source = source;
    drivers.by_name_[std::string{name}] = std::make_shared<const Driver>(std::move(*driver));
    return {};
  };
  for (const EmbeddedFile& file : embedded_files())
    if (auto added = add(file.name, built_in(file.name), file.toml, "built-in"); !added)
      return std::move(added).error();
  for (const File& file : own)
    if (auto added = add(file.name, file.origin, file.toml, file.origin); !added)
      return std::move(added).error();
  return drivers;
}

const Driver* Drivers::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second.get();
}

std::vector<const Driver*> Drivers::all() const {
  std::vector<const Driver*> drivers;
  for (const auto& [name, driver] : by_name_) drivers.push_back(driver.get());
  return drivers;
}

std::string Drivers::suggest(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& [known, driver] : by_name_) names.push_back(known);
  return std::string{nearest(name, names)};
}

}  // namespace nightjar::config
