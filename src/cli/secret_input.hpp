// Secrets come in two ways only: as lines of standard input, or typed at a terminal that does not echo. Never
// in argv, never in the environment, never printed.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/base/secret.hpp>

#include <string_view>

namespace nightjar::cli {

inline constexpr std::size_t longest_secret = 4096;

bool can_ask();  // standard input is a terminal

// The next line of standard input without its line end. `what` is for the error: nothing came, an empty line,
// or one too long. Reads byte by byte: what follows the line stays for the next reader.
Result<Secret> secret_line(std::string_view what);

// Asks on the terminal, without echo. The terminal is put back as it was on every path, a signal's included.
Result<Secret> ask_secret(std::string_view prompt);

// "y" or "yes" after the question on the terminal is yes. Without a terminal: class setup, naming --yes.
Result<bool> confirm(std::string_view question, bool yes_was_given);

}  // namespace nightjar::cli
