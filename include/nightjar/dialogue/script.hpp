// What a driver tells the dialogue engine: prompt, login, enable, paging, commands, error texts. Plain data;
// it is read from a driver file by `config`. All patterns see lines as rendered by the terminal model,
// without line ends.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/base/pattern.hpp>
#include <nightjar/base/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::dialogue {

enum class Answer : std::uint8_t { text, username, password, enable_password };

// A question before the first prompt, seen as the current (unfinished) line; where that is blank,
// Answer::text also answers the last finished one. Secrets are only ever typed here and in Enable, once each:
// the same question a second time is class auth, and so is a question for a new or current password that no
// Answer::text step answers.
struct LoginStep {
  Pattern expect;
  Answer answer = Answer::text;
  std::string text;         // for Answer::text: exactly these bytes (no newline is added)
  std::size_t at_most = 1;  // how often this step may be answered in one login
};

// A text that means: this will not work. Found in any line of the phase it belongs to.
struct ErrorText {
  Pattern text;
  FailureClass failure_class = FailureClass::unsupported;
  std::string reason;  // "" : the matching line itself, trimmed
};

struct Enable {
  Pattern wanted_at;        // the learnt prompt when privileges are still missing, e.g. '>$'
  std::string command;      // "enable"
  Pattern password_prompt;  // current line at which the secret may be typed
  std::optional<Pattern> username_prompt;
  std::vector<ErrorText> refused;  // class auth unless said otherwise
};

struct Pager {
  Pattern prompt;  // found in the current line
  std::string key = " ";
};

enum class SectionKind : std::uint8_t { fact, config };

struct Section {
  std::string name;  // "version", "running-config"
  SectionKind kind = SectionKind::config;
  // Tried in order; the next one when the device does not know the one before.
  std::vector<std::string> commands;
  bool optional = false;  // no command known: left out, not a failure (always true for facts)
  // Last non-blank line of a whole answer; without it the answer is incomplete.
  std::optional<Pattern> end_mark;
  std::vector<Pattern> keep;       // of a fact: lines the engine keeps; empty: all
  std::optional<Seconds> timeout;  // instead of Limits::idle, for devices that think long before they answer
};

struct Limits {
  // Silence after a prompt before it is believed. Once the device's echo has shown how long the line takes,
  // four round trips, but never less than a quarter or more than four times of this.
  Milliseconds quiet{150};
  Seconds prompt{30};              // from the open shell to the first believed prompt
  Seconds idle{60};                // without one byte while a command runs
  std::size_t bytes = 256u << 20;  // of one answer
  std::size_t pages = 100'000;     // pager answers in one session
};

enum class Mode : std::uint8_t { shell, exec };  // one PTY for all commands, or one channel a command

struct Script {
  std::string driver;  // its name, for reasons
  Mode mode = Mode::shell;
  std::string newline = "\n";  // what the client types at the end of a command
  Pattern prompt;              // whole line, trailing blanks cut; the device's own prompt is learnt from it
  // Parts of the prompt that may change inside a session; cut before comparing.
  std::vector<Pattern> prompt_variables;
  bool echo = true;  // the device repeats what is typed
  std::vector<LoginStep> login;
  std::vector<ErrorText> login_errors;
  std::optional<Enable> enable;
  std::vector<std::string> preparation;  // paging off and the like; a device that does not know one is fine
  std::vector<Pager> pagers;
  std::vector<Section> sections;
  std::vector<ErrorText> command_errors;  // looked for in the first and last lines of an answer only
  std::vector<std::string> logout;
  Limits limits;
};

// The failure an answer spells out, looking at its first and last three non-blank lines; empty when it looks
// like an answer. Used by the engine for a shell, by the caller in exec mode.
std::optional<Failure> error_in_answer(const Script&, std::string_view command, std::string_view answer);

// What of a whole answer is kept: of a fact the lines it asks for, else all.
std::string kept_of(const Section&, std::string answer);

}  // namespace nightjar::dialogue
