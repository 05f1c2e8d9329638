// A listener on a loop and thread of its own, and clients that speak to it over real sockets. When the server
// goes, its loop must run dry by itself: a task that stays behind hangs the test.
#pragma once
#include <nightjar/api/http.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace nightjar::api::testing {

class Server {
 public:
  explicit Server(Handler handler, Limits limits = {}) {
    auto opened = Listener::open(loop_.get_executor(), "127.0.0.1", 0, std::move(handler), limits);
    if (!opened) throw std::runtime_error(opened.error().reason);
    listener_ = std::move(*opened);
    port_ = listener_->port();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Server() {
    close();
    thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return port_; }
  void close() {
    asio::post(loop_, [this] { listener_->close(); });
  }

 private:
  asio::io_context loop_{1};
  std::unique_ptr<Listener> listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// What came back for one request.
struct Answer {
  int status = 0;  // 0: the connection ended without an answer
  std::string head, body;
  bool says(std::string_view header_line) const { return head.find(header_line) != std::string::npos; }
};

class Client {
 public:
  explicit Client(const Server& server) : socket_(loop_) {
    socket_.connect({asio::ip::address_v4::loopback(), server.port()});
  }

  // False when the server does not take any more.
  bool send(std::string_view bytes) {
    boost::system::error_code error;
    asio::write(socket_, asio::buffer(bytes), error);
    return !error;
  }

  void shut_down_sending() { socket_.shutdown(asio::ip::tcp::socket::shutdown_send); }

  Answer answer(bool to_head = false) {
    while (pending_.find("\r\n\r\n") == std::string::npos)
      if (!read_more()) return {};
    Answer got;
    const auto end = pending_.find("\r\n\r\n") + 4;
    got.head = pending_.substr(0, end);
    pending_.erase(0, end);
    got.status = std::stoi(got.head.substr(sizeof "HTTP/1.1 " - 1));
    const auto length = got.head.find("Content-Length: ");
    if (to_head || length == std::string::npos) return got;
    const std::size_t bytes = std::stoul(got.head.substr(length + sizeof "Content-Length: " - 1));
    while (pending_.size() < bytes)
      if (!read_more()) throw std::runtime_error("the answer was cut off");
    got.body = pending_.substr(0, bytes);
    pending_.erase(0, bytes);
    return got;
  }

  // Whether the server has nothing more to say and closed.
  bool at_end() { return pending_.empty() && !read_more(); }

 private:
  bool read_more() {
    std::array<char, 4096> buffer{};
    boost::system::error_code error;
    const auto bytes = socket_.read_some(asio::buffer(buffer), error);
    pending_.append(buffer.data(), bytes);
    return !error;
  }

  asio::io_context loop_{1};
  asio::ip::tcp::socket socket_;
  std::string pending_;
};

inline std::string get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: nightjar.example\r\n\r\n";
}

}  // namespace nightjar::api::testing
