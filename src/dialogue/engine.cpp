#include "dialogue/engine_impl.hpp"
#include "dialogue/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nightjar::dialogue {
namespace {

// A pager stands still as soon as it is printed; waiting as long as for a prompt would cost seconds a
// thousand lines.
constexpr int pager_share_of_quiet = 4;
// A sender that is stopped by its window goes on after one round trip; four leave room for its jitter.
constexpr int round_trips_of_quiet = 4;
// How far the measured round trip may shorten or stretch what the script says.
constexpr int shortest_share_of_quiet = 4;
constexpr int longest_quiets = 4;
// 3 s with the built-in quiet: the device does not say what it is expected to say.
constexpr int stuck_after_quiets = 20;

constexpr std::size_t remembered_line = 1024;

}  // namespace

Engine::Engine(const Script& script, Login login, Transcript& transcript, MonoTime now)
    : impl_(std::make_unique<Impl>(script, std::move(login), transcript, now)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;

Reaction Engine::feed(std::string_view bytes, MonoTime now) {
  return impl_->feed(bytes, now);
}
Reaction Engine::tick(MonoTime now) {
  return impl_->tick(now);
}
Reaction Engine::closed(MonoTime now) {
  return impl_->closed(now);
}
MonoTime Engine::wake_at() const {
  return impl_->wake_at();
}
Phase Engine::phase() const {
  return impl_->phase();
}
std::string_view Engine::prompt() const {
  return impl_->prompt();
}
std::string_view Engine::command() const {
  return impl_->command();
}
const std::vector<SectionText>& Engine::sections() const {
  return impl_->sections();
}
std::vector<SectionText> Engine::take_sections() {
  return std::exchange(impl_->sections(), {});
}
std::string Engine::partial() const {
  return impl_->partial();
}

Engine::Impl::Impl(const Script& script, Login login, Transcript& transcript, MonoTime now)
    : script_(script),
      login_(std::move(login)),
      transcript_(transcript),
      prompt_(script.prompt_variables),
      now_(now),
      silent_since_(now),
      progress_(now),
      answered_(script.login.size(), 0) {}

Reaction Engine::Impl::feed(std::string_view bytes, MonoTime now) {
  if (over() || bytes.empty()) return {};
  now_ = now;
  transcript_.received(bytes);
  if (!heard_) measure(now - silent_since_);
  silent_since_ = now;
  heard_ = true;
  if (phase_ != Phase::login && phase_ != Phase::enable) progress_ = now;
  terminal_.feed(bytes, *this);
  silence_ = may_be_pager() ? Silence::pager : Silence::quiet;
  if (!over()) check_pager();
  if (!over() && terminal_.lost())
    fail(FailureClass::incomplete, phase_ == Phase::login ? Stage::login : Stage::command,
         fmt::format("a line of more than {} bytes, or one edited like a screen, came {}",
                     Terminal::line_bytes, where()));
  return std::exchange(out_, {});
}

Reaction Engine::Impl::tick(MonoTime now) {
  now_ = now;
  while (!over() && silence_ != Silence::over && now >= due(silence_)) {
    const Silence step = silence_;
    silence_ = static_cast<Silence>(static_cast<int>(step) + 1);
    settle(step);
    if (!out_.type.empty()) break;
  }
  if (!over() && now >= progress_ + patience()) out_of_patience();
  return std::exchange(out_, {});
}

Reaction Engine::Impl::closed(MonoTime now) {
  if (over()) return {};
  now_ = now;
  at_question_ = true;  // nobody is left to hear a logout
  const bool login = phase_ == Phase::login;
  if (!login || !refused_by(script_.login_errors, current(), Stage::login))
    fail(FailureClass::dropped, login ? Stage::login : Stage::command,
         fmt::format("connection closed by the device {}", where()));
  return std::exchange(out_, {});
}

MonoTime Engine::Impl::wake_at() const {
  if (over()) return MonoTime::max();
  const MonoTime end = progress_ + patience();
  return silence_ == Silence::over ? end : std::min(end, due(silence_));
}

std::string Engine::Impl::partial() const {
  if (answer_.empty() && (command_.empty() || echo_pending_)) return {};
  std::string text = answer_;
  if (!prompt_.is(current())) text.append(terminal_.current());
  return text;
}

// How long the device took to begin its answer. An echo needs a round trip and no thought.
void Engine::Impl::measure(MonoTime::duration answer) {
  answers_[answers_measured_++ % answers_.size()] = answer;
}

// The script's quiet until the line's speed is known, then some round trips, the slowest of the last few
// taken for one.
MonoTime::duration Engine::Impl::quiet() const {
  const MonoTime::duration usual = script_.limits.quiet;
  if (!script_.echo || answers_measured_ == 0) return usual;
  const auto slowest = *std::max_element(answers_.begin(), answers_.end());
  return std::clamp(slowest * round_trips_of_quiet, usual / shortest_share_of_quiet, usual * longest_quiets);
}

MonoTime Engine::Impl::due(Silence step) const {
  switch (step) {
    case Silence::pager:
      return silent_since_ +
             std::min<MonoTime::duration>(quiet(), script_.limits.quiet) / pager_share_of_quiet;
    case Silence::quiet:
      return silent_since_ + quiet();
    case Silence::stuck:
      return silent_since_ + script_.limits.quiet * stuck_after_quiets;
    case Silence::over:
      break;
  }
  return MonoTime::max();
}

Milliseconds Engine::Impl::patience() const {
  if (phase_ == Phase::login || phase_ == Phase::enable) return script_.limits.prompt;
  if (phase_ == Phase::section && section().timeout) return *section().timeout;
  return script_.limits.idle;
}

void Engine::Impl::out_of_patience() {
  const auto seconds = std::chrono::duration_cast<Seconds>(patience()).count();
  if (phase_ == Phase::login)
    fail(FailureClass::timeout, Stage::login,
         fmt::format("no prompt within {} s after login, last line \"{}\"", seconds,
                     excerpt(is_blank(current()) ? std::string_view{last_line_} : current())));
  else if (phase_ == Phase::enable)
    fail(FailureClass::timeout, Stage::login,
         fmt::format("no prompt within {} s after \"{}\"", seconds, command_));
  else
    fail(FailureClass::timeout, Stage::command, fmt::format("no progress for {} s {}", seconds, where()));
}

void Engine::Impl::settle(Silence step) {
  if (step == Silence::pager) {
    answer_pager();
    return;
  }
  const bool stuck = step == Silence::stuck;
  switch (phase_) {
    case Phase::login:
    case Phase::enable:
      if (stuck && probe_.out() && !renewed() && current() == probe_.candidate())
        send_probe_again();  // some devices throw away what is typed too early
      else if (!stuck && phase_ == Phase::login)
        login_settled();
      else if (!stuck)
        enable_settled();
      break;
    case Phase::preparation:
    case Phase::section:
      command_settled(stuck);
      break;
    case Phase::finished:
      break;
  }
}

void Engine::Impl::line(std::string_view text) {
  if (over()) return;
  check_pager();
  if (over()) return;
  if (!is_blank(text)) last_line_.assign(text.substr(0, remembered_line));
  switch (phase_) {
    case Phase::login:
      login_line(text);
      break;
    case Phase::enable:
      enable_line(text);
      break;
    case Phase::preparation:
    case Phase::section:
      command_line(text);
      break;
    case Phase::finished:
      break;
  }
}

void Engine::Impl::type(std::string_view bytes) {
  out_.type.append(bytes);
  transcript_.typed(bytes);
  typed();
}

void Engine::Impl::type_secret(const Secret& secret, bool& typed_before, std::string_view what) {
  at_question_ = true;
  if (typed_before) {
    fail(FailureClass::auth, Stage::login,
         fmt::format("{} rejected: \"{}\" was asked again", what, excerpt(current())));
  } else if (secret.empty()) {
    fail(FailureClass::setup, Stage::login,
         fmt::format("{} missing: the device asks \"{}\"", what, excerpt(current())));
  } else {
    typed_before = true;
    at_question_ = false;
    out_.type = secret.reveal() + script_.newline;
    out_.secret = true;
    transcript_.typed_secret();
    typed();
  }
}

void Engine::Impl::typed() {
  typed_at_ = terminal_.renewals();
  heard_ = false;
  silent_since_ = now_;
  silence_ = Silence::quiet;
  last_line_.clear();
}

bool Engine::Impl::renewed() const {
  return heard_ && (terminal_.renewals() != typed_at_ || !script_.echo);
}

std::string_view Engine::Impl::current() const {
  return right_trimmed(terminal_.current());
}

std::string Engine::Impl::where() const {
  switch (phase_) {
    case Phase::login:
      return "during login";
    case Phase::enable:
    case Phase::preparation:
      return fmt::format("in \"{}\"", command_);
    case Phase::section:
      return fmt::format("in \"{}\" after {} bytes", command_, answer_.size());
    case Phase::finished:
      break;
  }
  return {};
}

void Engine::Impl::fail(FailureClass failure_class, Stage stage, std::string reason) {
  fail(failure(failure_class, stage, std::move(reason)));
}

void Engine::Impl::fail(Failure failure) {
  failure.reason = transcript_.masked(failure.reason);
  const bool logout = prompt_.known() && !at_question_;
  if (logout) log_out();
  phase_ = Phase::finished;
  failure.transcript_tail = transcript_.tail();
  out_.failure = std::move(failure);
}

void Engine::Impl::log_out() {
  for (const auto& command : script_.logout) type_line(command);
  phase_ = Phase::finished;
}

bool Engine::Impl::may_be_pager() const {
  const std::string_view line = terminal_.current();
  return !script_.pagers.empty() && !is_blank(line) && !prompt_.is(line);
}

bool Engine::Impl::answer_pager() {
  const std::string_view line = terminal_.current();
  if (!may_be_pager()) return false;
  for (const auto& pager : script_.pagers) {
    const auto span = pager.prompt.find(line);
    if (!span) continue;
    if (++pages_ > script_.limits.pages) {
      fail(FailureClass::incomplete, Stage::command,
           fmt::format("more than {} pages {}", script_.limits.pages, where()));
      return true;
    }
    ++pages_in_answer_;
    pager_open_ = true;
    pager_doubtful_ = !is_blank(line.substr(0, span->begin));
    type(pager.key);
    terminal_.drop_current();
    return true;
  }
  return false;
}

// What follows an answered pager says whether it was one. Text that simply goes on was stalled in the middle:
// a piece of it is gone.
void Engine::Impl::check_pager() {
  if (!pager_open_) return;
  const auto behind = terminal_.behind_dropped();
  if (phase_ == Phase::login || phase_ == Phase::enable) return;
  if (behind == Terminal::Behind::text || (behind == Terminal::Behind::line_end && pager_doubtful_)) {
    pager_open_ = false;
    fail(FailureClass::incomplete, Stage::command,
         fmt::format("a line that looked like a pager went on {}", where()));
  }
}

void Engine::Impl::send_probe(std::string candidate) {
  if (++probes_ > 50) {  // of one prompt or answer: a device that answers each probe with something else
    fail(FailureClass::incomplete, phase_ == Phase::login ? Stage::login : Stage::command,
         fmt::format("the device does not come to rest at \"{}\" {}", excerpt(candidate), where()));
    return;
  }
  if (!script_.echo) terminal_.drop_current();
  probe_.send(std::move(candidate));
  type_line("");
}

void Engine::Impl::send_probe_again() {
  probe_.send_again();
  if (!script_.echo) terminal_.drop_current();
  type_line("");
}

// False: the device does not answer the probe, it goes on talking.
bool Engine::Impl::probe_line(std::string_view text) {
  if (prompt_.same(text, probe_.candidate())) {
    const std::size_t blanks = text.size() - right_trimmed(text).size();
    if (pages_in_answer_ == 0)
      widest_echo_ = std::max(widest_echo_, blanks);
    else if (blanks > widest_echo_)
      tainted_ = true;  // see at_prompt()
  }
  return probe_.line(text, prompt_);
}

std::size_t Engine::Impl::tail() const {
  return terminal_.current().size() - current().size();
}

}  // namespace nightjar::dialogue
