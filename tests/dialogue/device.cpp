#include "dialogue/device.hpp"

#include <nightjar/dialogue/terminal.hpp>

#include <algorithm>
#include <utility>

namespace nightjar::dialogue::test {
namespace {

struct NoLines final : LineSink {
  void line(std::string_view) override {}
};

// The device's side: one thread, reads what was typed only when it has printed everything and waits.
class Shell {
 public:
  explicit Shell(Device device) : device_(std::move(device)) { print(device_.greeting, true); }

  void typed(std::string_view bytes) {
    const bool busy = !silent();
    if (busy && device_.discards_typeahead) return;
    if (busy && device_.echo_at_once) {
      std::string echo;
      for (const char byte : bytes) echo += byte == '\n' ? device_.newline : std::string(1, byte);
      output_.insert(taken_, echo);
    }
    input_.append(bytes);
    work();
  }

  // Up to `most` bytes of what is printed.
  std::string take(std::size_t most) {
    std::string bytes = output_.substr(taken_, most);
    taken_ += bytes.size();
    if (silent()) work();
    return bytes;
  }
  bool silent() const { return taken_ == output_.size(); }
  bool closed() const { return closed_ && silent(); }

 private:
  void print(std::string_view text, bool prompt) {
    pending_.append(text);
    if (prompt) pending_.append(device_.prompt);
    work();
  }

  void work() {
    while (silent() && !closed_) {
      output_.clear();
      taken_ = 0;
      if (!pending_.empty()) {
        if (!run_pending()) return;
        continue;
      }
      const std::size_t end = input_.find('\n');
      if (end == std::string::npos) return;
      const std::string line = input_.substr(0, end);
      input_.erase(0, end + 1);
      run(line);
    }
  }

  // False: waits for something that was not typed yet.
  bool run_pending() {
    const std::size_t stop = pending_.find_first_of("\x01\x02\x03\x04");
    if (stop != 0) {
      output_ = pending_.substr(0, stop);
      pending_.erase(0, output_.size());
      return true;
    }
    const char what = pending_.front();
    if (what == hang_up) {
      closed_ = true;
      return false;
    }
    const std::size_t end = what == wait_key ? (input_.empty() ? std::string::npos : 0) : input_.find('\n');
    if (end == std::string::npos) return false;
    const std::string line = input_.substr(0, what == wait_key ? 1 : end);
    input_.erase(0, end + 1);
    pending_.erase(0, 1);
    if (what == wait_line) output_ = line + device_.newline;
    if (what == wait_secret) output_ = device_.newline;
    return true;
  }

  void run(const std::string& line) {
    std::string out;
    if (device_.echo) out = line + device_.newline;
    const std::size_t first = line.find_first_not_of(' ');
    const std::string command = first == std::string::npos ? "" : line.substr(first);
    if (command == "exit") {
      print(out + hang_up, false);
      return;
    }
    if (!command.empty()) {
      const auto found = device_.answers.find(command);
      if (found == device_.answers.end()) {
        out += device_.unknown;
      } else {
        auto& list = found->second;
        out += list.front().body;
        if (list.front().prompt_after) device_.prompt = *list.front().prompt_after;
        if (list.size() > 1) list.erase(list.begin());
      }
    }
    print(out, true);
  }

  Device device_;
  std::string pending_;    // still to be printed, with its waits
  std::string output_;     // printed
  std::size_t taken_ = 0;  // of it: read already
  std::string input_;
  bool closed_ = false;
};

}  // namespace

void Device::answer(const std::string& command, std::string body) {
  std::string sent;
  for (const char byte : body) {
    if (byte == '\n') sent.push_back('\r');
    sent.push_back(byte);
  }
  answers[command].push_back({std::move(sent), std::nullopt});
}

std::string Talk::text(std::size_t section) const {
  for (const auto& s : sections)
    if (s.section == section) return s.text;
  return "<no such section>";
}

Talk talk(const Script& script, Device device, std::vector<Pause> pauses, const Reads& reads, Login login,
          std::optional<std::size_t> cut_off_at) {
  const MonoTime start{};
  MonoTime now = start;
  Transcript transcript({login.password, login.enable}, 64u << 10);
  Shell shell{std::move(device)};
  Engine engine{script, std::move(login), transcript, now};
  Terminal screen;
  NoLines lines;
  Talk result;
  std::optional<MonoTime> paused_until;
  const auto react = [&](Reaction reaction) {
    if (reaction.secret) result.secret_lines.emplace_back(screen.current());
    result.typed += reaction.type;
    result.done = reaction.done;
    result.failure = std::move(reaction.failure);
    if (!reaction.type.empty()) shell.typed(reaction.type);
    return !result.done && !result.failure;
  };
  for (bool going = true; going;) {
    if (shell.closed() || (cut_off_at && result.printed >= *cut_off_at)) {
      react(engine.closed(now));
      break;
    }
    const auto pause = std::find_if(pauses.begin(), pauses.end(),
                                    [&](const Pause& p) { return p.at <= result.printed && !paused_until; });
    if (!shell.silent() && pause != pauses.end()) {
      paused_until = now + pause->length;
      pauses.erase(pause);
    }
    if (!shell.silent() && !paused_until) {
      std::size_t most = reads ? reads() : 4096;
      for (const Pause& p : pauses)
        if (p.at > result.printed) most = std::min(most, p.at - result.printed);
      if (cut_off_at) most = std::min(most, *cut_off_at - result.printed);
      const std::string bytes = shell.take(std::max<std::size_t>(most, 1));
      result.printed += bytes.size();
      screen.feed(bytes, lines);
      going = react(engine.feed(bytes, now));
      continue;
    }
    const MonoTime wake = engine.wake_at();
    if (paused_until && *paused_until <= wake) {
      now = *paused_until;
      paused_until.reset();
      continue;
    }
    if (wake == MonoTime::max()) break;
    now = std::max(now, wake);
    going = react(engine.tick(now));
  }
  result.partial = engine.partial();
  result.prompt = engine.prompt();
  result.sections = engine.take_sections();
  result.transcript = transcript.text();
  result.took = std::chrono::duration_cast<Milliseconds>(now - start);
  return result;
}

Pattern pattern(std::string_view expression) {
  return Pattern::compile(expression).value();
}

Script script() {
  Script s{.driver = "test",
           .mode = Mode::shell,
           .newline = "\n",
           .prompt = pattern(R"([\w.()/@~: -]+[#>])"),
           .prompt_variables = {},
           .echo = true,
           .login = {{pattern("(?i)user ?name: *$"), Answer::username, "", 1},
                     {pattern("(?i)password: *$"), Answer::password, "", 1},
                     {pattern("Enter Ctrl-Y to begin"), Answer::text, "\x19", 1}},
           .login_errors = {{pattern("(?i)no free vty|all lines busy"), FailureClass::busy, ""}},
           .enable = Enable{pattern(">$"),
                            "enable",
                            pattern("^Password: *$"),
                            std::nullopt,
                            {{pattern("(?i)bad secrets|incorrect .*password"), FailureClass::auth, ""}}},
           .preparation = {"terminal length 0", "terminal width 0"},
           .pagers = {{pattern("--More--"), " "}, {pattern("(?i)press (any key|<space>) to continue"), " "}},
           .sections = {},
           .command_errors = {{pattern("^% ?Invalid|^MINOR:|Unrecognized"), FailureClass::unsupported, ""},
                              {pattern("temporarily locked"), FailureClass::busy, ""}},
           .logout = {"exit"},
           .limits = {}};
  Section version{"version", SectionKind::fact, {"show version"}, true, std::nullopt, {}, std::nullopt};
  Section running{"running-config", SectionKind::config, {"show running-config"}, false, pattern("^end$"), {},
                  std::nullopt};
  s.sections = {version, running};
  return s;
}

}  // namespace nightjar::dialogue::test
