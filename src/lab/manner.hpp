// How one kind of device behaves at its command line: prompts, commands, pager, error texts. Data; `shell`
// plays it. In texts {host} is the device's shown name, {user} who logged in, {line} what was typed, {n} the
// size of the config in bytes.
#pragma once
#include <nightjar/lab/device.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nightjar::lab {

enum class Does : std::uint8_t {
  print,       // text
  config,      // the configuration, between frame_before (or text, where given) and frame_after
  paging_off,  // text, and no pager from now on
  enable,      // asks for the enable password
  disable,
  enter,  // a sub-context named by text; `end` leaves it
  leave,  // logs out
};

struct Command {
  std::string_view words;  // each may be cut short where the kind allows it; a last "*" stands for any rest
  Does does = Does::print;
  std::string_view text;
  bool privileged = false;
  std::string_view context = {};  // only known in this sub-context; empty: only outside of any
};

struct Manner {
  std::string_view greeting = {};        // after login, before the first prompt
  std::string_view prompt = {};          // not privileged, or of a kind without the distinction
  std::string_view enabled_prompt = {};  // empty: the kind has no enable
  std::string_view context_prompt = {};  // {context}
  std::string_view unknown = {};         // error text for what is no command
  std::string_view enable_refused = {};
  int enable_tries = 1;
  std::string_view more = {};   // pager
  std::string_view erase = {};  // what it sends after a key
  bool pages = true;            // pager on after login
  bool abbreviates = true;
  std::string_view echo_end = "\r\n";  // what the echo of Return is
  std::string_view frame_before = {};
  std::string_view frame_after = {};
  std::string_view after_answer = {};  // between an answer and the prompt
  std::span<const Command> commands = {};
};

const Manner& manner_of(Kind);

// The text with {host}, {user}, ... filled in; an unknown name stays as it is.
struct Fill {
  std::string_view name, value;
};
std::string fill(std::string_view text, std::span<const Fill>);

}  // namespace nightjar::lab
