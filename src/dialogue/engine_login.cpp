#include "dialogue/engine_impl.hpp"
#include "dialogue/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nightjar::dialogue {
namespace {

bool holds(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         }) != text.end();
}

// "Current Password:", "New password:": the device wants its password changed, which is for people to do.
bool wants_new_password(std::string_view question) {
  if (!holds(question, "password")) return false;
  for (const std::string_view word :
       {"change", "new ", "current ", "old ", "retype", "re-enter", "confirm", "expired"})
    if (holds(question, word)) return true;
  return false;
}

}  // namespace

bool Engine::Impl::refused_by(const std::vector<ErrorText>& texts, std::string_view text, Stage stage) {
  for (const auto& error : texts) {
    if (!error.text.found_in(text)) continue;
    fail(error.failure_class, stage, error.reason.empty() ? excerpt(text) : error.reason);
    return true;
  }
  return false;
}

void Engine::Impl::login_line(std::string_view text) {
  if (refused_by(script_.login_errors, text, Stage::login)) return;
  if (probe_.out() && !probe_line(text)) probe_.withdraw();
}

void Engine::Impl::login_settled() {
  if (refused_by(script_.login_errors, current(), Stage::login)) return;
  if (answer_question()) return;
  if (learn_prompt(current())) {
    logged_in();
    return;
  }
  if (!over() && !probe_.out()) check_password_change();
}

bool Engine::Impl::answer_question() {
  if (!renewed()) return false;
  const bool unfinished = !current().empty();
  const std::string question{unfinished ? current() : right_trimmed(last_line_)};
  if (question.empty()) return false;
  for (std::size_t i = 0; i < script_.login.size(); ++i) {
    const LoginStep& step = script_.login[i];
    if (!step.expect.found_in(question)) continue;
    if (step.answer == Answer::text) {
      if (answered_[i] >= step.at_most) continue;
      ++answered_[i];
      probe_.withdraw();
      type(step.text);
      return true;
    }
    if (!unfinished) continue;
    probe_.withdraw();
    if (step.answer == Answer::username) {
      at_question_ = true;
      if (username_typed_) {
        fail(FailureClass::auth, Stage::login,
             fmt::format("login rejected: \"{}\" was asked again", question));
      } else {
        username_typed_ = true;
        at_question_ = false;
        type_line(login_.username);
      }
    } else if (wants_new_password(question)) {
      check_password_change();
    } else if (step.answer == Answer::password) {
      type_secret(login_.password, password_typed_, "password");
    } else {
      type_secret(login_.enable, enable_typed_, "enable password");
    }
    return true;
  }
  return false;
}

void Engine::Impl::check_password_change() {
  const std::string question{current()};
  if (!wants_new_password(question)) return;
  at_question_ = true;
  fail(FailureClass::auth, Stage::login, fmt::format("password_change_required: \"{}\"", excerpt(question)));
}

// True once the prompt is learnt. What the device prints between two prompts has to come twice alike.
bool Engine::Impl::learn_prompt(std::string_view line) {
  const std::string candidate{line};
  if (probe_.out()) {
    if (!renewed() || candidate.empty()) return false;
    if (prompt_.same(candidate, probe_.candidate())) {
      if (probe_.between().empty() || between_ == probe_.between()) {
        usual_tail_ = std::max(candidate_tail_, tail());
        widest_tail_ = std::max(widest_tail_, usual_tail_);
        usual_repeats_ = std::max<std::size_t>(1, probe_.repeats());
        prompt_.learn(candidate, probe_.between());
        probe_.withdraw();
        between_.reset();
        probes_ = 0;
        return true;
      }
      between_ = probe_.between();
    } else {
      between_.reset();
    }
    probe_.withdraw();
  }
  if (!script_.prompt.matches_all(candidate) || prompt_.fixed_part(candidate).empty()) return false;
  candidate_tail_ = tail();
  send_probe(candidate);
  return false;
}

void Engine::Impl::logged_in() {
  if (phase_ == Phase::login && script_.enable && script_.enable->wanted_at.found_in(prompt_.literal())) {
    start_enable();
    return;
  }
  phase_ = Phase::preparation;
  next_command();
}

void Engine::Impl::start_enable() {
  phase_ = Phase::enable;
  progress_ = now_;
  command_ = script_.enable->command;
  echo_pending_ = script_.echo;
  username_typed_ = false;
  if (!script_.echo) terminal_.drop_current();
  type_line(command_);
}

void Engine::Impl::enable_line(std::string_view text) {
  if (echo_pending_) {
    echo_line(text);
    return;
  }
  if (refused_by(script_.enable->refused, text, Stage::login)) return;
  if (probe_.out() && !probe_line(text)) probe_.withdraw();
}

void Engine::Impl::enable_settled() {
  const Enable& enable = *script_.enable;
  if (echo_pending_ || !renewed() || current().empty()) return;
  if (refused_by(enable.refused, current(), Stage::login)) return;
  if (prompt_.is(current()) || enable.wanted_at.found_in(current())) {
    fail(FailureClass::auth, Stage::login,
         fmt::format("enable refused: still at \"{}\" after \"{}\"", excerpt(current()), command_));
    return;
  }
  const bool asks_name = enable.username_prompt && enable.username_prompt->found_in(current());
  if (asks_name && !username_typed_) {
    username_typed_ = true;
    type_line(login_.username);
    return;
  }
  if (asks_name || enable.password_prompt.found_in(current())) {
    if (wants_new_password(current()))
      check_password_change();
    else
      type_secret(login_.enable, enable_typed_, "enable password");
    return;
  }
  if (learn_prompt(current())) logged_in();
}

}  // namespace nightjar::dialogue
