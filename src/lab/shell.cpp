#include "lab/shell.hpp"

#include "lab/typed_line.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace nightjar::lab {
namespace {

std::string with_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16 + 16);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += text.substr(0, end);
    if (end == std::string_view::npos) break;
    out += "\r\n";
    text.remove_prefix(end + 1);
  }
  return out;
}

constexpr std::string_view rule_of_hashes =
    "##########################################################\r\n"
    "## This line ends like a prompt>                        ##\r\n"
    "## core-99#                                             ##\r\n"
    "##########################################################\r\n"
    "login#\r\nwelcome>\r\n";

}  // namespace

Shell::Shell(const Device& device, int connection, std::string username, ShellLinks links)
    : device_(device),
      connection_(connection),
      username_(std::move(username)),
      links_(std::move(links)),
      manner_(manner_of(device.kind)),
      enabled_(!manner_.enabled_prompt.empty() && device.enable_password.empty()),
      paging_(manner_.pages || trait(Behaviour::pager_always) != nullptr) {}

std::string Shell::filled(std::string_view text, std::string_view line, std::string_view size) const {
  const std::array<Fill, 5> fills{Fill{"host", device_.shown_name()}, Fill{"user", username_},
                                  Fill{"line", line}, Fill{"n", size}, Fill{"context", context_}};
  return fill(text, fills);
}

void Shell::say(std::string_view text) {
  out_ += with_crlf(text);
}

void Shell::prompt() {
  const std::string_view shape = !context_.empty() ? manner_.context_prompt
                                 : enabled_        ? manner_.enabled_prompt
                                                   : manner_.prompt;
  out_ += filled(shape);
}

void Shell::end_answer() {
  if (exec_) {
    ending_ = Step::Then::leave;
    return;
  }
  say(manner_.after_answer);
  prompt();
}

void Shell::open() {
  if (const Trait* t = trait(Behaviour::vty_full_shell)) {
    say(t->text.empty() ? "\n% All vty lines are in use\n" : t->text);
    ending_ = Step::Then::leave;
    return;
  }
  if (trait(Behaviour::banner)) out_ += rule_of_hashes;
  if (trait(Behaviour::hang_login)) {
    ending_ = Step::Then::hang;
    return;
  }
  if (trait(Behaviour::shell_login)) {
    mode_ = Mode::user_name;
    out_ += "\r\nUser Name:";
    return;
  }
  out_ += filled(manner_.greeting);
  prompt();
}

void Shell::run(std::string_view command) {
  exec_ = true;
  paging_ = false;
  enabled_ = !manner_.enabled_prompt.empty();
  // A login shell is handed commands as `vtysh -c '...'` does: the device knows what is between the quotes.
  const std::size_t quote = command.find_first_of("'\"");
  if (command.starts_with("vtysh -c ") && quote != std::string_view::npos)
    command = command.substr(quote + 1, command.find_last_of("'\"") - quote - 1);
  execute(command);
}

void Shell::type(std::string_view bytes) {
  inbox_ += bytes;
}

std::optional<Step> Shell::flush(Step::Then then) {
  if (out_.empty() && then == Step::Then::go_on) return std::nullopt;
  Step step;
  step.bytes = std::exchange(out_, {});
  step.then = then;
  if (then != Step::Then::go_on) silent_ = true;
  return step;
}

std::optional<Step> Shell::next() {
  if (silent_) return std::nullopt;
  for (;;) {
    if (listing_ && !listing_->at_more) {
      if (auto step = print_on()) return step;
      continue;
    }
    if (ending_) return flush(*ending_);
    if (taken_ == inbox_.size()) {
      inbox_.clear();
      taken_ = 0;
      return flush();
    }
    if (listing_) {
      answer_more();
      continue;
    }
    if (take_key(inbox_[taken_++])) take_line();
  }
}

// Echo and line editing; true when the line is complete.
bool Shell::take_key(char key) {
  const bool second_half = after_cr_ && key == '\n';
  after_cr_ = key == '\r';
  if (second_half || key == '\0') return false;
  switch (key) {
    case '\r':
    case '\n':
      out_ += is_secret() ? "\r\n" : manner_.echo_end;
      return true;
    case '\b':
    case '\x7f':
      if (line_.empty()) return false;
      line_.pop_back();
      if (!is_secret()) out_ += "\b \b";
      return false;
    case '\x03':  // ^C: a new line
      line_.clear();
      if (mode_ != Mode::command) return false;
      out_ += "^C\r\n";
      prompt();
      return false;
    case '\x04':  // ^D on an empty line
      if (line_.empty() && mode_ == Mode::command) ending_ = Step::Then::leave;
      return false;
    case '\x15':  // ^U
      if (!is_secret())
        for (std::size_t i = 0; i < line_.size(); ++i) out_ += "\b \b";
      line_.clear();
      return false;
    default:
      if (static_cast<unsigned char>(key) < 0x20) return false;
      line_ += key;
      if (!is_secret()) out_ += key;
      return false;
  }
}

void Shell::take_line() {
  const std::string line = std::exchange(line_, {});
  switch (mode_) {
    case Mode::user_name:
      asked_user_ = line;
      mode_ = Mode::password;
      out_ += "Password:";
      return;
    case Mode::password: {
      const bool right =
          asked_user_ == device_.username && line == device_.password && !trait(Behaviour::wrong_password);
      links_.saw_login({"shell", asked_user_, right});
      if (right) {
        username_ = asked_user_;
        mode_ = Mode::command;
        out_ += "\r\n";
        prompt();
      } else if (++tries_ == 3) {
        say("\nauthentication failed\n");
        ending_ = Step::Then::leave;
      } else {
        mode_ = Mode::user_name;
        out_ += "authentication failed\r\n\r\nUser Name:";
      }
      return;
    }
    case Mode::enable_password: {
      const bool right = line == device_.enable_password && !trait(Behaviour::wrong_enable);
      links_.saw_login({"enable", username_, right});
      if (right) {
        enabled_ = true;
      } else if (++tries_ < manner_.enable_tries) {
        out_ += "Password: ";
        return;
      } else {
        say(manner_.enable_refused);
      }
      mode_ = Mode::command;
      prompt();
      return;
    }
    case Mode::command:
      execute(line);
      return;
  }
}

void Shell::execute(std::string_view typed) {
  const std::string_view line = trimmed(typed);
  if (line.empty()) {
    end_answer();
    return;
  }
  links_.saw_command(line);
  const std::size_t bar = line.find('|');
  const std::string_view words = trimmed(line.substr(0, bar));
  const std::string_view filters = bar == std::string_view::npos ? std::string_view{} : line.substr(bar + 1);
  if (!context_.empty() && words == "end") {
    context_.clear();
    end_answer();
    return;
  }
  for (const Command& command : manner_.commands) {
    if (command.context != context_ || !understands(command, words, manner_.abbreviates)) continue;
    if (command.privileged && !enabled_) break;
    if (command.does == Does::paging_off && trait(Behaviour::pager_always)) break;
    obey(command, filters);
    return;
  }
  failed_ = true;
  say(filled(manner_.unknown, line));
  end_answer();
}

void Shell::obey(const Command& command, std::string_view bars) {
  const Filters filters = read_filters(bars);
  // What is filtered is not paged, except by a pager that nothing can switch off.
  const bool filtering = filters.no_more || !filters.include.empty();
  const bool paged = paging_ && (!filtering || trait(Behaviour::pager_always));
  switch (command.does) {
    case Does::print:
      list(filtered(filled(command.text), filters), paged, false);
      return;
    case Does::config: {
      const std::shared_ptr<const std::string> config = links_.read_config();
      const std::string size = std::to_string(config->size());
      std::string text = filled(command.text.empty() ? manner_.frame_before : command.text, {}, size);
      text += *config;
      text += manner_.frame_after;
      if (!filters.exclude.empty() || !filters.include.empty()) text = filtered(text, filters);
      list(std::move(text), paged, true);
      return;
    }
    case Does::paging_off:
      paging_ = false;
      say(command.text);
      end_answer();
      return;
    case Does::enable:
      if (enabled_) return end_answer();
      if (exec_ || device_.enable_password.empty()) {
        enabled_ = true;
        return end_answer();
      }
      mode_ = Mode::enable_password;
      tries_ = 0;
      out_ += command.text;
      return;
    case Does::disable:
      enabled_ = false;
      end_answer();
      return;
    case Does::enter:
      context_ = command.text;
      end_answer();
      return;
    case Does::leave:
      ending_ = Step::Then::leave;
      return;
  }
}

void Shell::list(std::string text, bool paged, bool config) {
  Listing listing;
  listing.paged = paged;
  listing.lines_left = page_lines;
  if (config) {
    if (const Trait* t = trait(Behaviour::slow)) {
      listing.think = t->think;
      listing.delay = t->delay;
    }
    if (const Trait* t = trait(Behaviour::drip)) {
      listing.delay = t->delay;
      listing.by_byte = true;
    }
    if (trait(Behaviour::truncated)) text.resize(text.find('\n', text.size() / 2) + 1);
  }
  listing.text = with_crlf(text);
  if (config && (trait(Behaviour::hang_command) || trait(Behaviour::drop_mid_config))) {
    listing.cut = listing.text.size() / 2;
    listing.fault = trait(Behaviour::drop_mid_config) ? Step::Then::drop : Step::Then::hang;
  }
  listing_ = std::move(listing);
}

// The next piece of the listing: all of it, a page, a line or a byte. Empty: look again (it ended, or waits
// for a key).
std::optional<Step> Shell::print_on() {
  Listing& l = *listing_;
  if (l.think.count() > 0) {
    Step step;
    step.bytes = std::exchange(out_, {});
    if (!step.bytes.empty()) return step;  // the echo comes before the thinking
    step.pause = std::exchange(l.think, Milliseconds{0});
    return step;
  }
  if (l.delay.count() > 0 && !out_.empty()) return flush();
  if (l.at == l.text.size()) {
    listing_.reset();
    end_answer();
    return std::nullopt;
  }
  if (l.paged && l.lines_left == 0) {
    l.at_more = true;
    out_ += manner_.more;
    return std::nullopt;
  }
  std::size_t end = l.text.size();
  if (l.by_byte) {
    end = l.at + 1;
  } else if (l.paged || l.delay.count() > 0) {
    end = l.at;
    for (int lines = l.delay.count() > 0 ? 1 : l.lines_left; lines > 0 && end < l.text.size(); --lines)
      end = std::min(l.text.find('\n', end), l.text.size() - 1) + 1;
  }
  const bool strikes = end >= l.cut;
  end = std::min(end, l.cut);
  const std::string_view piece = std::string_view(l.text).substr(l.at, end - l.at);
  if (l.paged) l.lines_left -= static_cast<int>(std::count(piece.begin(), piece.end(), '\n'));
  out_ += piece;
  l.at = end;
  if (strikes) return flush(l.fault);
  if (l.delay.count() == 0) return std::nullopt;
  std::optional<Step> step = flush();
  step->pause = l.delay;
  return step;
}

void Shell::answer_more() {
  Listing& l = *listing_;
  switch (inbox_[taken_++]) {
    case ' ':
      l.lines_left = page_lines;
      break;
    case '\r':
    case '\n':
      l.lines_left = 1;
      break;
    case 'q':
    case 'Q':
      l.at = l.text.size();
      break;
    default:
      return;
  }
  l.at_more = false;
  out_ += manner_.erase;
}

}  // namespace nightjar::lab
