// The record of a dialogue for people: what was received and what was typed, secrets masked before they are
// kept. Bounded: beyond `limit` bytes the oldest part is forgotten.
#pragma once
#include <nightjar/base/secret.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::dialogue {

inline constexpr std::size_t transcript_tail_bytes = 4096;

class Transcript {
 public:
  // Every one of `secrets` (of two bytes or more) is replaced by ***** wherever it appears, also when the
  // device echoes it and whatever the read boundaries.
  Transcript(std::vector<Secret> secrets, std::size_t limit);
  void received(std::string_view bytes);
  void typed(std::string_view bytes);               // shown as [typed: show version]
  void typed_secret();                              // shown as [typed: *****]
  std::string text() const;                         // escapes made visible (\e, \0, \x07); line ends kept
  std::string masked(std::string_view text) const;  // any other text that may quote a secret
  std::string tail(std::size_t bytes = transcript_tail_bytes) const;

 private:
  // The secret that begins at `bytes`: its length; 0: none does. `open`: what is there may become one with
  // more bytes.
  std::size_t secret_at(std::string_view bytes, bool& open) const;
  std::string_view held() const;  // as it may be shown
  void release_held();
  void keep(std::string_view masked);

  std::vector<Secret> secrets_;  // longest first
  std::array<bool, 256> begins_{};
  std::string kept_;  // masked; raw otherwise
  std::string held_;  // received, may be the beginning of a secret
  std::size_t limit_;
};

}  // namespace nightjar::dialogue
