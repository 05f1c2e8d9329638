// The talk with one device over an open session: either the engine in a shell, or one command a channel. It
// carries bytes and deadlines between `ssh` and `dialogue`; what they mean is decided there.
#pragma once
#include <nightjar/backup/attempt.hpp>
#include <nightjar/dialogue/engine.hpp>

#include <string>
#include <vector>

namespace nightjar::backup {

// How long a device may take to end the session once all is there: nothing is lost by leaving without its
// goodbye.
inline constexpr Seconds farewell{2};

class Conversation {
 public:
  // Everything given outlives the conversation.
  Conversation(ssh::Session& session, const Plan& plan, dialogue::Transcript& transcript,
               const Progress& progress)
      : session_(session), plan_(plan), transcript_(transcript), progress_(progress) {}

  Task<Result<std::vector<dialogue::SectionText>>> run();

  // After a failure: what of a section had come.
  std::string take_evidence() { return std::move(evidence_); }

 private:
  using Sections = std::vector<dialogue::SectionText>;
  Task<Result<Sections>> in_shell();
  Task<Result<Sections>> by_exec();
  Task<Result<dialogue::SectionText>> exec_section(std::size_t index);
  Task<void> see_off();
  void announce(const dialogue::Engine& engine);
  Failure out_of_time(Stage stage, std::string_view command) const;

  ssh::Session& session_;
  const Plan& plan_;
  dialogue::Transcript& transcript_;
  const Progress& progress_;
  const MonoTime started_ = std::chrono::steady_clock::now();
  std::string announced_;
  std::string evidence_;
};

}  // namespace nightjar::backup
