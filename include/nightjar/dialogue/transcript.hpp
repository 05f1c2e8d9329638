// The record of a dialogue for people: what was received and what was typed, secrets masked before they are kept.
// Bounded: beyond `limit` bytes the oldest part is forgotten.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nightjar/base/secret.hpp>

namespace nightjar::dialogue {

inline constexpr std::size_t transcript_tail_bytes = 4096;

class Transcript {
 public:
  // Every one of `secrets` (of two bytes or more) is replaced by ***** wherever it appears, also when the device
  // echoes it and whatever the read boundaries.
  Transcript(std::vector<Secret> secrets, std::size_t limit);
  void received(std::string_view bytes);
  void typed(std::string_view bytes);   // shown as [typed: show version]
  void typed_secret();                  // shown as [typed: *****]
  std::string text() const;             // escapes made visible (\e, \0, \x07); line ends kept
  std::string tail(std::size_t bytes = transcript_tail_bytes) const;

 private:
  // The engine's author owns what is below this line.
};

}  // namespace nightjar::dialogue
