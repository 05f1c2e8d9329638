#include "config/recorded_device.hpp"

#include <nightjar/config/replay.hpp>
#include <nightjar/dialogue/terminal.hpp>
#include <nightjar/dialogue/transcript.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace nightjar::config {
namespace {

using namespace dialogue;

constexpr std::size_t transcript_limit = 1 << 20;
constexpr std::size_t bytes_a_read = 1000;
// No driver asks this often; an engine that does goes in circles.
constexpr std::size_t most_turns = 1'000'000;

Login recorded_login() {
  return {"backup", Secret{"PASSWORD"}, Secret{"ENABLEPASS"}};
}

class Replay {
 public:
  Replay(const Driver& driver, const Recording& recording)
      : driver_(&driver),
        // What a bare recording's prompt would have looked like, for drivers that look at its shape.
        device_(recording, driver.script.prompt, driver.unknown_command, prompt_for(driver)),
        transcript_({Secret{"PASSWORD"}, Secret{"ENABLEPASS"}}, transcript_limit) {}

  ReplayReport run() {
    if (driver_->script.mode == Mode::shell)
      in_shell();
    else
      by_exec();
    if (!report_.failure) judge();
    report_.transcript = transcript_.text();
    return std::move(report_);
  }

 private:
  static std::string prompt_for(const Driver& driver) {
    for (const std::string_view candidate :
         {"device# ", "device> ", "backup@device> ", "backup@device:~$ ", "[backup@device] > "})
      if (driver.script.prompt.matches_all(candidate.substr(0, candidate.find_last_not_of(' ') + 1)))
        return std::string{candidate};
    return "device# ";
  }

  void in_shell() {
    Engine engine{driver_->script, recorded_login(), transcript_, now_};
    const auto end = [&] {
      report_.evidence = engine.partial();
      report_.sections = engine.take_sections();
    };
    std::string pending = device_.greet();
    for (std::size_t turn = 0; turn < most_turns; ++turn) {
      Reaction reaction;
      if (!pending.empty()) {
        now_ += Milliseconds{1};
        const std::string read = pending.substr(0, bytes_a_read);
        pending.erase(0, read.size());
        reaction = engine.feed(read, now_);
      } else if (device_.closed()) {
        reaction = engine.closed(now_);
        if (!reaction.failure && !reaction.done)
          reaction.failure =
              failure(FailureClass::dropped, Stage::command, "the recorded device closed the session");
      } else {
        if (engine.wake_at() == MonoTime::max()) {
          reaction.failure =
              failure(FailureClass::internal, Stage::command, "the dialogue waits for nothing");
        } else {
          now_ = std::max(now_, engine.wake_at());
          reaction = engine.tick(now_);
        }
      }
      if (reaction.failure) report_.failure = std::move(reaction.failure);
      if (report_.failure || reaction.done) return end();
      if (!reaction.type.empty()) pending += device_.type(reaction.type);
    }
    report_.failure = failure(FailureClass::internal, Stage::command, "the dialogue goes in circles");
    end();
  }

  void by_exec() {
    for (std::size_t index = 0; index < driver_->script.sections.size(); ++index) {
      const Section& section = driver_->script.sections[index];
      std::optional<Failure> refused;
      for (const std::string& command : section.commands) {
        refused.reset();
        transcript_.typed(command);
        const std::string output = device_.run(command);
        transcript_.received(output);
        std::string text = rendered(output);
        refused = error_in_answer(driver_->script, command, text);
        if (refused && refused->failure_class == FailureClass::unsupported) continue;
        if (!refused) report_.sections.push_back({index, command, kept_of(section, std::move(text))});
        break;
      }
      if (!refused || (section.optional && refused->failure_class == FailureClass::unsupported)) continue;
      report_.failure = std::move(refused);
      return;
    }
  }

  void judge() {
    report_.text = whole_text(*driver_, report_.sections);
    report_.failure = revision::verify(report_.text, driver_->text, std::nullopt);
  }

  const Driver* driver_;
  RecordedDevice device_;
  Transcript transcript_;
  MonoTime now_{};
  ReplayReport report_;
};

}  // namespace

Result<ReplayReport> replay(const Driver& driver, std::string_view transcript_json) {
  const auto recording = parse_recording(transcript_json);
  if (!recording) return recording.error();
  return Replay{driver, *recording}.run();
}

}  // namespace nightjar::config
