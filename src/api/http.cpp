#include "api/connection.hpp"

#include <nightjar/runtime/spawn.hpp>

#include <boost/asio/bind_executor.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <set>

namespace nightjar::api {
namespace {

// Out of descriptors: a moment later some may have been closed.
constexpr std::chrono::seconds pause_after_failure{1};

Failure cannot_listen(const std::string& address, std::uint16_t port, std::string why) {
  if (!why.empty() && why.front() >= 'A' && why.front() <= 'Z')
    why.front() = static_cast<char>(why.front() + 32);
  const bool bracketed = address.find(':') != std::string::npos;
  return failure(FailureClass::setup, Stage::none,
                 fmt::format("cannot listen on {}{}{}:{}: {}", bracketed ? "[" : "", address,
                             bracketed ? "]" : "", port, why));
}

void log_end(const std::exception_ptr& thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (const boost::system::system_error& e) {
    if (e.code() != asio::error::operation_aborted) spdlog::error("an HTTP connection ended: {}", e.what());
  } catch (const std::exception& e) {
    spdlog::error("an HTTP connection ended by an exception: {}", e.what());
  } catch (...) {
    spdlog::error("an HTTP connection ended by an exception of an unknown type");
  }
}

Task<Response> not_found() {
  co_return plain(404, "not found");
}

}  // namespace

Handler routes(std::map<std::string, Handler, std::less<>> table) {
  return [table = std::move(table)](Request request) {
    const auto route = table.find(request.path);
    return route == table.end() ? not_found() : route->second(std::move(request));
  };
}

// The socket that listens and those who came in by it.
class Listener::Door : public std::enable_shared_from_this<Door> {
 public:
  Door(asio::any_io_executor executor, Terms terms)
      : acceptor_(executor), room_(executor), terms_(std::make_shared<Terms>(std::move(terms))) {}

  boost::system::error_code listen(const asio::ip::tcp::endpoint& endpoint) {
    boost::system::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    return error;
  }

  std::uint16_t port() const {
    boost::system::error_code closed;
    return acceptor_.local_endpoint(closed).port();
  }

  void open() { runtime::spawn_logged(acceptor_.get_executor(), "HTTP listener", admit(shared_from_this())); }

  void close() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    room_.cancel();
    const auto leaving = guests_;
    for (const auto& guest : leaving) guest->drop();
  }

 private:
  static Task<void> admit(std::shared_ptr<Door> self) {
    while (self->acceptor_.is_open()) {
      if (self->terms_->crowded) {
        co_await self->wait(std::chrono::steady_clock::time_point::max());
        continue;
      }
      auto [error, socket] = co_await self->acceptor_.async_accept(as_result);
      if (!self->acceptor_.is_open()) break;
      if (!error) {
        self->let_in(std::move(socket));
      } else if (error != asio::error::connection_aborted) {
        spdlog::warn("cannot accept an HTTP connection: {}", error.message());
        co_await self->wait(std::chrono::steady_clock::now() + pause_after_failure);
      }
    }
  }

  // At the longest until then; less when there is room or the door closes.
  Task<void> wait(std::chrono::steady_clock::time_point until) {
    room_.expires_at(until);
    co_await room_.async_wait(as_result);
  }

  void let_in(asio::ip::tcp::socket socket) {
    const auto guest = std::make_shared<Connection>(std::move(socket), terms_);
    guests_.insert(guest);
    count();
    auto left = [self = shared_from_this(), guest](const std::exception_ptr& thrown) {
      log_end(thrown);
      self->guests_.erase(guest);
      self->count();
    };
    asio::co_spawn(
        acceptor_.get_executor(), guest->serve(),
        asio::bind_cancellation_slot(guest->cancellation(),
                                     asio::bind_executor(acceptor_.get_executor(), std::move(left))));
  }

  void count() {
    terms_->crowded = guests_.size() >= terms_->limits.connections;
    if (!terms_->crowded) room_.cancel();
  }

  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer room_;
  std::shared_ptr<Terms> terms_;
  std::set<std::shared_ptr<Connection>> guests_;
};

Result<std::unique_ptr<Listener>> Listener::open(asio::any_io_executor executor, const std::string& address,
                                                 std::uint16_t port, Handler handler, Limits limits) {
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(address, error);
  if (error) return cannot_listen(address, port, "not an IP address");
  Terms terms;
  terms.handler = std::move(handler);
  terms.limits = limits;
  auto door = std::make_shared<Door>(std::move(executor), std::move(terms));
  if (error = door->listen({ip, port}); error) return cannot_listen(address, port, error.message());
  door->open();
  return std::unique_ptr<Listener>(new Listener(std::move(door)));
}

Listener::Listener(std::shared_ptr<Door> door) : door_(std::move(door)) {}

Listener::~Listener() {
  close();
}

std::uint16_t Listener::port() const {
  return door_->port();
}

void Listener::close() {
  door_->close();
}

}  // namespace nightjar::api
