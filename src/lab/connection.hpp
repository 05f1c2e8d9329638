// One accepted connection, from the descriptor to its end: what happens at the door, then the SSH server side
// (libssh, non-blocking), then a Shell. Lives on the fleet's thread; callbacks of libssh only take notes,
// `pump` acts.
#pragma once
#include "lab/shell.hpp"
#include "lab/unit.hpp"

#include <nightjar/lab/log.hpp>
#include <nightjar/runtime/asio.hpp>

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::lab {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // Takes over the descriptor (non-blocking, accepted from `unit`'s port). `unit` and `log` outlive it;
  // `gone` is told once.
  Connection(asio::io_context& loop, int descriptor, Unit& unit, Log& log,
             std::function<void(Connection*)> gone);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  void stop();  // breaks it off

 private:
  struct SessionDeleter {
    void operator()(ssh_session session) const noexcept;
  };

  const Trait* trait(Behaviour b) const { return unit_.plan.trait(b, number_); }

  // The door: no SSH is spoken.
  bool turned_away();
  void turn_away(std::string_view text, Ending ending);
  void drain();

  // SSH.
  bool begin_ssh();
  void pump();
  bool progress();      // false: over
  bool give_channel();  // output of the shell, as far as the window and pauses allow; false: over
  bool write_backlog();
  void obey(Step);
  void leave();
  void wait();
  void finish(Ending);
  Ending left_by_client() const;
  void note_login(Login);

  // libssh's callbacks; userdata is the Connection.
  static int on_none(ssh_session, const char* user, void* self);
  static int on_password(ssh_session, const char* user, const char* password, void* self);
  static int on_public_key(ssh_session, const char* user, ssh_key_struct* key, char state, void* self);
  static ssh_channel on_open(ssh_session, void* self);
  static int on_message(ssh_session, ssh_message, void* self);
  static int on_pty(ssh_session, ssh_channel, const char*, int, int, int, int, void* self);
  static int on_shell(ssh_session, ssh_channel, void* self);
  static int on_exec(ssh_session, ssh_channel, const char* command, void* self);
  static int on_data(ssh_session, ssh_channel, void* data, std::uint32_t length, int is_stderr, void* self);
  static void on_eof(ssh_session, ssh_channel, void* self);
  static void on_close(ssh_session, ssh_channel, void* self);
  int answer_interactive(ssh_message);
  int judge(const char* method, const char* user, bool right);
  void make_shell();

  asio::posix::stream_descriptor wire_;  // a duplicate for waiting: libssh closes its own when it pleases
  asio::steady_timer timer_;
  int descriptor_;  // libssh's; -1 once it has it
  Unit& unit_;
  Log& log_;
  const std::function<void(Connection*)> gone_;
  const int number_;
  const Log::Handle visit_;

  std::unique_ptr<ssh_session_struct, SessionDeleter> session_;
  ssh_channel channel_ = nullptr;  // dies with the session
  std::vector<ssh_channel> closed_channels_;
  ssh_server_callbacks_struct server_callbacks_{};
  ssh_channel_callbacks_struct channel_callbacks_{};
  bool keys_exchanged_ = false;
  bool logged_in_ = false;
  bool channel_closed_ = false;
  bool exec_ = false;
  int rejected_ = 0;
  int interactive_round_ = 0;
  std::string username_;

  std::unique_ptr<Shell> shell_;
  std::optional<Step> pausing_;  // its pause is running
  std::string backlog_;
  std::size_t written_ = 0;  // of backlog_
  std::optional<Step::Then> then_;
  std::optional<Ending> ending_;            // decided, but the client is given a moment to leave first
  bool reading_ = false, writing_ = false;  // waits on wire_
  bool over_ = false;
};

}  // namespace nightjar::lab
