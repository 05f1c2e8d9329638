// Servers the tests make up: something listens on a free port of 127.0.0.1, and each connection is served by
// a function on a thread of its own. Nothing is left running or open when the object is gone.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace nightjar::ssh::testing {

class Peer {
 public:
  using Serve = std::function<void(int socket)>;  // the socket is closed afterwards

  explicit Peer(Serve serve);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string name() const { return "127.0.0.1:" + std::to_string(port_); }
  int connections() const { return connections_; }

 private:
  struct Connection {
    int socket = -1;
    std::thread thread;
  };
  void accept_all();
  void finish(Connection& connection);

  Serve serve_;
  std::uint16_t port_ = 0;
  int listener_;  // bound while port_ is found out
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  bool stopping_ = false;
  std::list<Connection> open_;
  std::thread thread_;
};

// A port nothing listens on, taken for as long as this lives.
class ClosedPort {
 public:
  ClosedPort();
  ~ClosedPort();
  ClosedPort(const ClosedPort&) = delete;
  ClosedPort& operator=(const ClosedPort&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  std::uint16_t port_ = 0;
  int socket_;
};

void say(int socket, std::string_view text);
std::string hear(int socket, std::size_t least);  // at least so many bytes, or what came before the end
void hear_until_closed(int socket);
void reset_when_closed(int socket);  // the close becomes an RST
int connect_to(std::uint16_t port);  // 127.0.0.1

// The first packet of a server's key exchange with these name lists; both directions alike.
std::string kexinit(std::string_view key_exchange, std::string_view host_keys, std::string_view ciphers,
                    std::string_view macs);

int open_descriptors();  // of this process

}  // namespace nightjar::ssh::testing
