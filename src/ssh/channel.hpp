// One channel of a session: opening it as a shell or for one command, and what arrives on it. Bytes are taken
// by callback as packets come in, because libssh refuses to hand over what it buffered once the peer has
// disconnected.
#pragma once
#include "ssh/wire.hpp"

#include <libssh/callbacks.h>

#include <limits>
#include <span>

namespace nightjar::ssh {

class Channel {
 public:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t most_errors = 64 * 1024;

  // `apart`: stderr is kept apart, and at most `most` bytes of output are kept. A shell has one stream.
  Channel(Wire& wire, bool apart, std::size_t most);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Each of these is bounded by `limit` as a whole. Failures carry `stage`: busy when the device has no
  // session left, unsupported when it refuses the request.
  Task<Result<void>> open(Stage stage, Limit limit);
  Task<Result<void>> request_shell(Pty pty, Limit limit);
  Task<Result<void>> request_exec(std::string command, Limit limit);

  // As Session::read_some and Session::write.
  Task<Result<std::size_t>> read_some(std::span<char> into, MonoTime deadline);
  Task<Result<void>> write(std::string bytes, MonoTime deadline);

  // Until the far side is done. True: it told an exit status.
  Task<Result<bool>> run_out(MonoTime deadline);
  bool is_over_limit() const { return over_limit_; }
  int status() const { return status_; }
  std::string take_output() { return std::move(inbox_); }
  std::string take_errors() { return std::move(errors_); }

  // Says that we are done and waits for the far side to agree.
  Task<void> close(MonoTime deadline);

 private:
  static int on_data(ssh_session, ssh_channel, void* data, std::uint32_t size, int is_stderr, void* self);
  static void on_eof(ssh_session, ssh_channel, void* self);
  static void on_close(ssh_session, ssh_channel, void* self);
  static void on_status(ssh_session, ssh_channel, int status, void* self);
  void take(std::string_view bytes, bool is_stderr);

  bool pump();  // the wire's, keeping account of how much came
  // Until libssh has handed everything to the kernel. A connection that breaks meanwhile is for the next read
  // to tell: the device's last words come first.
  Task<Result<void>> flush(MonoTime deadline);
  Failure refused(Stage stage, std::string_view what) const;
  Failure expired(Stage stage, std::string_view what, const Limit& limit) const;

  Wire& wire_;
  ssh_channel channel_;
  ssh_channel_callbacks_struct callbacks_{};
  bool apart_;
  std::size_t most_;

  std::span<char> reader_;     // where a read_some under way wants its bytes
  std::size_t delivered_ = 0;  // how many it has got
  std::string inbox_;          // what came in while nobody read
  std::size_t taken_ = 0;      // of inbox_
  std::string errors_;
  std::size_t arrived_ = 0;  // bytes since the last pump began
  bool drained_ = false;     // the last pump found less than it could have taken
  bool eof_ = false;
  bool closed_ = false;
  bool over_limit_ = false;
  bool told_status_ = false;
  int status_ = 0;
};

}  // namespace nightjar::ssh
