#include "ssh/channel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nightjar::ssh {
namespace {

// libssh takes at most 4 KiB off the socket in one step; a step that brought about as much has probably left
// more behind.
constexpr std::size_t full_step = 3 * 1024;

// For the kinds of terminals devices know, one that every one of them knows; `dialogue` understands its
// sequences.
constexpr const char* terminal = "vt100";

}  // namespace

Channel::Channel(Wire& wire, bool apart, std::size_t most)
    : wire_(wire), channel_(ssh_channel_new(wire.session())), apart_(apart), most_(most) {
  callbacks_.userdata = this;
  callbacks_.channel_data_function = on_data;
  callbacks_.channel_eof_function = on_eof;
  callbacks_.channel_close_function = on_close;
  callbacks_.channel_exit_status_function = on_status;
  ssh_callbacks_init(&callbacks_);
  if (channel_ != nullptr) ssh_set_channel_callbacks(channel_, &callbacks_);
}

Channel::~Channel() {
  if (channel_ == nullptr) return;
  // libssh keeps a freed channel until the far side has closed it too, and would call us till then.
  ssh_remove_channel_callbacks(channel_, &callbacks_);
  ssh_channel_free(channel_);
}

int Channel::on_data(ssh_session, ssh_channel, void* data, std::uint32_t size, int is_stderr, void* self) {
  static_cast<Channel*>(self)->take({static_cast<const char*>(data), size}, is_stderr != 0);
  return static_cast<int>(size);
}

void Channel::on_eof(ssh_session, ssh_channel, void* self) {
  static_cast<Channel*>(self)->eof_ = true;
}

void Channel::on_close(ssh_session, ssh_channel, void* self) {
  static_cast<Channel*>(self)->eof_ = true;
  static_cast<Channel*>(self)->closed_ = true;
}

void Channel::on_status(ssh_session, ssh_channel, int status, void* self) {
  static_cast<Channel*>(self)->told_status_ = true;
  static_cast<Channel*>(self)->status_ = status;
}

void Channel::take(std::string_view bytes, bool is_stderr) {
  arrived_ += bytes.size();
  if (is_stderr && apart_) {
    errors_ += bytes.substr(0, most_errors - std::min(most_errors, errors_.size()));
    return;
  }
  std::size_t direct = std::min(bytes.size(), reader_.size() - delivered_);
  if (direct > 0) {
    std::memcpy(reader_.data() + delivered_, bytes.data(), direct);
    delivered_ += direct;
    bytes.remove_prefix(direct);
  }
  std::size_t room = most_ - std::min(most_, inbox_.size());
  if (bytes.size() > room) over_limit_ = true;
  inbox_ += bytes.substr(0, room);
}

bool Channel::pump() {
  arrived_ = 0;
  bool connected = wire_.pump();
  drained_ = arrived_ < full_step;
  return connected;
}

Failure Channel::expired(Stage stage, std::string_view what, const Limit& limit) const {
  return failure(FailureClass::timeout, stage,
                 fmt::format("no {} from {} within {}", what, wire_.peer(), limit.span()));
}

Failure Channel::refused(Stage stage, std::string_view what) const {
  if (wire_.is_broken()) return wire_.broken(stage);
  return failure(FailureClass::unsupported, stage, fmt::format("{} refuses {}", wire_.peer(), what));
}

Task<Result<void>> Channel::open(Stage stage, Limit limit) {
  if (channel_ == nullptr) co_return failure(FailureClass::local, stage, "out of memory for an SSH channel");
  int rc = SSH_AGAIN;
  while ((rc = ssh_channel_open_session(channel_)) == SSH_AGAIN && !wire_.is_broken()) {
    Wire::Wake wake = co_await wire_.wait(limit.until);
    if (wake == Wire::Wake::expired) co_return expired(stage, "session channel", limit);
  }
  if (rc == SSH_OK) co_return Result<void>();
  if (wire_.is_broken()) co_return wire_.broken(stage);
  // RFC 4254 names four codes; devices use 1, 2 and 4 alike for "no session left".
  co_return failure(
      FailureClass::busy, stage,
      fmt::format("{} opens no session: {}", wire_.peer(), one_line(ssh_get_error(wire_.session()))));
}

Task<Result<void>> Channel::request_shell(Pty pty, Limit limit) {
  int rc = SSH_AGAIN;
  while ((rc = ssh_channel_request_pty_size(channel_, terminal, pty.columns, pty.rows)) == SSH_AGAIN &&
         !wire_.is_broken()) {
    Wire::Wake wake = co_await wire_.wait(limit.until);
    if (wake == Wire::Wake::expired) co_return expired(Stage::login, "terminal", limit);
  }
  // A device without terminals may still have a shell.
  if (rc != SSH_OK && wire_.is_broken()) co_return wire_.broken(Stage::login);
  while ((rc = ssh_channel_request_shell(channel_)) == SSH_AGAIN && !wire_.is_broken()) {
    Wire::Wake wake = co_await wire_.wait(limit.until);
    if (wake == Wire::Wake::expired) co_return expired(Stage::login, "shell", limit);
  }
  if (rc != SSH_OK) co_return refused(Stage::login, "a shell");
  co_return Result<void>();
}

Task<Result<void>> Channel::request_exec(std::string command, Limit limit) {
  int rc = SSH_AGAIN;
  while ((rc = ssh_channel_request_exec(channel_, command.c_str())) == SSH_AGAIN && !wire_.is_broken()) {
    Wire::Wake wake = co_await wire_.wait(limit.until);
    if (wake == Wire::Wake::expired) co_return expired(Stage::command, "answer to a command", limit);
  }
  if (rc != SSH_OK) co_return refused(Stage::command, "to run commands outside of a shell");
  co_return Result<void>();
}

Task<Result<std::size_t>> Channel::read_some(std::span<char> into, MonoTime deadline) {
  if (taken_ < inbox_.size()) {
    std::size_t size = std::min(into.size(), inbox_.size() - taken_);
    std::memcpy(into.data(), inbox_.data() + taken_, size);
    taken_ += size;
    if (taken_ == inbox_.size()) {
      inbox_.clear();
      taken_ = 0;
    }
    co_return size;
  }
  Limit limit{std::chrono::steady_clock::now(), deadline};
  for (;;) {
    if (eof_) co_return std::size_t{0};
    if (wire_.is_broken()) co_return wire_.broken(Stage::command);
    if (drained_) {
      Wire::Wake wake = co_await wire_.wait(deadline);
      if (wake == Wire::Wake::expired) co_return expired(Stage::command, "output", limit);
    }
    reader_ = into;
    delivered_ = 0;
    do {
      pump();
    } while (!drained_ && !eof_ && delivered_ < into.size() && !wire_.is_broken());
    reader_ = {};
    std::size_t got = std::exchange(delivered_, 0);
    if (got > 0) co_return got;
  }
}

Task<Result<void>> Channel::flush(MonoTime deadline) {
  while (ssh_blocking_flush(wire_.session(), 0) == SSH_AGAIN && !wire_.is_broken()) {
    Wire::Wake wake = co_await wire_.wait(deadline);
    if (wake == Wire::Wake::expired) {
      co_return failure(FailureClass::timeout, Stage::command,
                        fmt::format("{} does not take what is written to it", wire_.peer()));
    }
  }
  co_return Result<void>();
}

Task<Result<void>> Channel::write(std::string bytes, MonoTime deadline) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    if (closed_ || eof_) {
      co_return failure(FailureClass::dropped, Stage::command,
                        fmt::format("{} closed the session", wire_.peer()));
    }
    auto size = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size() - written, 1 << 20));
    int rc = ssh_channel_write(channel_, bytes.data() + written, size);
    if (rc < 0 || (rc == 0 && wire_.is_broken())) co_return wire_.broken(Stage::command);
    written += static_cast<std::size_t>(rc);
    if (rc > 0) continue;
    Wire::Wake wake = co_await wire_.wait(deadline);
    if (wake == Wire::Wake::expired) {
      co_return failure(FailureClass::timeout, Stage::command,
                        fmt::format("{} does not take what is written to it", wire_.peer()));
    }
  }
  co_return co_await flush(deadline);
}

Task<Result<bool>> Channel::run_out(MonoTime deadline) {
  Limit limit{std::chrono::steady_clock::now(), deadline};
  for (;;) {
    if (over_limit_ || closed_ || (eof_ && told_status_)) co_return told_status_;
    if (wire_.is_broken()) co_return wire_.broken(Stage::command);
    if (drained_) {
      Wire::Wake wake = co_await wire_.wait(deadline);
      if (wake == Wire::Wake::expired) co_return expired(Stage::command, "end of the output", limit);
    }
    pump();
  }
}

Task<void> Channel::close(MonoTime deadline) {
  if (channel_ == nullptr || wire_.is_broken()) co_return;
  while (ssh_channel_close(channel_) == SSH_AGAIN && !wire_.is_broken()) {
    Wire::Wake wake = co_await wire_.wait(deadline);
    if (wake == Wire::Wake::expired) co_return;
  }
  while (!closed_ && pump() && !closed_) {
    Wire::Wake wake = co_await wire_.wait(deadline);
    if (wake == Wire::Wake::expired) co_return;
  }
}

}  // namespace nightjar::ssh
