// One client: reads a request, has it answered, sends the answer, and again, each time within the time that
// one request has.
#pragma once
#include "api/wire_form.hpp"

#include <nightjar/api/http.hpp>

#include <boost/beast/core/flat_buffer.hpp>

namespace nightjar::api {

// What all connections of a listener go by.
struct Terms {
  Handler handler;
  Limits limits;
  bool crowded = false;  // no further connection is let in
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::ip::tcp::socket socket, std::shared_ptr<const Terms> terms);

  // Until the client leaves or is sent away. Throws operation_aborted after drop(). The connection outlives
  // the task.
  Task<void> serve();
  asio::cancellation_slot cancellation() { return cancel_.slot(); }

  // Closes the socket and cancels what runs.
  void drop();

 private:
  Task<bool> exchange();
  Task<WireResponse> answer(Request request, Manner manner);
  Task<bool> send(WireResponse message, bool head);
  Task<void> linger();
  void expect_end_within(Milliseconds span);

  asio::ip::tcp::socket socket_;
  asio::steady_timer deadline_;
  boost::beast::flat_buffer buffer_;
  asio::cancellation_signal cancel_;
  std::shared_ptr<const Terms> terms_;
};

}  // namespace nightjar::api
