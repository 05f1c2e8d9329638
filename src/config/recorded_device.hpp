// A device made of a recording: takes what is typed, gives the bytes the device would send. It knows no
// driver but its prompt pattern, which tells a recording with prompts from one of bare outputs.
#pragma once
#include <nightjar/base/pattern.hpp>
#include <nightjar/base/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::config {

struct Recording {
  struct Entry {
    std::string send;  // a command with its newline, or a bare key
    std::string reply;
    bool closes = false;
    bool is_key = false;
  };
  std::string newline = "\n";
  std::string login;
  bool closes_at_login = false;
  bool ordered = false;
  std::optional<std::string> unknown;
  std::vector<Entry> entries;
};

Result<Recording> parse_recording(std::string_view json);

class RecordedDevice {
 public:
  // `recording` and `prompt` outlive the device. `unknown_command` is its answer to what it does not know;
  // {command} stands in for it.
  RecordedDevice(const Recording& recording, const Pattern& prompt, std::string unknown_command,
                 std::string bare_prompt);

  std::string greet();                       // what it sends once the shell is open
  std::string type(std::string_view bytes);  // what it sends back
  bool closed() const { return closed_; }

  // In exec mode: the bare output, or the refusal.
  std::string run(std::string_view command);

 private:
  const Recording::Entry* entry_of(std::string_view line);
  std::string answer(std::string_view line);
  std::string answer_to_nothing() const;
  std::string refusal(std::string_view command) const;
  std::string sent(const Recording::Entry& entry);
  void learn_prompt(std::string_view reply);

  const Recording* recording_;
  const Pattern* prompt_pattern_;
  std::string unknown_command_;
  std::string prompt_;     // raw bytes, escapes included
  bool bare_ = false;      // replies carry neither echo nor prompt
  bool at_prompt_ = true;  // the last reply ended with a prompt, so a line typed now is a command
  std::size_t next_ = 0;   // entry behind the last one answered
  std::string typed_;      // not yet a whole line
  bool closed_ = false;
};

}  // namespace nightjar::config
