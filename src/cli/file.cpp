#include "cli/file.hpp"

#include "cli/exit_code.hpp"

#include <nightjar/base/secret.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace nightjar::cli {
namespace {

// Files may be key files: what was read is wiped before it is let go.
Result<std::string> read_all(int descriptor, const std::string& name, std::size_t most) {
  std::string text;
  std::array<char, 16384> block;
  while (true) {
    const ssize_t got = read(descriptor, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return usage(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > most) {
      wipe(text);
      return usage(fmt::format("{} is too large: at most {} bytes are read", name, most));
    }
  }
}

}  // namespace

Result<std::string> read_file(const std::string& name, std::size_t most) {
  if (name == "-") return read_all(STDIN_FILENO, "standard input", most);
  const int descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return usage(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  auto text = read_all(descriptor, name, most);
  close(descriptor);
  return text;
}

}  // namespace nightjar::cli
