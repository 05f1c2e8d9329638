// One SSH session to one device: non-blocking libssh on Asio, no thread, nothing that blocks the loop. Host
// keys are checked before any secret is sent. Every wait has a deadline; every path closes the descriptor.
// Belongs to the thread of its executor and dies before it; one operation at a time. A cancelled operation
// throws operation_aborted, once: the cancellation state is reset before, so that close() can still be
// awaited.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/base/secret.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/runtime/asio.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::ssh {

struct HostKey {
  std::string type;         // "ssh-ed25519"
  std::string fingerprint;  // "SHA256:" + unpadded base64
  bool operator==(const HostKey&) const = default;
};

enum class Algorithms : std::uint8_t { modern, legacy };  // legacy: modern plus what old devices need

// A private key, parsed once and shared by many sessions. Parsing may be slow (passphrase): do it off the
// loop.
class PrivateKey {
 public:
  // OpenSSH or PEM text; ed25519, ecdsa, rsa. Class setup when unreadable or the passphrase is wrong, naming
  // `name`.
  static Result<PrivateKey> parse(const Secret& text, const Secret& passphrase, std::string_view name);

 private:
  struct Handle;
  friend class Session;
  std::shared_ptr<Handle> handle_;
};

struct Credential {
  std::string name;  // for reasons: "credential core/backup"
  std::string username;
  Secret password;  // empty: none
  std::optional<PrivateKey> key;
};

struct Target {
  std::string address;  // name or literal
  std::uint16_t port = 22;
  std::optional<HostKey> pinned;  // none: trust on first use
  Algorithms algorithms = Algorithms::modern;
  bool may_fall_back = false;  // try legacy after "no match" in a new connection
};

struct Limits {
  Seconds connect{15};
  Seconds identification{15};  // until the peer's SSH banner: a peer that is no SSH server only waits
  Seconds handshake{30};
  Seconds auth{30};
  Seconds channel{15};
  Seconds logout{10};  // kill_grace: asked nicely this long, then the socket is dropped
};

struct Pty {
  int columns = 511;
  int rows = 100;
};

struct ExecResult {
  std::string output;  // stdout
  std::string errors;  // stderr, at most 64 KiB
  int status = 0;
};

class Session {
 public:
  // Resolves, connects, checks the host key, logs in. `deadline` bounds it all, the limits each part.
  // Failures carry class and stage: resolve/connect (unreachable, "connection refused by 192.0.2.10:22"),
  // handshake (timeout, negotiation with both offers, dropped, busy), host key (host_key with both
  // fingerprints), auth (auth; one password try).
  static Task<Result<std::unique_ptr<Session>>> open(Target target, Credential credential, Limits limits,
                                                     MonoTime deadline);
  ~Session();  // drops the socket if close() was not awaited

  const HostKey& host_key() const;
  Algorithms algorithms() const;  // the set that worked
  std::string_view peer() const;  // "192.0.2.10:22"

  Task<Result<void>> open_shell(Pty pty, MonoTime deadline);
  // At least one byte, or 0 when the far side has closed; class timeout at the deadline (the shell stays
  // usable).
  Task<Result<std::size_t>> read_some(std::span<char> into, MonoTime deadline);
  Task<Result<void>> write(std::string bytes, MonoTime deadline);

  // A channel of its own. More than `most` bytes, or an end without an exit status, is class
  // incomplete/dropped.
  Task<Result<ExecResult>> exec(std::string command, std::size_t most, MonoTime deadline);

  // Closes channel and session within Limits::logout, then drops the socket. Never fails. Call it also after
  // a failure.
  Task<void> close();
  Task<void> close(
      Seconds at_most);  // less than Limits::logout, where nothing is lost by dropping the socket

 private:
  class Impl;
  explicit Session(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace nightjar::ssh
