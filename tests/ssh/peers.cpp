#include "ssh/peers.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <filesystem>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace nightjar::ssh::testing {
namespace {

int bound_socket(std::uint16_t& port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  void* any = &address;
  if (fd < 0 || ::bind(fd, static_cast<sockaddr*>(any), size) != 0 ||
      ::getsockname(fd, static_cast<sockaddr*>(any), &size) != 0) {
    throw std::runtime_error("no free port");
  }
  port = ntohs(address.sin_port);
  return fd;
}

void send_at_once(int socket) {
  int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

}  // namespace

Peer::Peer(Serve serve) : serve_(std::move(serve)), listener_(bound_socket(port_)) {
  if (::listen(listener_, 256) != 0) throw std::runtime_error("cannot listen");
  thread_ = std::thread([this] { accept_all(); });
}

Peer::~Peer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Connection& c : open_) {
      if (c.socket >= 0) ::shutdown(c.socket, SHUT_RDWR);
    }
  }
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  for (Connection& c : open_) c.thread.join();
  ::close(listener_);
}

void Peer::accept_all() {
  for (;;) {
    int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    send_at_once(socket);
    std::lock_guard lock(mutex_);
    if (stopping_) {
      ::close(socket);
      return;
    }
    ++connections_;
    Connection& connection = open_.emplace_back();
    connection.socket = socket;
    connection.thread = std::thread([this, &connection] {
      serve_(connection.socket);
      finish(connection);
    });
  }
}

void Peer::finish(Connection& connection) {
  std::lock_guard lock(mutex_);
  ::close(std::exchange(connection.socket, -1));
}

ClosedPort::ClosedPort() : socket_(bound_socket(port_)) {}
ClosedPort::~ClosedPort() {
  ::close(socket_);
}

void say(int socket, std::string_view text) {
  while (!text.empty()) {
    ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string hear(int socket, std::size_t least) {
  std::string heard;
  char buffer[4096];
  while (heard.size() < least) {
    ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    heard.append(buffer, static_cast<std::size_t>(got));
  }
  return heard;
}

void hear_until_closed(int socket) {
  hear(socket, static_cast<std::size_t>(-1));
}

void reset_when_closed(int socket) {
  linger now{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

int connect_to(std::uint16_t port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  void* any = &address;
  if (::connect(fd, static_cast<sockaddr*>(any), sizeof address) != 0) {
    ::close(fd);
    throw std::runtime_error("cannot connect");
  }
  send_at_once(fd);
  return fd;
}

std::string kexinit(std::string_view key_exchange, std::string_view host_keys, std::string_view ciphers,
                    std::string_view macs) {
  auto number = [](std::size_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
  };
  std::string payload(1, '\x14');   // SSH_MSG_KEXINIT
  payload += std::string(16, 'c');  // cookie
  for (std::string_view list :
       {key_exchange, host_keys, ciphers, ciphers, macs, macs, std::string_view("none"),
        std::string_view("none"), std::string_view(), std::string_view()}) {
    payload += number(list.size());
    payload += list;
  }
  payload += std::string(5, '\0');
  std::size_t padding = 8 - (payload.size() + 5) % 8;
  if (padding < 4) padding += 8;
  return number(payload.size() + padding + 1) + static_cast<char>(padding) + payload +
         std::string(padding, 'p');
}

int open_descriptors() {
  auto entries = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<int>(std::distance(std::filesystem::begin(entries), std::filesystem::end(entries)));
}

}  // namespace nightjar::ssh::testing
