#include "dialogue/line.hpp"

namespace nightjar::dialogue {
namespace {

constexpr std::size_t shown = 120;

}  // namespace

std::string excerpt(std::string_view line) {
  line = trimmed(line);
  std::string out{line.substr(0, shown)};
  for (char& byte : out)
    if (static_cast<unsigned char>(byte) < 0x20 || static_cast<unsigned char>(byte) > 0x7e) byte = '?';
  if (line.size() > shown) out += "...";
  return out;
}

}  // namespace nightjar::dialogue
