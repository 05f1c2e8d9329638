// The prompt a device was found to have, and the probe that finds it: an empty line is typed, and only what
// comes back as the same line again is believed to be a prompt.
#pragma once
#include <nightjar/base/pattern.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::dialogue {

class Prompt {
 public:
  // `variables` outlive the prompt: parts that may change inside a session.
  explicit Prompt(const std::vector<Pattern>& variables) : variables_(variables) {}

  // `preamble`: lines some devices print before each prompt ("{master:0}").
  void learn(std::string_view line, std::vector<std::string> preamble);
  bool known() const { return !literal_.empty(); }
  const std::string& literal() const { return literal_; }
  const std::vector<std::string>& preamble() const { return preamble_; }

  bool is(std::string_view line) const;
  bool is_preamble(std::string_view line) const;
  bool same(std::string_view a, std::string_view b) const;
  // The prompt with `command` typed behind it.
  bool echoes(std::string_view line, std::string_view command) const;
  // What a line looks like without its variable parts and trailing blanks.
  std::string fixed_part(std::string_view line) const;

  // Takes the preamble of the prompt that follows, and blank lines inside of it, off the end of a text.
  void cut_preamble(std::string& text) const;

 private:
  const std::vector<Pattern>& variables_;
  std::string literal_;
  std::vector<std::string> preamble_;
};

class Probe {
 public:
  void send(std::string candidate);
  void send_again() { ++sent_; }  // nothing came
  void withdraw() { out_ = false; }
  bool out() const { return out_; }
  const std::string& candidate() const { return candidate_; }

  // A line finished while the probe is out. False: this is no answer to a probe, the device goes on talking.
  bool line(std::string_view text, const Prompt& prompt);
  // The lines, blank ones and the candidate aside, that came before the current line.
  const std::vector<std::string>& between() const { return between_; }
  // How often the candidate was finished as a line for each time the probe was sent, rounded up.
  std::size_t repeats() const { return (matches_ + sent_ - 1) / sent_; }

 private:
  static constexpr std::size_t lines_between = 3;
  static constexpr std::size_t line_bytes = 512;
  bool out_ = false;
  std::string candidate_;
  std::vector<std::string> between_;
  std::size_t matches_ = 0;
  std::size_t sent_ = 1;
};

}  // namespace nightjar::dialogue
