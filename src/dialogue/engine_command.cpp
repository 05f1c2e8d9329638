#include "dialogue/engine_impl.hpp"
#include "dialogue/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nightjar::dialogue {
namespace {

// How often one command is asked when its answers cannot be trusted.
constexpr int readings_at_most = 3;

std::string_view last_line_of(std::string_view text) {
  while (!text.empty()) {
    text.remove_suffix(1);
    const std::size_t newline = text.rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    if (!is_blank(text.substr(begin))) return right_trimmed(text.substr(begin));
    text = text.substr(0, begin);
  }
  return {};
}

}  // namespace

void Engine::Impl::next_command() {
  if (phase_ == Phase::preparation) {
    if (step_ < script_.preparation.size()) {
      ask(script_.preparation[step_++]);
      return;
    }
    phase_ = Phase::section;
  }
  while (section_ < script_.sections.size() && section().commands.empty()) ++section_;
  if (section_ < script_.sections.size()) {
    ask(section().commands[alternative_]);
    return;
  }
  command_.clear();
  out_.done = true;
  log_out();
}

void Engine::Impl::ask(std::string_view command) {
  const std::string text{command};  // may be command_ itself
  command_ = text;
  answer_.clear();
  echo_pending_ = script_.echo;
  odd_ = {};
  pages_in_answer_ = 0;
  pager_open_ = false;
  tainted_ = false;
  nudged_ = false;
  new_prompt_ = false;
  between_.reset();
  probe_.withdraw();
  probes_ = 0;
  progress_ = now_;
  if (!script_.echo) terminal_.drop_current();
  type_line(command_);
}

void Engine::Impl::command_line(std::string_view text) {
  if (echo_pending_) {
    echo_line(text);
    return;
  }
  if (answer_.size() + text.size() >= script_.limits.bytes) {
    fail(FailureClass::incomplete, Stage::command,
         fmt::format("the answer to \"{}\" is larger than {} bytes", command_, script_.limits.bytes));
    return;
  }
  const bool echoed_again =
      prompt_.echoes(text, command_) ||
      (trimmed(text) == trimmed(command_) && answer_.find_first_not_of(" \t\n") == std::string::npos);
  answer_.append(text).push_back('\n');
  if (!probe_.out())
    odd_.prompts += echoed_again || prompt_.is(text) ? 1 : 0;
  else if (!probe_line(text))
    distrust();
}

// Prompts without a command are late answers to probes. Anything else before the echo means that device and
// engine are not talking about the same command.
bool Engine::Impl::echo_line(std::string_view text) {
  if (is_blank(text) || prompt_.is(text) || prompt_.is_preamble(text)) return false;
  if (prompt_.echoes(text, command_)) {
    echo_pending_ = false;
    return true;
  }
  fail(FailureClass::incomplete, phase_ == Phase::enable ? Stage::login : Stage::command,
       fmt::format("echo of \"{}\" does not match: \"{}\"", command_, excerpt(text)));
  return false;
}

// Config texts are what this product is for, and behind the last command no echo would show that its answer
// was still coming. Elsewhere the echo of the next command tells.
bool Engine::Impl::is_probed() const {
  return phase_ == Phase::section &&
         (section().kind == SectionKind::config || section_ + 1 == script_.sections.size());
}

void Engine::Impl::distrust() {
  tainted_ = true;
  new_prompt_ = false;
  probe_.withdraw();
}

void Engine::Impl::command_settled(bool stuck) {
  if (echo_pending_) return;
  const std::string line{current()};
  if (probe_.out() && probe_settled(line, stuck)) return;
  if (!prompt_.is(line)) {
    if (stuck) look_for_prompt(line);
  } else if (stuck || tail() >= usual_tail_) {
    at_prompt(line);
  }
}

// True: there is nothing more to decide now.
bool Engine::Impl::probe_settled(const std::string& line, bool stuck) {
  if (line.empty()) return true;
  if (!prompt_.same(line, probe_.candidate())) {
    distrust();
    return false;
  }
  if (!renewed()) {
    if (stuck) send_probe_again();
    return true;
  }
  if (!stuck && tail() < usual_tail_) return true;
  if (new_prompt_) {
    new_prompt_settled(line);
    return true;
  }
  if (probe_.between() == prompt_.preamble() && probe_.repeats() <= usual_repeats_) {
    finish_answer(answer_at_probe_);
    return true;
  }
  distrust();
  return false;
}

void Engine::Impl::at_prompt(const std::string& line) {
  // A pager key that was typed into the prompt stands behind it: what was answered had been text.
  if (pages_in_answer_ == 0)
    widest_tail_ = std::max(widest_tail_, tail());
  else if (tail() > widest_tail_)
    tainted_ = true;
  odd_.short_tail = tail() < usual_tail_;
  answer_at_probe_ = answer_.size();
  if (is_probed())
    send_probe(line);
  else
    finish_answer(answer_.size());
}

void Engine::Impl::new_prompt_settled(const std::string& line) {
  if (between_ != probe_.between()) {
    between_ = probe_.between();
    send_probe(line);
    return;
  }
  usual_tail_ = tail();
  prompt_.learn(line, probe_.between());
  finish_answer(answer_at_probe_);
}

// It has been silent for long, and not at the prompt.
void Engine::Impl::look_for_prompt(const std::string& line) {
  if (script_.prompt.matches_all(line) && !prompt_.fixed_part(line).empty()) {
    new_prompt_ = true;
    between_.reset();
    answer_at_probe_ = answer_.size();
    send_probe(line);
    return;
  }
  // The prompt was there and something was printed over it: a broadcast, most likely. One empty line brings
  // it back.
  const bool was_there = odd_.prompts > 0 || last_line_.starts_with(prompt_.literal());
  if (!was_there || nudged_) return;
  nudged_ = true;
  tainted_ = true;
  type_line("");
}

void Engine::Impl::finish_answer(std::size_t size) {
  answer_.resize(size);
  prompt_.cut_preamble(answer_);
  cut_repeated_prompts();
  probe_.withdraw();
  if (phase_ == Phase::preparation) {
    next_command();
    return;
  }
  if (!trusted()) {
    if (readings_ < readings_at_most)
      ask(command_);
    else
      fail(FailureClass::incomplete, Stage::verify,
           fmt::format(
               "\"{}\" was read {} times and never without the device pausing or speaking at its prompt",
               command_, readings_));
    return;
  }
  if (const auto refusal = error_in_answer(script_, command_, answer_)) {
    if (refusal->failure_class == FailureClass::unsupported)
      next_alternative(*refusal);
    else
      fail(*refusal);
    return;
  }
  if (!has_end_mark(section(), answer_)) {
    fail(FailureClass::incomplete, Stage::verify,
         fmt::format("end mark missing in \"{}\": {} bytes, {} lines, the last one \"{}\"", command_,
                     answer_.size(), std::count(answer_.begin(), answer_.end(), '\n'),
                     excerpt(last_line_of(answer_))));
    return;
  }
  keep_section(std::move(answer_));
}

// Some devices show their prompt more than once for every line they read.
void Engine::Impl::cut_repeated_prompts() {
  for (std::size_t i = 1; i < usual_repeats_; ++i) {
    const auto last = last_line_of(answer_);
    if (!prompt_.is(last) || odd_.prompts == 0) return;
    --odd_.prompts;
    answer_.resize(static_cast<std::size_t>(last.data() - answer_.data()));
    prompt_.cut_preamble(answer_);
  }
}

// A line that looks just like the prompt is text when it comes again with the next reading; else it was the
// prompt, and what followed was no part of the answer.
bool Engine::Impl::trusted() {
  ++readings_;
  if (tainted_) return false;
  if (odd_.none()) return true;
  odd_.lines = static_cast<std::size_t>(std::count(answer_.begin(), answer_.end(), '\n'));
  const bool again = odd_before_ == odd_;
  odd_before_ = odd_;
  return again;
}

bool Engine::Impl::has_end_mark(const Section& wanted, std::string_view text) {
  return !wanted.end_mark || wanted.end_mark->found_in(last_line_of(text));
}

void Engine::Impl::keep_section(std::string text) {
  sections_.push_back(SectionText{section_, command_, kept_of(section(), std::move(text))});
  answer_.clear();
  readings_ = 0;
  odd_before_.reset();
  alternative_ = 0;
  ++section_;
  next_command();
}

void Engine::Impl::next_alternative(const Failure& refusal) {
  readings_ = 0;
  odd_before_.reset();
  if (++alternative_ < section().commands.size()) {
    next_command();
    return;
  }
  if (!section().optional && section().kind == SectionKind::config) {
    fail(refusal);
    return;
  }
  alternative_ = 0;
  ++section_;
  next_command();
}

}  // namespace nightjar::dialogue
