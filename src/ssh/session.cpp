#include "ssh/auth.hpp"
#include "ssh/channel.hpp"
#include "ssh/handshake.hpp"
#include "ssh/keys.hpp"

#include <nightjar/ssh/session.hpp>

namespace nightjar::ssh {

class Session::Impl {
 public:
  Impl(asio::any_io_executor executor, Limits limits) : limits_(limits), wire_(std::move(executor)) {}

  // One connection with one set of algorithms. The arguments outlive the call.
  Task<Result<void>> connect(const Target& target, const Credential& credential, ssh_key key, Algorithms set,
                             MonoTime deadline);
  Task<Result<void>> open_shell(Pty pty, MonoTime deadline);
  Task<Result<ExecResult>> exec(std::string command, std::size_t most, MonoTime deadline);
  Task<void> close(Seconds at_most);

  Limits limits_;
  Wire wire_;
  std::unique_ptr<Channel> shell_;  // dies before the wire
  HostKey host_key_;
  Algorithms algorithms_ = Algorithms::modern;
};

Task<Result<void>> Session::Impl::connect(const Target& target, const Credential& credential, ssh_key key,
                                          Algorithms set, MonoTime deadline) {
  Result<void> dialled = co_await wire_.dial(target.address, target.port, limits_.connect, deadline);
  if (!dialled) co_return dialled.error();
  Result<HostKey> shown = co_await shake_hands(wire_, set, target.pinned, limits_, deadline);
  if (!shown) co_return shown.error();
  host_key_ = std::move(*shown);
  algorithms_ = set;
  Limit limit = Limit::of(limits_.auth, deadline);
  co_return co_await log_in(wire_, credential, key, limit);
}

Task<Result<void>> Session::Impl::open_shell(Pty pty, MonoTime deadline) {
  Limit limit = Limit::of(limits_.channel, deadline);
  shell_ = std::make_unique<Channel>(wire_, false, Channel::no_limit);
  Result<void> opened = co_await shell_->open(Stage::login, limit);
  if (opened) opened = co_await shell_->request_shell(pty, limit);
  if (!opened) shell_.reset();
  co_return opened;
}

Task<Result<ExecResult>> Session::Impl::exec(std::string command, std::size_t most, MonoTime deadline) {
  Limit limit = Limit::of(limits_.channel, deadline);
  Channel channel(wire_, true, most);
  Result<void> opened = co_await channel.open(Stage::command, limit);
  if (opened) opened = co_await channel.request_exec(std::move(command), limit);
  if (!opened) co_return opened.error();
  Result<bool> ended = co_await channel.run_out(deadline);
  if (!ended) co_return ended.error();
  if (channel.is_over_limit()) {
    co_return failure(FailureClass::incomplete, Stage::command,
                      fmt::format("more than {} bytes of output from {}", most, wire_.peer()));
  }
  if (!*ended) {
    co_return failure(FailureClass::dropped, Stage::command,
                      fmt::format("{} ended the command without an exit status", wire_.peer()));
  }
  ExecResult result;
  result.output = channel.take_output();
  result.errors = channel.take_errors();
  result.status = channel.status();
  co_return result;
}

Task<void> Session::Impl::close(Seconds at_most) {
  if (wire_.is_broken()) co_return;
  Limit limit = Limit::of(at_most, MonoTime::max());
  if (shell_) co_await shell_->close(limit.until);
  shell_.reset();
  wire_.disconnect_ssh();
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

Task<Result<std::unique_ptr<Session>>> Session::open(Target target, Credential credential, Limits limits,
                                                     MonoTime deadline) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  ssh_key key = credential.key ? credential.key->handle_->key : nullptr;
  auto impl = std::make_unique<Impl>(executor, limits);
  Result<void> connected = co_await impl->connect(target, credential, key, target.algorithms, deadline);
  bool fall_back = !connected && connected.error().failure_class == FailureClass::negotiation &&
                   target.may_fall_back && target.algorithms == Algorithms::modern;
  if (fall_back) {
    impl = std::make_unique<Impl>(executor, limits);
    connected = co_await impl->connect(target, credential, key, Algorithms::legacy, deadline);
  }
  if (!connected) co_return connected.error();
  co_return std::unique_ptr<Session>(new Session(std::move(impl)));
}

const HostKey& Session::host_key() const {
  return impl_->host_key_;
}
Algorithms Session::algorithms() const {
  return impl_->algorithms_;
}
std::string_view Session::peer() const {
  return impl_->wire_.peer();
}

namespace {

Failure no_shell() {
  return failure(FailureClass::internal, Stage::command, "no shell is open on this session");
}

}  // namespace

Task<Result<void>> Session::open_shell(Pty pty, MonoTime deadline) {
  co_return co_await impl_->open_shell(pty, deadline);
}

Task<Result<std::size_t>> Session::read_some(std::span<char> into, MonoTime deadline) {
  if (!impl_->shell_) co_return no_shell();
  co_return co_await impl_->shell_->read_some(into, deadline);
}

Task<Result<void>> Session::write(std::string bytes, MonoTime deadline) {
  if (!impl_->shell_) co_return no_shell();
  co_return co_await impl_->shell_->write(std::move(bytes), deadline);
}

Task<Result<ExecResult>> Session::exec(std::string command, std::size_t most, MonoTime deadline) {
  co_return co_await impl_->exec(std::move(command), most, deadline);
}

Task<void> Session::close() {
  co_await close(impl_->limits_.logout);
}

Task<void> Session::close(Seconds at_most) {
  try {
    co_await impl_->close(at_most);
  } catch (const boost::system::system_error&) {
    // Cancelled while waiting for the device to agree: then it is dropped now.
  }
  impl_->shell_.reset();
  impl_->wire_.drop();
}

}  // namespace nightjar::ssh
