// A device that says anything at any time: the engine neither crashes nor hangs, types each secret at most
// once and only at a question the script calls a password prompt, shows it nowhere, and ends with either
// texts or one failure.
#include <nightjar/dialogue/engine.hpp>
#include <nightjar/dialogue/terminal.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>

namespace {

using namespace nightjar;
using namespace nightjar::dialogue;
using namespace std::chrono_literals;

constexpr std::string_view password = "hunter2-login";
constexpr std::string_view enable_password = "hunter2-enable";

void require(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: line %u\n", static_cast<unsigned>(where.line()));
  std::abort();
}

Pattern pattern(std::string_view expression) {
  return Pattern::compile(expression).value();
}

Script realistic() {
  Script s{.driver = "fuzz", .prompt = pattern(R"([\w.:()@~-]+ ?[#>$])")};
  s.prompt_variables = {pattern(R"(\(cfg-[^)]*\))")};
  s.login = {{pattern("(?i)user ?name: *$"), Answer::username, "", 1},
             {pattern("(?i)password: *$"), Answer::password, "", 1},
             {pattern("Ctrl-Y"), Answer::text, "\x19", 2}};
  s.login_errors = {{pattern("(?i)lines busy"), FailureClass::busy, ""}};
  s.enable = Enable{pattern(">$"),
                    "enable",
                    pattern("^Password: *$"),
                    pattern("^Name: *$"),
                    {{pattern("(?i)bad secrets"), FailureClass::auth, ""}}};
  s.preparation = {"terminal length 0"};
  s.pagers = {{pattern("--More--"), " "}};
  s.sections = {
      {"version",
       SectionKind::fact,
       {"show version", "show ver"},
       true,
       std::nullopt,
       {pattern("^V")},
       std::nullopt},
      {"running", SectionKind::config, {"show run", "sh run"}, false, pattern("^end$"), {}, Seconds{90}},
      {"extra", SectionKind::config, {"show extra"}, true, std::nullopt, {}, std::nullopt}};
  s.command_errors = {{pattern("^% "), FailureClass::unsupported, ""},
                      {pattern("locked"), FailureClass::busy, ""}};
  s.logout = {"exit", "y"};
  s.limits.bytes = 32u << 10;
  s.limits.pages = 20;
  return s;
}

struct NoLines final : LineSink {
  void line(std::string_view) override {}
};

class Watched {
 public:
  explicit Watched(const Script& script)
      : script_(script),
        transcript_({Secret{password}, Secret{enable_password}}, 4096),
        engine_(script, {"backup", Secret{password}, Secret{enable_password}}, transcript_, now_) {}

  void print(std::string_view bytes) {
    if (over_) return;
    screen_.feed(bytes, lines_);
    printed_ += bytes.size();
    look_at(engine_.feed(bytes, now_));
  }

  void wait(Milliseconds span) {
    const MonoTime until = now_ + span;
    while (!over_ && engine_.wake_at() <= until) {
      const MonoTime due = engine_.wake_at();
      now_ = std::max(now_, due);
      look_at(engine_.tick(now_));
      require(over_ || engine_.wake_at() > due);
    }
    now_ = until;
  }

  void hang_up() {
    if (!over_) look_at(engine_.closed(now_));
    require(over_);
  }

  bool over() const { return over_; }
  // What was typed last, as a device would echo it: secrets are not.
  const std::string& last_typed() const { return last_typed_; }

 private:
  void look_at(const Reaction& reaction) {
    if (reaction.secret) {
      std::string line{screen_.current()};
      line.resize(line.find_last_not_of(" \t") + 1);
      const bool login = reaction.type == std::string{password} + "\n";
      const bool enable = reaction.type == std::string{enable_password} + "\n";
      require(login || enable);
      require(login ? script_.login[1].expect.found_in(line)
                    : script_.enable->password_prompt.found_in(line));
      require(++(login ? passwords_ : enables_) == 1);
      last_typed_ = "\n";
    } else if (!reaction.type.empty()) {
      require(reaction.type.find("hunter2") == std::string::npos);
      last_typed_ = reaction.type;
      if (reaction.type == " ") screen_.drop_current();
    }
    require(!(reaction.done && reaction.failure));
    require(!transcript_shows_secret());
    require(engine_.partial().size() <= (64u << 10) + 4096 + printed_);
    if (reaction.failure) require(!reaction.failure->reason.empty());
    if (!reaction.done && !reaction.failure) return;
    over_ = true;
    require(engine_.phase() == Phase::finished);
    require(engine_.wake_at() == MonoTime::max());
    for (const auto& section : engine_.sections()) {
      require(section.text.empty() || section.text.back() == '\n');
      require(section.text.size() <= script_.limits.bytes);
    }
    require(engine_.feed("core-01#", now_).type.empty());
    require(engine_.tick(now_ + 1h).type.empty());
  }

  bool transcript_shows_secret() const {
    const std::string text = transcript_.text();
    return text.find(password) != std::string::npos || text.find(enable_password) != std::string::npos;
  }

  const Script& script_;
  MonoTime now_{};
  Transcript transcript_;
  Engine engine_;
  Terminal screen_;
  NoLines lines_;
  std::string last_typed_;
  std::size_t printed_ = 0;
  int passwords_ = 0;
  int enables_ = 0;
  bool over_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Script with_echo = realistic();
  static const Script without_echo = [] {
    Script s = realistic();
    s.echo = false;
    return s;
  }();
  if (size == 0) return 0;
  Watched session{data[0] % 4 == 3 ? without_echo : with_echo};
  std::string_view input{reinterpret_cast<const char*>(data) + 1, size - 1};
  constexpr std::string_view prompts[] = {"sw>", "sw# ", "sw(cfg-x)#", "\r\n{master:0}\r\nme@mx> "};
  const auto argument = [&] {
    const auto byte = static_cast<unsigned char>(input.empty() ? '\0' : input.front());
    input.remove_prefix(std::min<std::size_t>(1, input.size()));
    return byte;
  };
  while (!input.empty() && !session.over()) {
    const unsigned what = argument();
    switch (what % 8) {
      case 0:
      case 1: {  // anything
        const std::size_t n = std::min<std::size_t>(argument(), input.size());
        session.print(input.substr(0, n));
        input.remove_prefix(n);
        break;
      }
      case 2:
        session.print(prompts[argument() % 4]);
        break;
      case 3:  // a well-behaved device's answer
        session.wait(200ms);
        if (!session.last_typed().empty()) {
          std::string echo = session.last_typed();
          echo.pop_back();
          session.print(echo + "\r\n");
        }
        break;
      case 4:
        session.wait(Milliseconds{argument() * 4});
        break;
      case 5:
        session.wait(Milliseconds{argument() * 400});
        break;
      case 6:
        session.print(what > 128 ? "\r\nend\r\n" : "\r\n--More-- ");
        break;
      default:
        session.print(what > 128 ? "\r\nPassword: " : std::string_view{"hunter2-login hunter2-enable"});
        break;
    }
  }
  session.hang_up();
  return 0;
}
