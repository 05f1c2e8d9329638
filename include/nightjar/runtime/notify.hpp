// Speaks systemd's sd_notify protocol, without libsystemd: one datagram a message to the socket that the
// service manager named. Without one every call does nothing. A message is never worth an attempt: nothing
// here throws or waits, and what the manager's full socket does not take is lost.
#pragma once
#include <nightjar/base/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace nightjar::runtime {

class ServiceManager {
 public:
  // The variables of a service's environment, as they came; sd_notify(3) and sd_watchdog_enabled(3).
  struct Environment {
    std::optional<std::string> notify_socket{};  // /path, or @name in the abstract namespace
    std::optional<std::string> watchdog_usec{};
    std::optional<std::string> watchdog_pid{};
  };

  // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID and takes them out of the environment, so that no
  // child takes itself for the service. Called before there is a second thread: the environment has no lock.
  static ServiceManager from_environment();

  explicit ServiceManager(const Environment& environment);
  ServiceManager(ServiceManager&& other) noexcept;
  ServiceManager& operator=(ServiceManager&&) = delete;
  ~ServiceManager();

  bool listens() const noexcept { return socket_ >= 0; }

  void ready() noexcept;      // started, or reloaded
  void reloading() noexcept;  // followed by ready() when it is done
  void stopping() noexcept;   // shutting down
  void watchdog() noexcept;   // alive
  // For `systemctl status`. Control bytes become spaces; cut after 1000 bytes.
  void status(std::string_view one_line) noexcept;

  // How often watchdog() is due: half of what the manager allows, at least 1 ms. Empty when it does not watch
  // this process or there is no socket to tell it.
  std::optional<Milliseconds> watchdog_interval() const noexcept { return watchdog_interval_; }

 private:
  void send(std::string_view message) noexcept;

  int socket_ = -1;
  std::string address_;  // as sun_path holds it: an abstract one begins with NUL
  std::optional<Milliseconds> watchdog_interval_;
};

}  // namespace nightjar::runtime
