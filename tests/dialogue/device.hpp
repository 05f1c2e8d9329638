// A scripted device and a virtual clock: what the engine types reaches the device at once, what the device
// prints reaches the engine in pieces of any size, with pauses at any byte. Nothing here knows how the engine
// decides.
#pragma once
#include <nightjar/dialogue/engine.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::dialogue::test {

// Inside of what a device prints: it stops there until it has read
inline constexpr char wait_key = '\x01';     // one byte
inline constexpr char wait_line = '\x02';    // a line, echoed
inline constexpr char wait_secret = '\x03';  // a line, not echoed
inline constexpr char hang_up = '\x04';      // nothing: the connection is closed

struct Printed {
  std::string body;                         // after the echo, before the prompt
  std::optional<std::string> prompt_after;  // from then on
};

struct Device {
  std::string greeting;  // before the first prompt
  std::string prompt = "core-01#";
  std::map<std::string, std::vector<Printed>> answers;  // the last one of a command repeats
  std::string unknown = "% Invalid input detected at '^' marker.\r\n";
  std::string newline = "\r\n";  // echo of the end of a line
  bool echo = true;
  bool echo_at_once = false;  // like a Unix terminal: what is typed while a command prints is echoed into it
  bool discards_typeahead = false;

  void answer(const std::string& command, std::string body);  // \n in `body` is sent as \r\n
};

struct Pause {
  std::size_t at = 0;  // bytes printed in the whole session
  Milliseconds length{0};
};

// How many bytes the next read brings.
using Reads = std::function<std::size_t()>;

struct Talk {
  std::optional<Failure> failure;
  std::vector<SectionText> sections;
  std::string typed;                      // everything
  std::vector<std::string> secret_lines;  // the unfinished line at which each secret was typed
  std::string partial;
  std::string transcript;
  std::string prompt;
  std::size_t printed = 0;  // bytes the device printed
  Milliseconds took{0};
  bool done = false;

  std::string text(std::size_t section = 0) const;
};

Talk talk(const Script& script, Device device, std::vector<Pause> pauses = {}, const Reads& reads = {},
          Login login = {"backup", Secret{"s3cret!"}, Secret{"en4ble!"}},
          std::optional<std::size_t> cut_off_at = {});  // the connection is lost after so many bytes

Pattern pattern(std::string_view expression);
Script script();  // prompts of the IOS kind, two preparation commands, a fact, a config with an end mark

}  // namespace nightjar::dialogue::test
