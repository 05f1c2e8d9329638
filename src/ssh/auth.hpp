// Logging in: nothing, then the key, then ONE password try, by whichever method the device offers.
#pragma once
#include "ssh/wire.hpp"

namespace nightjar::ssh {

// `key` is borrowed for the call and may be null. Failures carry stage auth: class auth when the device said
// no, wants a second factor ("mfa_required") or a new password; timeout, dropped or busy when it did not get
// that far.
Task<Result<void>> log_in(Wire& wire, const Credential& credential, ssh_key key, Limit limit);

// What a keyboard-interactive question asks for.
enum class Question : std::uint8_t { password, username, second_factor, new_password, unknown };
Question classify(std::string_view prompt, bool echo);

}  // namespace nightjar::ssh
