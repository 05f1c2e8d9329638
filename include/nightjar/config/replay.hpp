// Plays a recorded dialogue against a driver, in virtual time and without a network: what would a backup of
// this device have stored, and why not? The recording is JSON:
//   driver, device; newline: what ends a line the client types; login: all the device sends before the first
//   command; dialogue: [{send, reply}]; ordered: one session in order, bare keys for a pager included, rather
//   than any command at any time.
// A reply is echo + output + next prompt; a device sends CRLF where the text has a bare line feed. Recordings
// made of bare outputs get echo and prompt added. A send that is only a newline tells what an empty line
// brings. Optional: unknown, the answer to a command that is not in the list (else the driver's
// unknown_command); closes, of an entry or of the login: the device hangs up behind it.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/config/driver.hpp>
#include <nightjar/dialogue/engine.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::config {

struct ReplayReport {
  std::string text;      // composed; with a failure of the verdict the text it speaks of, else empty
  std::string evidence;  // of a dialogue that failed: what of the section in flight had come
  std::optional<Failure> failure;  // of the dialogue or the verdict; none: `text` is what would be stored
  std::vector<dialogue::SectionText> sections;
  std::string transcript;  // what was received and typed, secrets masked
};

// The login is the recording's own: user name backup, password PASSWORD, enable password ENABLEPASS.
// An error is only ever about the recording itself (class setup): what is missing or wrong in it.
Result<ReplayReport> replay(const Driver& driver, std::string_view transcript_json);

}  // namespace nightjar::config
