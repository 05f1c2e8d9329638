// The driver files that were in config/drivers when the binary was built, byte for byte.
#pragma once
#include <span>
#include <string_view>

namespace nightjar::config {

struct EmbeddedFile {
  std::string_view name;  // the file's stem: "ios", "common"
  std::string_view toml;
};

std::span<const EmbeddedFile> embedded_files();  // by name

}  // namespace nightjar::config
