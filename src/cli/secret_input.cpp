#include "cli/secret_input.hpp"

#include "cli/exit_code.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <termios.h>
#include <unistd.h>

namespace nightjar::cli {
namespace {

struct Line {
  std::string text;  // without its end
  bool end_of_input = false, too_long = false, interrupted = false;
};

Line read_line(int descriptor) {
  Line line;
  // No reallocation: it would leave a copy of the secret behind.
  line.text.reserve(longest_secret + 1);
  while (true) {
    char c = 0;
    const ssize_t got = read(descriptor, &c, 1);
    if (got < 0) {
      line.interrupted = errno == EINTR;
      line.end_of_input = !line.interrupted;
      return line;
    }
    if (got == 0) {
      line.end_of_input = line.text.empty();
      break;
    }
    if (c == '\n') break;
    if (line.text.size() > longest_secret) {
      line.too_long = true;
      continue;
    }
    line.text += c;
  }
  if (line.text.ends_with('\r')) line.text.pop_back();
  return line;
}

Result<Secret> to_secret(Line line, std::string_view what) {
  Secret secret{line.text};
  wipe(line.text);
  if (line.end_of_input) return usage(fmt::format("no {} came on standard input", what));
  if (line.too_long || secret.reveal().size() > longest_secret)
    return usage(fmt::format("the {} is longer than {} bytes", what, longest_secret));
  if (secret.empty()) return usage(fmt::format("the {} is empty", what));
  return secret;
}

volatile std::sig_atomic_t caught = 0;
void note_signal(int number) {
  caught = number;
}

constexpr std::array watched{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};

// Echo off, and the signals that would leave it off are caught, for as long as it lives.
class Silence {
 public:
  explicit Silence(int terminal) : terminal_(terminal) {
    caught = 0;
    struct sigaction catcher {};
    catcher.sa_handler = note_signal;  // without SA_RESTART: the read ends with EINTR
    for (std::size_t i = 0; i < watched.size(); ++i) sigaction(watched[i], &catcher, &before_[i]);
    known_ = tcgetattr(terminal_, &settings_) == 0;
    termios silent = settings_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (known_) tcsetattr(terminal_, TCSAFLUSH, &silent);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() {
    if (known_) tcsetattr(terminal_, TCSAFLUSH, &settings_);
    for (std::size_t i = 0; i < watched.size(); ++i) sigaction(watched[i], &before_[i], nullptr);
  }
  bool holds() const { return known_; }

 private:
  int terminal_;
  bool known_ = false;
  termios settings_{};
  std::array<struct sigaction, watched.size()> before_{};
};

}  // namespace

bool can_ask() {
  return isatty(STDIN_FILENO) == 1;
}

Result<Secret> secret_line(std::string_view what) {
  Line line = read_line(STDIN_FILENO);
  while (line.interrupted) {
    wipe(line.text);
    line = read_line(STDIN_FILENO);
  }
  return to_secret(std::move(line), what);
}

Result<Secret> ask_secret(std::string_view prompt) {
  if (!can_ask()) return usage(fmt::format("cannot ask for the {}: standard input is no terminal", prompt));
  while (true) {
    Line line;
    {
      const Silence silence(STDIN_FILENO);
      if (!silence.holds())
        return usage("cannot ask for a secret: the terminal does not let echo be switched off");
      fmt::print(stderr, "{}: ", prompt);
      line = read_line(STDIN_FILENO);
      fmt::print(stderr, "\n");
    }
    if (!line.interrupted) return to_secret(std::move(line), prompt);
    wipe(line.text);
    // The terminal is itself again: now the signal may do what it does. After a stop the question is asked
    // once more.
    if (caught) raise(caught);
  }
}

Result<bool> confirm(std::string_view question, bool yes_was_given) {
  if (yes_was_given) return true;
  if (!can_ask()) return usage(fmt::format("{} Say so with --yes: there is no terminal to ask on", question));
  fmt::print(stderr, "{} [y/N] ", question);
  const Line line = read_line(STDIN_FILENO);
  return line.text == "y" || line.text == "Y" || line.text == "yes";
}

}  // namespace nightjar::cli
