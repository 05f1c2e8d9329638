#include "api/connection.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>
#include <spdlog/spdlog.h>

#include <array>

namespace nightjar::api {
namespace {

// How long a client that was sent away may go on sending: closing over unread bytes resets the connection,
// and the answer with it.
constexpr Milliseconds lingering{1000};

bool is_cancellation(const std::exception& thrown) {
  const auto* error = dynamic_cast<const boost::system::system_error*>(&thrown);
  return error != nullptr && error->code() == asio::error::operation_aborted;
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, std::shared_ptr<const Terms> terms)
    : socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      buffer_(2 *
              std::size_t{terms->limits.header_bytes}),  // a header must fit in whole, and room to read on
      terms_(std::move(terms)) {
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

Task<void> Connection::serve() {
  bool more = true;
  while (more) {
    expect_end_within(terms_->limits.request_time);
    more = co_await exchange();
  }
  deadline_.cancel();
}

void Connection::drop() {
  boost::system::error_code ignored;
  socket_.close(ignored);
  deadline_.cancel();
  cancel_.emit(asio::cancellation_type::terminal);
}

void Connection::expect_end_within(Milliseconds span) {
  deadline_.expires_after(span);
  deadline_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    // A wait that had already ended when the deadline was moved is not cancelled any more: ask the timer.
    if (error || !self || self->deadline_.expiry() > asio::steady_timer::clock_type::now()) return;
    self->drop();
  });
}

// One request and its answer; whether another may follow.
Task<bool> Connection::exchange() {
  http::request_parser<http::string_body> parser;
  parser.header_limit(terms_->limits.header_bytes);
  parser.body_limit(terms_->limits.body_bytes);

  auto [error, header_bytes] = co_await http::async_read_header(socket_, buffer_, parser, as_result);
  std::optional<Response> refused = error ? refusal(error) : refusal(parser.get().base());
  if (!error && !refused) {
    auto [cut_short, body_bytes] = co_await http::async_read(socket_, buffer_, parser, as_result);
    error = cut_short;
    if (error) refused = refusal(error);
  }
  if (error && !refused) co_return false;

  Manner manner;
  if (refused) {
    manner.head = !error && parser.get().method() == http::verb::head;
    WireResponse message = to_wire(std::move(*refused), manner);
    co_await send(std::move(message), manner.head);
    co_await linger();
    co_return false;
  }

  manner.version = parser.get().version();
  manner.head = parser.get().method() == http::verb::head;
  manner.keep_alive = parser.get().keep_alive();
  Request request = to_request(parser.release());
  WireResponse message = co_await answer(std::move(request), manner);
  if (terms_->crowded) message.keep_alive(false);
  const bool stays = message.keep_alive();
  const bool sent = co_await send(std::move(message), manner.head);
  if (sent && !stays) co_await linger();
  co_return sent&& stays;
}

// What the handler says, or 500. After drop() its cancellation goes on to the caller.
Task<WireResponse> Connection::answer(Request request, Manner manner) {
  const std::string asked = request.method + ' ' + request.path;
  try {
    Task<Response> handled = terms_->handler(std::move(request));
    Response response = co_await std::move(handled);
    co_return to_wire(std::move(response), manner);
  } catch (const std::exception& thrown) {
    if (!socket_.is_open() && is_cancellation(thrown)) throw;
    spdlog::error("{} ended by an exception: {}", asked, thrown.what());
  } catch (...) {
    spdlog::error("{} ended by an exception of an unknown type", asked);
  }
  co_return to_wire(plain(500, "internal error"), manner);
}

Task<bool> Connection::send(WireResponse message, bool head) {
  http::response_serializer<http::string_body> serializer(message);
  boost::system::error_code error;
  if (head) {
    auto [failed, bytes] = co_await http::async_write_header(socket_, serializer, as_result);
    error = failed;
  } else {
    auto [failed, bytes] = co_await http::async_write(socket_, serializer, as_result);
    error = failed;
  }
  co_return !error;
}

Task<void> Connection::linger() {
  expect_end_within(std::min(lingering, terms_->limits.request_time));
  boost::system::error_code failed;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, failed);
  std::array<char, 4096> discarded{};
  const auto into = asio::buffer(discarded);
  while (!failed) {
    auto [error, bytes] = co_await socket_.async_read_some(into, as_result);
    failed = error;
  }
}

}  // namespace nightjar::api
