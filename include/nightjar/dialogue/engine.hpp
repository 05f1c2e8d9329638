// The dialogue engine: is fed the bytes of a device's shell and answers with bytes to type, the texts of the
// script's sections, or a typed failure. No I/O, no clock: every call brings the time, `wake_at` says when to
// call again without bytes. It never sends a secret except at a matched no-echo prompt, keeps one command in
// flight, and prefers saying "I do not know" (a failure) to handing out a text that may not be whole: the end
// of a config is only believed when an empty line typed at the prompt brings the prompt again, end mark or
// not; where something else comes, the command is asked again, three times at most.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/base/secret.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/dialogue/script.hpp>
#include <nightjar/dialogue/transcript.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::dialogue {

struct Login {
  std::string username;
  Secret password;
  Secret enable;  // empty: none is known
};

struct SectionText {
  std::size_t section = 0;  // index into Script::sections
  std::string command;      // the one the device knew
  std::string text;         // lines ended by \n, no echo, no prompt, no pager; a final newline unless empty
};

struct Reaction {
  std::string type;                // bytes to type now; may be empty
  bool secret = false;             // `type` holds a secret: do not log it
  bool done = false;               // all sections are there, the logout is in `type`: write it, then close
  std::optional<Failure> failure;  // final; `type` may hold a logout
};

enum class Phase : std::uint8_t { login, enable, preparation, section, finished };

class Engine {
 public:
  // `script` and `transcript` outlive the engine, which writes the transcript itself. The shell has just been
  // opened; nothing was read from it.
  Engine(const Script& script, Login login, Transcript& transcript, MonoTime now);
  ~Engine();
  Engine(Engine&&) noexcept;

  Reaction feed(std::string_view bytes, MonoTime now);
  Reaction tick(MonoTime now);    // due at wake_at(); harmless earlier
  Reaction closed(MonoTime now);  // the far side has closed: `dropped` unless all was there

  MonoTime wake_at() const;  // MonoTime::max() once finished
  Phase phase() const;
  std::string_view prompt() const;                   // learnt; empty before
  std::string_view command() const;                  // in flight; empty otherwise
  const std::vector<SectionText>& sections() const;  // in the script's order, complete once done
  std::vector<SectionText> take_sections();
  std::string partial() const;  // what of the section in flight had come: evidence, never a backup

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nightjar::dialogue
