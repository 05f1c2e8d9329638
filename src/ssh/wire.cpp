#include "ssh/wire.hpp"

#include <boost/asio/ip/address.hpp>

#include <fcntl.h>
#include <netinet/tcp.h>
#include <unistd.h>
#include <utility>

namespace nightjar::ssh {
namespace {

using boost::system::error_code;
using tcp = asio::ip::tcp;

// A dead peer is noticed within about 30 + 3 * 10 s, and unacknowledged data within 60 s, whatever the
// deadlines say.
constexpr int keepalive_idle_seconds = 30;
constexpr int keepalive_interval_seconds = 10;
constexpr int keepalive_probes = 3;
constexpr int user_timeout_ms = 60'000;

std::string to_text(const tcp::endpoint& endpoint) {
  std::string address = endpoint.address().to_string();
  if (endpoint.address().is_v6()) return fmt::format("[{}]:{}", address, endpoint.port());
  return fmt::format("{}:{}", address, endpoint.port());
}

void set_option(int fd, int level, int name, int value) {
  // A missing option costs detection of a dead peer some minutes, not the backup.
  static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
}

void tune(tcp::socket& socket) {
  int fd = socket.native_handle();
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, keepalive_idle_seconds);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, keepalive_interval_seconds);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, keepalive_probes);
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout_ms);
}

// Where the resolver's answer is put. A lookup cannot be interrupted, so nobody waits for the lookup itself.
struct Lookup {
  explicit Lookup(const asio::any_io_executor& executor) : resolver(executor), answered(executor) {}
  tcp::resolver resolver;
  asio::steady_timer answered;  // cancelled by the answer
  bool done = false;
  error_code error;
  std::vector<tcp::endpoint> endpoints;
};

}  // namespace

Limit Limit::of(Milliseconds most, MonoTime deadline) {
  MonoTime now = std::chrono::steady_clock::now();
  MonoTime until = most < deadline - now ? now + most : deadline;
  return {now, until};
}

std::string Limit::span() const {
  return to_span(std::chrono::round<Milliseconds>(until - began));
}

Handle::~Handle() {
  ssh_free(session_);  // closes what libssh still holds
  if (lent_ >= 0) ::close(lent_);
}

bool Handle::lend(int socket) {
  lent_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 3);
  return lent_ >= 0 && ssh_options_set(session_, SSH_OPTIONS_FD, &lent_) == SSH_OK;
}

int Handle::connect() {
  lent_ = -1;
  return ssh_connect(session_);
}

void Handle::disconnect() {
  // libssh forgets a descriptor that came by option without closing it; -1 means it has closed it already.
  int held = ssh_get_fd(session_);
  ssh_disconnect(session_);
  if (held >= 0) ::close(held);
}

struct Wire::Waiter : std::enable_shared_from_this<Waiter> {
  explicit Waiter(const asio::any_io_executor& executor) : socket(executor), timer(executor) {}

  // The timer is left running over many waits and looks at `deadline` when it fires, so that a wait with the
  // same or a later deadline costs no timer operation.
  void watch(MonoTime until) {
    waiting = true;
    expired = false;
    writable = false;
    deadline = until;
    if (until == MonoTime::max() || (armed && timer.expiry() <= until)) return;
    arm();
  }

  void arm() {
    armed = true;
    timer.expires_at(deadline);
    timer.async_wait([weak = weak_from_this()](error_code error) {
      if (error) return;
      if (auto self = weak.lock()) self->fired();
    });
  }

  void fired() {
    armed = false;
    if (!waiting || deadline == MonoTime::max()) return;
    if (std::chrono::steady_clock::now() < deadline) {
      arm();
      return;
    }
    expired = true;
    error_code ignored;
    socket.cancel(ignored);
  }

  void wake_when_writable() {
    socket.async_wait(tcp::socket::wait_write, [weak = weak_from_this()](error_code error) {
      auto self = weak.lock();
      if (error || !self || !self->waiting) return;
      self->writable = true;
      error_code ignored;
      self->socket.cancel(ignored);
    });
  }

  tcp::socket socket;
  asio::steady_timer timer;
  MonoTime deadline;
  bool armed = false;
  bool waiting = false;
  bool expired = false;
  bool writable = false;
};

Wire::Wire(asio::any_io_executor executor)
    : waiter_(std::make_shared<Waiter>(executor)), handle_(std::make_unique<Handle>()) {}

Wire::~Wire() {
  drop();
}

void Wire::drop() noexcept {
  handle_.reset();
  error_code ignored;
  waiter_->waiting = false;
  waiter_->socket.close(ignored);
  waiter_->timer.cancel();
}

int Wire::socket() const {
  return waiter_->socket.native_handle();
}

Task<Result<void>> Wire::dial(std::string address, std::uint16_t port, Seconds connect, MonoTime deadline) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  std::vector<tcp::endpoint> endpoints;
  error_code no_literal;
  asio::ip::address literal = asio::ip::make_address(address, no_literal);
  if (!no_literal) {
    endpoints.emplace_back(literal, port);
  } else if (address == "localhost") {  // RFC 6761: this machine, whatever its name service says or lacks
    endpoints.emplace_back(asio::ip::address_v6::loopback(), port);
    endpoints.emplace_back(asio::ip::address_v4::loopback(), port);
  } else {
    auto lookup = std::make_shared<Lookup>(executor);
    Limit limit = Limit::of(connect, deadline);
    lookup->answered.expires_at(limit.until);
    lookup->resolver.async_resolve(address, std::to_string(port), tcp::resolver::numeric_service,
                                   [lookup](error_code error, const tcp::resolver::results_type& found) {
                                     lookup->done = true;
                                     lookup->error = error;
                                     for (const auto& entry : found)
                                       lookup->endpoints.push_back(entry.endpoint());
                                     lookup->answered.cancel();
                                   });
    co_await lookup->answered.async_wait(as_result);
    asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
      co_await asio::this_coro::reset_cancellation_state();
      throw boost::system::system_error(asio::error::operation_aborted);
    }
    if (!lookup->done) {
      co_return failure(FailureClass::unreachable, Stage::resolve,
                        fmt::format("no answer from DNS for {} within {}", address, limit.span()));
    }
    if (lookup->error) co_return resolve_failure(address, lookup->error);
    endpoints = std::move(lookup->endpoints);
  }

  Failure all = failure(FailureClass::unreachable, Stage::resolve, fmt::format("{} has no address", address));
  bool first = true;
  for (const tcp::endpoint& endpoint : endpoints) {
    Limit limit = Limit::of(connect, deadline);
    Result<void> connected = co_await connect_one(endpoint, limit);
    if (connected) co_return connected;
    if (first) {
      all = connected.error();
    } else {
      all.reason += "; " + connected.error().reason;
    }
    first = false;
    if (connected.error().failure_class == FailureClass::local) break;
  }
  co_return all;
}

Task<Result<void>> Wire::connect_one(tcp::endpoint endpoint, Limit limit) {
  std::string name = to_text(endpoint);
  tcp::socket& socket = waiter_->socket;
  error_code error;
  socket.close(error);
  socket.open(endpoint.protocol(), error);
  if (error) co_return connect_failure(name, error);
  tune(socket);
  waiter_->watch(limit.until);
  auto [refused] = co_await socket.async_connect(endpoint, as_result);
  waiter_->waiting = false;
  if (!refused) {
    peer_ = std::move(name);
    co_return Result<void>();
  }
  bool expired = waiter_->expired;
  socket.close(error);
  if (expired) {
    co_return failure(FailureClass::unreachable, Stage::connect,
                      fmt::format("no answer from {} within {}", name, limit.span()));
  }
  if (refused == asio::error::operation_aborted) {
    co_await asio::this_coro::reset_cancellation_state();
    throw boost::system::system_error(refused);
  }
  co_return connect_failure(name, refused);
}

Result<void> Wire::start_ssh() {
  if (!*handle_) return failure(FailureClass::local, Stage::handshake, "out of memory for an SSH session");
  ssh_session session = handle_->get();
  ssh_set_blocking(session, 0);
  int no = 0;
  // Nothing of the machine's own SSH set-up may change a backup, and nothing is looked up: without a name
  // libssh asks the account database, and without a host known_hosts. The host is a fixed word, since libssh
  // would take "user@" out of it.
  constexpr const char* nowhere = "/dev/null/none";  // cannot exist, so that opening it is one failed call
  ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &no);
  ssh_options_set(session, SSH_OPTIONS_SSH_DIR, nowhere);
  ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, nowhere);
  ssh_options_set(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, nowhere);
  ssh_options_set(session, SSH_OPTIONS_USER, "none");  // each login names its own
  ssh_options_set(session, SSH_OPTIONS_HOST, "device");
  if (!handle_->lend(socket())) {
    return failure(FailureClass::local, Stage::connect, "out of file descriptors");
  }
  return {};
}

int Wire::connect_ssh() {
  int rc = handle_->connect();
  if (!restored_ && rc != SSH_ERROR) {
    // The duplicate shares its flags with our descriptor, so this asks about both.
    int flags = ::fcntl(socket(), F_GETFL);
    if ((flags & O_NONBLOCK) == 0) {
      ::fcntl(socket(), F_SETFL, flags | O_NONBLOCK);
      restored_ = true;
    }
  }
  return rc;
}

int Wire::connect_ssh_deaf() {
  // poll() does not report fewer bytes than the low-water mark as readable.
  constexpr int out_of_reach = 32 * 1024;
  set_option(socket(), SOL_SOCKET, SO_RCVLOWAT, out_of_reach);
  int rc = connect_ssh();
  set_option(socket(), SOL_SOCKET, SO_RCVLOWAT, 1);
  return rc;
}

Task<Wire::Wake> Wire::wait_for_bytes(MonoTime deadline) {
  if (std::chrono::steady_clock::now() >= deadline) co_return Wake::expired;
  waiter_->watch(deadline);
  auto [error] = co_await waiter_->socket.async_wait(tcp::socket::wait_read, as_result);
  waiter_->waiting = false;
  if (!error) co_return Wake::ready;
  if (waiter_->expired) co_return Wake::expired;
  if (std::exchange(waiter_->writable, false)) co_return Wake::ready;
  if (error == asio::error::operation_aborted) {
    co_await asio::this_coro::reset_cancellation_state();
    throw boost::system::system_error(error);
  }
  co_return Wake::ready;  // the next read names the error
}

Task<Wire::Wake> Wire::wait(MonoTime deadline) {
  bool must_write = (ssh_get_poll_flags(session()) & SSH_WRITE_PENDING) != 0;
  // libssh asks for POLLOUT after every write; only a second look tells whether anything is left to write.
  if (must_write && !std::exchange(repeated_, true)) co_return Wake::ready;
  repeated_ = false;
  if (!must_write) co_return co_await wait_for_bytes(deadline);
  waiter_->wake_when_writable();
  Wake wake = co_await wait_for_bytes(deadline);
  error_code ignored;
  waiter_->socket.cancel(ignored);
  co_return wake;
}

bool Wire::pump() {
  if (is_broken()) return false;
  // libssh has no call for this. Polling a channel does it, unless that channel has bytes or an end to
  // report: so one that is never opened is polled. A peer that sends to it anyway gets it replaced.
  if (idle_ == nullptr) idle_ = ssh_channel_new(session());
  int rc = ssh_channel_poll(idle_, 0);
  if (rc > 0 || rc == SSH_EOF) ssh_channel_free(std::exchange(idle_, nullptr));
  return !is_broken();
}

void Wire::disconnect_ssh() {
  // libssh sends only when its last poll found the socket writable.
  if (pump()) handle_->disconnect();
}

bool Wire::is_broken() const {
  // Both are asked: a packet handled after a failed write lets libssh forget the error, but not that the
  // socket is closed.
  return !handle_ || ssh_is_connected(session()) == 0 ||
         (ssh_get_status(session()) & (SSH_CLOSED | SSH_CLOSED_ERROR)) != 0;
}

Failure Wire::broken(Stage stage) const {
  return session_failure(peer_, stage, ssh_get_error(session()));
}

}  // namespace nightjar::ssh
