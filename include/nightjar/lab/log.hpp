// The device's side of the truth: who connected, what was tried, what was typed, how it ended. Written by the
// fleet's thread, read by anyone. It holds no password; what was typed at a command prompt is a command, even
// if it was meant to be a secret.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::lab {

enum class Ending : std::uint8_t {
  open,      // not over yet
  logout,    // the client left by the device's own exit command
  closed,    // the client closed or disconnected without one
  refused,   // the device turned the connection away at accept
  rejected,  // the client left, or was sent away, without having logged in
  dropped,   // the device broke the connection off
  failed,    // no common algorithm, broken protocol
  stopped,   // the fleet was stopped
};
std::string_view to_text(Ending);

struct Login {
  std::string method;  // none, password, publickey, keyboard-interactive, shell, enable
  std::string username;
  bool accepted = false;
};

struct Visit {
  std::string customer;
  std::string device;
  int connection = 0;  // of this device, from 1
  MonoTime began;
  UtcTime began_utc;
  std::optional<MonoTime> ended;
  std::optional<UtcTime> ended_utc;
  std::vector<Login> logins;
  std::vector<std::string> commands;  // exec commands too
  std::uint64_t sent = 0;             // bytes of terminal output
  Ending ending = Ending::open;
};

class Log {
 public:
  // `file`: one JSON object a line, appended, for "opened" and for "closed"; empty: none. Without `keep`,
  // ended visits are only counted and written, not kept.
  static Result<std::unique_ptr<Log>> open(const std::string& file, bool keep);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  std::vector<Visit> visits() const;                            // in the order of their beginning
  std::vector<Visit> visits_of(std::string_view device) const;  // by the device's name
  // True as soon as the visits please `wanted`; false when they did not within `at_most`.
  bool wait_until(const std::function<bool(const std::vector<Visit>&)>& wanted, Milliseconds at_most) const;
  bool wait_until_all_ended(Milliseconds at_most) const;
  std::uint64_t total() const;  // visits begun since the start
  std::uint64_t open_now() const;

  // For the fleet.
  using Handle = std::uint64_t;
  Handle begin(std::string_view customer, std::string_view device, int connection);
  void change(Handle, const std::function<void(Visit&)>&);
  void end(Handle, Ending);

 private:
  Log(int file, bool keep) : file_(file), keep_(keep) {}
  void write_line(const Visit&, std::string_view event) const;
  std::vector<Visit> copy_locked() const;

  const int file_;  // -1: none
  const bool keep_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<Handle, Visit> visits_;
  Handle last_ = 0;
  std::uint64_t open_ = 0;
};

}  // namespace nightjar::lab
