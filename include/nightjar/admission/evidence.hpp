// What an attempt that has ended tells about others: is the customer's network there, is the credential good?
// Read off class and stage, which were set where the error was raised; never guessed from text.
#pragma once
#include <nightjar/base/failure.hpp>

#include <cstdint>
#include <optional>

namespace nightjar::admission {

enum class Contact : std::uint8_t {
  reached,      // the device spoke to the end: a backup, or an answer that we did not like
  lost,         // it was reached when the attempt began; how it is now is not known (dropped, timeout)
  unreachable,  // no answer to a connection
  none,  // the device was not touched (set-up, local trouble), or nobody knows (interrupted, cancelled)
};

enum class Login : std::uint8_t {
  accepted,  // the device let the credential in, enable included: the first command could be typed
  rejected,  // class auth, at whatever stage the device said so
  none,      // it never came to that
};

// Of the failure of an attempt that really ran; no failure means success. An attempt that was interrupted or
// cancelled is Contact::none and Login::none, whatever failure was noted for it.
Contact contact_of(const std::optional<Failure>&);
Login login_of(const std::optional<Failure>&);

}  // namespace nightjar::admission
