// A small HTTP/1.1 server for the daemon's own pages and figures: keep-alive, GET and HEAD, no TLS. It is for
// loopback or for behind a proxy. Whatever a client sends or leaves out, it costs one connection for a
// bounded time and never the process.
#pragma once
#include <nightjar/api/message.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/runtime/asio.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace nightjar::api {

// Answers one request. It lives until the last task that runs in it is over, so it may be a coroutine that
// captures. An exception is logged and answered with 500, as is a header that would break the response in
// two. It is cancelled (terminal) when the request's time is up or the listener closes; nobody hears it then.
using Handler = std::function<Task<Response>(Request)>;

// By exact path; 404 for any other.
Handler routes(std::map<std::string, Handler, std::less<>> table);

// What one client may use. Beyond it: 431, 413, the end of the connection, waiting in the kernel's queue.
struct Limits {
  std::uint32_t header_bytes = 8 * 1024;  // and the request line, which is counted apart
  std::uint64_t body_bytes = 64 * 1024;
  // From the first moment the server is ready for a request until its answer is sent: so it is also how long
  // a connection may stay idle.
  Milliseconds request_time{10'000};
  std::size_t connections = 64;  // at once; at that number answers say "Connection: close"
};

// Malformed requests are answered 400, other methods 405. Every response carries X-Content-Type-Options:
// nosniff, and Cache-Control: no-store unless its handler said something else about caching.
class Listener {
 public:
  // Listens when it returns. A taken port, an address that is none or not ours is a failure of class setup
  // that names both. Port 0: any free one. All work happens on `executor`, which runs one thing at a time (a
  // loop with one thread, or a strand) and outlives the listener; so do the calls of port() and close().
  static Result<std::unique_ptr<Listener>> open(asio::any_io_executor executor, const std::string& address,
                                                std::uint16_t port, Handler handler, Limits limits = {});
  ~Listener();  // closes
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::uint16_t port() const;

  // Stops listening and drops all connections. Requests that run are cancelled; their tasks are over as soon
  // as their handlers have seen it, and none stays behind. Again: nothing.
  void close();

 private:
  class Door;
  explicit Listener(std::shared_ptr<Door> door);
  std::shared_ptr<Door> door_;  // also of its tasks, which end after it is closed
};

}  // namespace nightjar::api
