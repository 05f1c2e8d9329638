#include "lab/connection.hpp"

#include <array>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace nightjar::lab {
namespace {

// How long a client may take to leave after it was shown out, so that the last bytes are not lost to a reset.
constexpr Milliseconds patience{1000};
constexpr std::string_view nonsense =
    "\x16\x03\x01\x02\xff\xfe{\"jsonrpc\":2.0}\r\n\x80\x80\x7f\x01garbage\r\n";

}  // namespace

void Connection::SessionDeleter::operator()(ssh_session session) const noexcept {
  ssh_disconnect(session);
  ssh_free(session);
}

Connection::Connection(asio::io_context& loop, int descriptor, Unit& unit, Log& log,
                       std::function<void(Connection*)> gone)
    : wire_(loop),
      timer_(loop),
      descriptor_(descriptor),
      unit_(unit),
      log_(log),
      gone_(std::move(gone)),
      number_(++unit.connections),
      visit_(log.begin(unit.plan.customer, unit.plan.name, number_)) {}

Connection::~Connection() {
  session_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Connection::start() {
  if (trait(Behaviour::reset)) {
    const linger at_once{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return finish(Ending::refused);
  }
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return finish(Ending::failed);
  wire_.assign(copy);
  if (turned_away()) return;
  if (!begin_ssh()) return finish(Ending::failed);
  pump();
}

void Connection::stop() {
  finish(Ending::stopped);
}

bool Connection::turned_away() {
  if (trait(Behaviour::hang_banner)) {
    ending_ = Ending::rejected;
    drain();
  } else if (trait(Behaviour::refuse)) {
    turn_away("", Ending::refused);
  } else if (const Trait* full = trait(Behaviour::vty_full)) {
    turn_away(full->text.empty() ? "% All vty lines are in use\r\n" : full->text, Ending::refused);
  } else if (trait(Behaviour::garbage)) {
    turn_away(nonsense, Ending::refused);
  } else {
    return false;
  }
  return true;
}

void Connection::turn_away(std::string_view text, Ending ending) {
  ending_ = ending;
  [[maybe_unused]] const auto sent = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
  ::shutdown(descriptor_, SHUT_WR);
  timer_.expires_after(patience);
  timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (!error) self->finish(*self->ending_);
  });
  drain();
}

// Reads and forgets until the client is gone.
void Connection::drain() {
  wire_.async_wait(asio::posix::stream_descriptor::wait_read,
                   [self = shared_from_this()](boost::system::error_code error) {
                     if (error || self->over_) return;
                     std::array<char, 1024> bin{};
                     const ssize_t got = ::recv(self->descriptor_, bin.data(), bin.size(), 0);
                     if (got == 0 || (got < 0 && errno != EAGAIN)) return self->finish(*self->ending_);
                     self->drain();
                   });
}

bool Connection::begin_ssh() {
  session_.reset(ssh_new());
  if (!session_) return false;
  ssh_set_blocking(session_.get(), 0);
  server_callbacks_.userdata = this;
  server_callbacks_.channel_open_request_session_function = &Connection::on_open;
  int methods = 0;
  if (trait(Behaviour::shell_login)) {
    methods = SSH_AUTH_METHOD_NONE;
    server_callbacks_.auth_none_function = &Connection::on_none;
  } else if (trait(Behaviour::keyboard_interactive)) {
    methods = SSH_AUTH_METHOD_INTERACTIVE;
  } else {
    methods = SSH_AUTH_METHOD_PASSWORD;
    server_callbacks_.auth_password_function = &Connection::on_password;
  }
  if (unit_.client_key) {
    methods |= SSH_AUTH_METHOD_PUBLICKEY;
    server_callbacks_.auth_pubkey_function = &Connection::on_public_key;
  }
  ssh_callbacks_init(&server_callbacks_);
  ssh_set_server_callbacks(session_.get(), &server_callbacks_);
  ssh_set_message_callback(session_.get(), &Connection::on_message, this);
  ssh_set_auth_methods(session_.get(), methods);
  return unit_.identity(number_).accept(session_.get(), std::exchange(descriptor_, -1));
}

void Connection::pump() {
  if (over_) return;
  if (!progress()) return;
  if (!give_channel()) return;
  wait();
}

bool Connection::progress() {
  ssh_session session = session_.get();
  if (!keys_exchanged_) {
    const int rc = ssh_handle_key_exchange(session);
    if (rc == SSH_AGAIN) return true;
    if (rc != SSH_OK) return finish(logged_in_ ? Ending::closed : Ending::failed), false;
    keys_exchanged_ = true;
  }
  const int rc = ssh_execute_message_callbacks(session);
  if (rc == SSH_ERROR || ssh_is_connected(session) == 0) return finish(left_by_client()), false;
  if (rejected_ >= 3) return finish(Ending::rejected), false;
  for (ssh_channel channel : std::exchange(closed_channels_, {})) ssh_channel_free(channel);
  if (channel_closed_ && channel_ != nullptr) {
    ssh_channel_close(channel_);  // as every server does: the client waits for it
    shell_.reset();
    pausing_.reset();
    backlog_.clear();
    written_ = 0;
  }
  return true;
}

bool Connection::give_channel() {
  while (shell_ && !over_) {
    if (!write_backlog()) return false;
    if (!backlog_.empty()) return true;
    if (then_) {
      const Step::Then then = *std::exchange(then_, std::nullopt);
      if (then == Step::Then::drop) {
        ssh_silent_disconnect(session_.get());
        return finish(Ending::dropped), false;
      }
      if (then == Step::Then::leave) leave();
      return true;
    }
    if (pausing_) return true;
    std::optional<Step> step = shell_->next();
    if (!step) return true;
    if (step->pause.count() == 0) {
      obey(std::move(*step));
      continue;
    }
    pausing_ = std::move(step);
    timer_.expires_after(pausing_->pause);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (error || self->over_ || !self->pausing_) return;
      Step due = std::move(*std::exchange(self->pausing_, std::nullopt));
      self->obey(std::move(due));
      self->pump();
    });
  }
  return !over_;
}

void Connection::obey(Step step) {
  backlog_ = std::move(step.bytes);
  written_ = 0;
  if (step.then != Step::Then::go_on) then_ = step.then;
}

bool Connection::write_backlog() {
  ssh_session session = session_.get();
  while (written_ < backlog_.size()) {
    const std::size_t window = ssh_channel_window_size(channel_);
    const std::size_t size = std::min({backlog_.size() - written_, window, std::size_t{32'768}});
    if (size == 0) return true;
    const int sent =
        ssh_channel_write(channel_, backlog_.data() + written_, static_cast<std::uint32_t>(size));
    if (sent < 0) return finish(left_by_client()), false;
    written_ += static_cast<std::size_t>(sent);
    // What libssh could not hand to the socket it keeps; do not pile up more than that.
    if (sent == 0 ||
        (ssh_execute_message_callbacks(session), (ssh_get_poll_flags(session) & SSH_WRITE_PENDING) != 0))
      break;
  }
  if (written_ < backlog_.size()) return true;
  if (const std::size_t sent = backlog_.size()) {
    log_.change(visit_, [sent](Visit& v) { v.sent += sent; });
    backlog_.clear();
    written_ = 0;
  }
  return true;
}

// The device ends the shell. After an exec command it stays for the next channel; otherwise the client gets a
// moment to go.
void Connection::leave() {
  ssh_channel_request_send_exit_status(channel_, shell_->failed() ? 1 : 0);
  ssh_channel_send_eof(channel_);
  ssh_channel_close(channel_);
  shell_.reset();
  if (exec_) return;
  ending_ = Ending::logout;
  timer_.expires_after(patience);
  timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (!error && !self->over_) self->finish(Ending::logout);
  });
}

void Connection::wait() {
  if (over_) return;
  if (!reading_) {
    reading_ = true;
    wire_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](boost::system::error_code error) {
                       self->reading_ = false;
                       if (!error) self->pump();
                     });
  }
  if (!writing_ && (ssh_get_poll_flags(session_.get()) & SSH_WRITE_PENDING) != 0) {
    writing_ = true;
    wire_.async_wait(asio::posix::stream_descriptor::wait_write,
                     [self = shared_from_this()](boost::system::error_code error) {
                       self->writing_ = false;
                       if (!error) self->pump();
                     });
  }
}

Ending Connection::left_by_client() const {
  if (ending_) return *ending_;
  return logged_in_ ? Ending::closed : Ending::rejected;
}

void Connection::finish(Ending ending) {
  if (std::exchange(over_, true)) return;
  const auto self = shared_from_this();
  timer_.cancel();
  shell_.reset();
  session_.reset();
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  boost::system::error_code ignored;
  wire_.close(ignored);
  log_.end(visit_, ending);
  gone_(this);
}

}  // namespace nightjar::lab
