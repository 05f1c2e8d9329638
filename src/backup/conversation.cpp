#include "backup/conversation.hpp"

#include <nightjar/dialogue/terminal.hpp>

#include <fmt/format.h>

#include <array>

namespace nightjar::backup {
namespace {

using std::chrono::steady_clock;

// What a read brings is taken before anything else is awaited, and a session writes into it only when it
// wakes: all conversations of a thread share one.
thread_local std::array<char, 16384> inbox;

Stage stage_of(const dialogue::Engine& engine) {
  switch (engine.phase()) {
    case dialogue::Phase::login:
    case dialogue::Phase::enable:
      return Stage::login;
    case dialogue::Phase::preparation:
    case dialogue::Phase::section:
    case dialogue::Phase::finished:
      return Stage::command;
  }
  return Stage::command;
}

}  // namespace

Task<Result<Conversation::Sections>> Conversation::run() {
  return plan_.driver->script.mode == dialogue::Mode::shell ? in_shell() : by_exec();
}

Failure Conversation::out_of_time(Stage stage, std::string_view command) const {
  const auto spent = std::chrono::duration_cast<Milliseconds>(steady_clock::now() - started_);
  const std::string where = command.empty() ? std::string{"during login"} : fmt::format("in \"{}\"", command);
  return failure(FailureClass::timeout, stage,
                 fmt::format("attempt timeout reached {} after {}", where, to_span(spent)));
}

void Conversation::announce(const dialogue::Engine& engine) {
  const std::string_view command = engine.command();
  if (command.empty() || command == announced_) return;
  announced_ = command;
  progress_(stage_of(engine), fmt::format("{} {}", engine.prompt(), command));
}

Task<Result<Conversation::Sections>> Conversation::in_shell() {
  auto shell = co_await session_.open_shell(ssh::Pty{}, plan_.deadline);
  if (!shell) co_return std::move(shell).error();

  dialogue::Login login{plan_.credential.username, plan_.credential.password, plan_.enable_password};
  dialogue::Engine engine{plan_.driver->script, std::move(login), transcript_, steady_clock::now()};
  for (;;) {
    const MonoTime until = std::min(engine.wake_at(), plan_.deadline);
    auto read = co_await session_.read_some(inbox, until);
    const MonoTime now = steady_clock::now();

    dialogue::Reaction reaction;
    if (read && *read > 0) {
      reaction = engine.feed(std::string_view{inbox.data(), *read}, now);
    } else if (read) {
      reaction = engine.closed(now);
    } else if (read.error().failure_class == FailureClass::timeout) {
      if (now >= plan_.deadline) {
        evidence_ = engine.partial();
        co_return out_of_time(stage_of(engine), engine.command());
      }
      reaction = engine.tick(now);
    } else {
      Failure lost = std::move(read).error();
      lost.stage = stage_of(engine);
      if (!engine.command().empty()) lost.reason += fmt::format(" in \"{}\"", engine.command());
      evidence_ = engine.partial();
      co_return lost;
    }

    announce(engine);
    std::optional<Failure> unsent;
    if (!reaction.type.empty()) {
      auto written = co_await session_.write(std::move(reaction.type), plan_.deadline);
      if (!written) unsent = std::move(written).error();
    }
    if (reaction.failure) {
      evidence_ = engine.partial();
      co_return std::move(*reaction.failure);
    }
    if (reaction.done) {
      co_await see_off();
      co_return engine.take_sections();
    }
    if (unsent) {
      unsent->stage = stage_of(engine);
      evidence_ = engine.partial();
      co_return std::move(*unsent);
    }
  }
}

// The logout is typed: the device gets a moment to end the session itself, as it does for a person.
Task<void> Conversation::see_off() {
  const MonoTime until = steady_clock::now() + farewell;
  for (;;) {
    auto read = co_await session_.read_some(inbox, until);
    if (!read || *read == 0) co_return;
  }
}

Task<Result<Conversation::Sections>> Conversation::by_exec() {
  Sections sections;
  const auto& script = plan_.driver->script;
  for (std::size_t index = 0; index < script.sections.size(); ++index) {
    const auto& section = script.sections[index];
    auto answered = co_await exec_section(index);
    if (answered) {
      sections.push_back(std::move(*answered));
    } else if (answered.error().failure_class != FailureClass::unsupported ||
               !(section.optional || section.kind == dialogue::SectionKind::fact)) {
      co_return std::move(answered).error();
    }
  }
  co_return sections;
}

// The section's commands in order, until the device knows one.
Task<Result<dialogue::SectionText>> Conversation::exec_section(std::size_t index) {
  const auto& script = plan_.driver->script;
  const auto& section = script.sections[index];
  Failure refused =
      failure(FailureClass::setup, Stage::command,
              fmt::format("driver {} has no command for section {}", script.driver, section.name));
  for (const std::string& command : section.commands) {
    progress_(Stage::command, command);
    const MonoTime patience = steady_clock::now() + section.timeout.value_or(script.limits.idle);
    const MonoTime until = std::min(patience, plan_.deadline);
    transcript_.typed(command);
    auto ran = co_await session_.exec(command, script.limits.bytes, until);
    if (!ran) {
      if (ran.error().failure_class == FailureClass::timeout && until == plan_.deadline)
        co_return out_of_time(Stage::command, command);
      co_return std::move(ran).error();
    }
    transcript_.received(ran->output);
    transcript_.received(ran->errors);
    std::string text = dialogue::rendered(ran->output);
    if (auto spelt_out = dialogue::error_in_answer(script, command, text + dialogue::rendered(ran->errors))) {
      refused = std::move(*spelt_out);
      if (refused.failure_class == FailureClass::unsupported) continue;
      co_return refused;
    }
    if (ran->status != 0) {
      evidence_ = std::move(text);
      co_return failure(FailureClass::incomplete, Stage::command,
                        fmt::format("\"{}\" ended with status {}", command, ran->status));
    }
    co_return dialogue::SectionText{index, command, dialogue::kept_of(section, std::move(text))};
  }
  co_return refused;
}

}  // namespace nightjar::backup
