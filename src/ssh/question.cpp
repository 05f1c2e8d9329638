// Questions of keyboard-interactive logins. The echo flag decides first; the words only tell apart what must
// not get the password: a second factor, a new password.
#include "ssh/auth.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace nightjar::ssh {
namespace {

template <std::size_t n>
bool has_any(std::string_view text, const std::array<std::string_view, n>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

constexpr std::array<std::string_view, 14> second_factor_words{
    "one-time", "one time", "verification", "passcode", "authenticator", "otp",     "token",
    "duo",      "factor",   "2fa",          "mfa",      "yubikey",       "securid", "challenge"};
constexpr std::array<std::string_view, 7> new_password_words{
    "new password", "new unix password",    "old password", "current password",
    "retype",       "change your password", "expired"};
constexpr std::array<std::string_view, 3> password_words{"password", "passwort", "passphrase"};
constexpr std::array<std::string_view, 3> name_words{"user", "login", "name"};

}  // namespace

Question classify(std::string_view prompt, bool echo) {
  std::string low(prompt);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (has_any(low, second_factor_words)) return Question::second_factor;
  if (has_any(low, new_password_words)) return Question::new_password;
  if (!echo) return Question::password;
  if (has_any(low, password_words)) return Question::password;  // some devices forget to switch the echo off
  if (has_any(low, name_words)) return Question::username;
  return Question::unknown;
}

}  // namespace nightjar::ssh
