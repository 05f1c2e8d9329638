#include "runtime/quoting.hpp"

#include <nightjar/runtime/notify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace nightjar::runtime {
namespace {

constexpr std::size_t longest_status = 1000;  // the manager reads datagrams of up to 4096 bytes

std::optional<std::string> take_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  std::string taken = value;
  ::unsetenv(name);
  return taken;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_address(std::string_view socket) {
  return socket.size() >= 2 && socket.size() < sizeof(sockaddr_un::sun_path) &&
         (socket.front() == '/' || socket.front() == '@');
}

std::optional<Milliseconds> half_of(const ServiceManager::Environment& environment) {
  if (!environment.watchdog_usec) return std::nullopt;
  if (environment.watchdog_pid && whole_number(*environment.watchdog_pid) != ::getpid()) return std::nullopt;
  const auto allowed = whole_number(*environment.watchdog_usec);
  if (!allowed || *allowed <= 0) return std::nullopt;
  const auto half = std::chrono::floor<Milliseconds>(std::chrono::microseconds{*allowed / 2});
  return std::max(half, Milliseconds{1});
}

}  // namespace

ServiceManager ServiceManager::from_environment() {
  Environment environment;
  environment.notify_socket = take_variable("NOTIFY_SOCKET");
  environment.watchdog_usec = take_variable("WATCHDOG_USEC");
  environment.watchdog_pid = take_variable("WATCHDOG_PID");
  return ServiceManager(environment);
}

ServiceManager::ServiceManager(const Environment& environment) {
  if (!environment.notify_socket || !is_address(*environment.notify_socket)) return;
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return;
  address_ = *environment.notify_socket;
  if (address_.front() == '@') address_.front() = '\0';
  watchdog_interval_ = half_of(environment);
}

ServiceManager::ServiceManager(ServiceManager&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      address_(std::move(other.address_)),
      watchdog_interval_(std::exchange(other.watchdog_interval_, std::nullopt)) {}

ServiceManager::~ServiceManager() {
  if (socket_ >= 0) ::close(socket_);
}

void ServiceManager::ready() noexcept {
  send("READY=1");
}

void ServiceManager::reloading() noexcept {
  timespec now{};  // the manager compares it with its own: the clock is CLOCK_MONOTONIC by contract
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  std::array<char, 64> message{};
  const auto written = fmt::format_to_n(message.data(), message.size(), "RELOADING=1\nMONOTONIC_USEC={}",
                                        std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000);
  send({message.data(), written.size});
}

void ServiceManager::stopping() noexcept {
  send("STOPPING=1");
}

void ServiceManager::status(std::string_view one_line) noexcept {
  constexpr std::string_view key = "STATUS=";
  const std::string_view text = head_of(one_line, longest_status);
  std::array<char, key.size() + longest_status> message{};
  auto* end = std::copy(key.begin(), key.end(), message.begin());
  // A line break would begin the next assignment: READY=1 in a device's reason must stay text.
  end = std::transform(text.begin(), text.end(), end, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f ? ' ' : c;
  });
  send({message.data(), static_cast<std::size_t>(end - message.data())});
}

void ServiceManager::watchdog() noexcept {
  send("WATCHDOG=1");
}

// By address each time, not over a connected socket: a manager that starts again listens on a new one.
void ServiceManager::send(std::string_view message) noexcept {
  if (socket_ < 0) return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, address_.data(), address_.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  static_cast<void>(::sendto(socket_, message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&to), length));
}

}  // namespace nightjar::runtime
