// What a simulated device is: plan values, no behaviour of their own. The lab knows devices from their own
// side only; it shares nothing with the drivers that talk to them.
#pragma once
#include <nightjar/base/time.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::lab {

enum class Kind : std::uint8_t { ios, eos, nxos, junos, fortios, frr, linux_host };

inline constexpr std::array all_kinds{Kind::ios,     Kind::eos, Kind::nxos,      Kind::junos,
                                      Kind::fortios, Kind::frr, Kind::linux_host};

std::string_view to_text(Kind);  // the name of the driver that fits: "ios", ..., "linux"
std::optional<Kind> parse_kind(std::string_view);

enum class Behaviour : std::uint8_t {
  fine,         // says nothing new; lets a plan be explicit
  slow,         // `think` before the config, `delay` before each of its lines
  drip,         // the config comes one byte a `delay`
  refuse,       // the connection is closed at accept, before the SSH identification
  reset,        // the same, by a TCP reset
  dead,         // nothing listens: connection refused; `first` does not apply
  garbage,      // bytes that are no SSH, then closed
  hang_banner,  // accepts TCP and says nothing
  vty_full,  // `text` (default "% All vty lines are in use") instead of the SSH identification, then closed
  vty_full_shell,        // logs in, then the shell says `text` and closes
  wrong_password,        // expects another password than the plan says
  wrong_enable,          // expects another enable password than the plan says
  hang_login,            // logs in, but never shows a prompt
  hang_command,          // stops in the middle of the config
  drop_mid_config,       // the TCP connection dies in the middle of the config
  truncated,             // half of the config, no end, then the prompt as if all were well
  changes,               // the config differs at each reading
  noisy,                 // only time stamps and salts differ at each reading (frr and linux show none)
  banner,                // lines full of '#' and '>' before the login is done and before the prompt
  pager_always,          // does not know how to switch its pager off
  host_key_changes,      // shows another host key from connection `from` on (default 2)
  legacy_only,           // group14-sha1, ssh-rsa, aes128-cbc, hmac-sha1 and nothing else
  keyboard_interactive,  // no password method: one round without a question, then `text` (default "Password:
                         // ")
  shell_login,           // SSH method none; user name and password are asked for in the shell
};

std::string_view to_text(Behaviour);
std::optional<Behaviour> parse_behaviour(std::string_view);

// One trait of a device. Traits of one device combine; of two that end a connection the earlier one in the
// connection wins.
struct Trait {
  Behaviour behaviour = Behaviour::fine;
  int first = 0;           // only the first N connections of the device show it; 0: every one does
  int from = 2;            // host_key_changes: the first connection with the other key
  Milliseconds delay{20};  // slow, drip
  Milliseconds think{0};   // slow
  std::string text = {};   // see Behaviour; empty: the default
};

struct Device {
  std::string customer = "lab";
  std::string name = "core-01";
  Kind kind = Kind::ios;
  std::string hostname = {};  // what the prompt says; empty: the name
  std::string username = "nightjar";
  std::string password = "lab-password";
  std::string enable_password = "lab-enable";  // empty: login is privileged at once
  std::string public_key = {};  // an OpenSSH public key line that may log in as well; empty: none
  std::vector<Trait> traits = {};
  std::size_t config_bytes = 20'000;  // about; the real size is within a stanza of it
  std::string config = {};            // given: the config itself, LF line ends, instead of a generated one
  bool own_host_key = false;          // false: the key of the fleet
  std::string credential = "lab";     // the name the inventory gives, see cli: "customer/name" or "name"
  std::vector<std::string> tags = {};

  const std::string& shown_name() const { return hostname.empty() ? name : hostname; }
  // The trait as it applies to the n-th connection (from 1) of the device; null when it does not.
  const Trait* trait(Behaviour, int connection) const;
};

// The configuration the device shows after `changes` changes, LF line ends, from its first stored line to its
// end mark: what a right backup holds apart from the driver's framing. `reading` moves only its time stamps.
// Deterministic.
std::string running_config(const Device&, int changes = 0, int reading = 0);

}  // namespace nightjar::lab
