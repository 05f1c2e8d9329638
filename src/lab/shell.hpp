// A device's terminal, without any I/O: what the client typed goes in, what the device does next comes out.
// It plays the Manner of its kind and those behaviours of the plan that show in a shell.
#pragma once
#include "lab/manner.hpp"

#include <nightjar/lab/device.hpp>
#include <nightjar/lab/log.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::lab {

struct Step {
  enum class Then : std::uint8_t { go_on, hang, drop, leave };
  Milliseconds pause{0};  // before the bytes
  std::string bytes;
  Then then = Then::go_on;
};

// What a shell asks of and tells its device. All outlive the shell.
struct ShellLinks {
  std::function<std::shared_ptr<const std::string>()> read_config;
  std::function<void(std::string_view)> saw_command;
  std::function<void(Login)> saw_login;
};

class Shell {
 public:
  // `device` outlives the shell; `connection` counts from 1 and decides which traits apply.
  Shell(const Device& device, int connection, std::string username, ShellLinks links);

  void open();                         // an interactive shell: greeting, login where the plan says so, prompt
  void run(std::string_view command);  // an exec request: one command, no echo, no pager, no prompt
  void type(std::string_view bytes);
  std::optional<Step> next();              // empty: it waits for the client
  bool failed() const { return failed_; }  // of `run`: the command was not known

 private:
  enum class Mode : std::uint8_t { user_name, password, command, enable_password };
  // A text being printed, pager and faults included.
  struct Listing {
    std::string text;  // CRLF
    std::size_t at = 0;
    std::size_t cut = std::string::npos;  // where the fault strikes
    Step::Then fault = Step::Then::go_on;
    Milliseconds think{0};
    Milliseconds delay{0};
    bool by_byte = false;
    bool paged = false;
    int lines_left = 0;
    bool at_more = false;
  };

  const Trait* trait(Behaviour b) const { return device_.trait(b, connection_); }
  bool take_key(char key);
  void take_line();
  void execute(std::string_view line);
  void obey(const Command&, std::string_view filters);
  void list(std::string text, bool paged, bool config);
  std::optional<Step> print_on();
  void answer_more();
  void prompt();
  void end_answer();
  void say(std::string_view text);  // LF becomes CRLF
  std::string filled(std::string_view text, std::string_view line = {}, std::string_view size = {}) const;
  std::optional<Step> flush(Step::Then then = Step::Then::go_on);
  bool is_secret() const { return mode_ == Mode::password || mode_ == Mode::enable_password; }

  static constexpr int page_lines = 23;

  const Device& device_;
  const int connection_;
  std::string username_;
  const ShellLinks links_;
  const Manner& manner_;

  Mode mode_ = Mode::command;
  bool exec_ = false;
  bool enabled_ = false;
  bool paging_;
  std::string context_;
  std::string asked_user_;
  int tries_ = 0;
  std::string inbox_;
  std::size_t taken_ = 0;  // of inbox_
  std::string line_;
  bool after_cr_ = false;
  std::string out_;
  std::optional<Listing> listing_;
  std::optional<Step::Then> ending_;
  bool silent_ = false;
  bool failed_ = false;
};

}  // namespace nightjar::lab
