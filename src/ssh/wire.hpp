// The wire under one SSH session: Asio's socket, libssh's session and who owns which descriptor; dialling;
// waiting with a deadline. It knows nothing of keys or logins. Not a thread: everything here belongs to one
// executor.
#pragma once
#include <nightjar/ssh/session.hpp>

#include <libssh/libssh.h>

#include <memory>
#include <string>
#include <string_view>

namespace nightjar::ssh {

// One limit on one part of a session, cut by the deadline of the whole.
struct Limit {
  static Limit of(Milliseconds most, MonoTime deadline);
  std::string span() const;  // "15 s", for reasons
  MonoTime began;
  MonoTime until;
};

// libssh's session and the descriptor lent to it: a duplicate of Asio's, so that libssh may close its own
// whenever it likes (it does on a peer's close, a failed kex or a write error, and not otherwise) without a
// number being closed twice.
class Handle {
 public:
  Handle() : session_(ssh_new()) {}
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  explicit operator bool() const { return session_ != nullptr; }
  ssh_session get() const { return session_; }
  bool lend(int socket);  // false: no descriptor left
  int connect();          // ssh_connect; call lend() first
  void disconnect();      // says goodbye; every channel pointer is dead afterwards

 private:
  ssh_session session_;
  int lent_ = -1;  // ours until ssh_connect has taken it
};

class Wire {
 public:
  enum class Wake { ready, expired };

  explicit Wire(asio::any_io_executor executor);
  ~Wire();  // drops the connection at once
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Resolves and connects. Several addresses are tried in order, each for `connect`.
  Task<Result<void>> dial(std::string address, std::uint16_t port, Seconds connect, MonoTime deadline);

  const std::string& peer() const { return peer_; }  // "192.0.2.10:22", "[2001:db8::1]:22"
  int socket() const;
  ssh_session session() const { return handle_->get(); }

  Result<void> start_ssh();  // a fresh libssh session on the connected socket
  int connect_ssh();         // one step of ssh_connect; after SSH_ERROR there must be no further one
  int connect_ssh_deaf();    // the same step, but it writes only

  // Lets libssh work off what has come in and write what it holds back. False: the connection is gone.
  bool pump();

  // Until the peer has sent something (or closed). A cancelled wait throws operation_aborted, once: the
  // cancellation state is reset before, so that what follows may wait again.
  Task<Wake> wait_for_bytes(MonoTime deadline);

  // After a libssh call said "again": until repeating it may help. Returns at once when libssh has only to
  // look again.
  Task<Wake> wait(MonoTime deadline);

  // What libssh last complained about, as a failure of this stage.
  Failure broken(Stage stage) const;
  // The SSH session is past use: nothing more can be said to the peer. To be asked before waiting, since a
  // libssh call may go on saying "again" for ever.
  bool is_broken() const;

  void disconnect_ssh();  // with a goodbye, when the socket takes it at once
  void drop() noexcept;

 private:
  struct Waiter;
  Task<Result<void>> connect_one(asio::ip::tcp::endpoint endpoint, Limit limit);

  std::shared_ptr<Waiter> waiter_;  // shared with its own timer, whose last handler may run after us
  std::unique_ptr<Handle> handle_;
  ssh_channel idle_ = nullptr;  // never opened; dies with the session
  std::string peer_;
  bool restored_ = false;  // O_NONBLOCK, which libssh clears while connecting
  bool repeated_ = false;  // the last call was already a repetition
};

// A peer's text made fit for one line of a reason: control bytes become spaces, at most `most` bytes.
std::string one_line(std::string_view text, std::size_t most = 160);

// "no free line", "Exceeded MaxStartups", ...: the peer is up and has no room.
bool sounds_busy(std::string_view text);

// What a failed lookup of `name` means: setup when the name does not exist, unreachable when DNS does not
// answer.
Failure resolve_failure(std::string_view name, const boost::system::error_code& why);
// What a failed connect means.
Failure connect_failure(std::string_view peer, const boost::system::error_code& why);
// What a libssh error text means.
Failure session_failure(std::string_view peer, Stage stage, std::string_view complaint);

}  // namespace nightjar::ssh
