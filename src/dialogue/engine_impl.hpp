// The engine's inside. Nothing is decided while bytes come in, except what a finished line settles for good
// (an echo, an error text): everything else waits for silence, so that the way the bytes were cut up never
// matters.
//
// An answer is over when the prompt stands there, nothing follows for `quiet`, and an empty line typed then
// (the probe) brings the prompt again. If anything else comes, the prompt was part of the text, and the text
// cannot be trusted either: some devices echo the probe into it. Such a reading is thrown away and the
// command asked again.
#pragma once
#include "dialogue/prompt.hpp"

#include <nightjar/dialogue/engine.hpp>
#include <nightjar/dialogue/terminal.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightjar::dialogue {

class Engine::Impl final : private LineSink {
 public:
  Impl(const Script& script, Login login, Transcript& transcript, MonoTime now);

  Reaction feed(std::string_view bytes, MonoTime now);
  Reaction tick(MonoTime now);
  Reaction closed(MonoTime now);
  MonoTime wake_at() const;

  Phase phase() const { return phase_; }
  const std::string& prompt() const { return prompt_.literal(); }
  const std::string& command() const { return command_; }
  std::vector<SectionText>& sections() { return sections_; }
  std::string partial() const;

 private:
  // How long it has been silent, in the steps at which something is looked at.
  enum class Silence : std::uint8_t { pager, quiet, stuck, over };

  // What makes an answer look as if more than the answer were in it, or less. It is believed when it comes
  // twice.
  struct Oddities {
    std::size_t prompts = 0;  // lines just like the prompt, or like the echo once more
    bool short_tail = false;  // fewer blanks than usual behind the prompt at the end
    std::size_t lines = 0;    // of the answer
    bool none() const { return prompts == 0 && !short_tail; }
    bool operator==(const Oddities&) const = default;
  };

  void line(std::string_view text) override;
  void measure(MonoTime::duration answer);
  MonoTime::duration quiet() const;
  MonoTime due(Silence step) const;
  Milliseconds patience() const;
  void settle(Silence step);
  void out_of_patience();

  void type(std::string_view bytes);
  void type_line(std::string_view text) { type(std::string{text} + script_.newline); }
  void type_secret(const Secret& secret, bool& typed, std::string_view what);
  void typed();
  // The device has begun a new line, or the same one anew, since something was typed last.
  bool renewed() const;
  std::string_view current() const;
  std::string where() const;

  void fail(FailureClass failure_class, Stage stage, std::string reason);
  void fail(Failure failure);
  bool over() const { return phase_ == Phase::finished; }
  bool may_be_pager() const;
  bool answer_pager();
  void check_pager();
  void send_probe(std::string candidate);
  void send_probe_again();
  bool probe_line(std::string_view text);
  std::size_t tail() const;  // blanks behind the current line

  // Login and enable (engine_login.cpp).
  bool refused_by(const std::vector<ErrorText>& texts, std::string_view text, Stage stage);
  void login_line(std::string_view text);
  void login_settled();
  bool answer_question();
  bool learn_prompt(std::string_view candidate);
  void logged_in();
  void start_enable();
  void enable_line(std::string_view text);
  void enable_settled();
  void check_password_change();

  // Commands (engine_command.cpp).
  void next_command();
  void ask(std::string_view command);
  void command_line(std::string_view text);
  void command_settled(bool stuck);
  bool probe_settled(const std::string& line, bool stuck);
  void at_prompt(const std::string& line);
  void look_for_prompt(const std::string& line);
  bool echo_line(std::string_view text);
  bool is_probed() const;
  void distrust();
  void new_prompt_settled(const std::string& line);
  void finish_answer(std::size_t size);
  bool trusted();
  void cut_repeated_prompts();
  void keep_section(std::string text);
  void next_alternative(const Failure& refusal);
  static bool has_end_mark(const Section& wanted, std::string_view text);
  void log_out();
  const Section& section() const { return script_.sections[section_]; }

  const Script& script_;
  Login login_;
  Transcript& transcript_;
  Terminal terminal_;
  Prompt prompt_;
  Probe probe_;
  Phase phase_ = Phase::login;
  Reaction out_;

  MonoTime now_;
  MonoTime silent_since_;
  MonoTime progress_;  // login and enable: the phase's begin; commands: the last byte
  Silence silence_ = Silence::quiet;
  std::array<MonoTime::duration, 3> answers_{};  // how long the last ones took to begin
  std::size_t answers_measured_ = 0;
  std::size_t typed_at_ = SIZE_MAX;  // the terminal's renewals then
  bool heard_ = true;                // since something was typed
  bool at_question_ = false;         // a logout now would be taken for an answer

  std::vector<std::size_t> answered_;                // login steps
  std::string last_line_;                            // non-blank, finished since the last answer
  std::optional<std::vector<std::string>> between_;  // two probes brought: must be alike
  int probes_ = 0;
  std::size_t candidate_tail_ = 0;
  bool password_typed_ = false;
  bool enable_typed_ = false;
  bool username_typed_ = false;

  std::size_t pages_ = 0;
  std::size_t pages_in_answer_ = 0;
  bool pager_open_ = false;      // answered, and nothing has come since
  bool pager_doubtful_ = false;  // other text stood before it

  std::size_t step_ = 0;  // preparation command
  std::size_t section_ = 0;
  std::size_t alternative_ = 0;
  std::string command_;
  bool echo_pending_ = false;
  std::string answer_;
  std::size_t answer_at_probe_ = 0;
  Oddities odd_;
  bool tainted_ = false;
  bool new_prompt_ = false;  // the probe is about a prompt that is not the learnt one
  bool nudged_ = false;
  int readings_ = 0;
  std::optional<Oddities> odd_before_;  // of the reading before
  std::size_t usual_tail_ = 0;          // blanks behind the learnt prompt
  std::size_t widest_tail_ = 0;         // behind any prompt no pager came before
  std::size_t widest_echo_ = 0;         // the same once the probe was echoed behind it
  std::size_t usual_repeats_ = 1;       // of the prompt, for one probe
  std::vector<SectionText> sections_;
};

}  // namespace nightjar::dialogue
