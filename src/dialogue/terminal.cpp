#include <nightjar/dialogue/terminal.hpp>

#include <algorithm>
#include <array>

namespace nightjar::dialogue {
namespace {

constexpr char escape = '\x1b';
constexpr char bell = '\x07';

// Bytes that end a run of printable text. Other control bytes are kept as they are: banners are quoted with
// ETX, and a device that prints a form feed means it to be in the text.
constexpr auto acts = [] {
  std::array<bool, 256> table{};
  for (const char byte : {'\0', bell, '\b', '\n', '\r', '\x0e', '\x0f', escape})
    table[static_cast<unsigned char>(byte)] = true;
  return table;
}();

std::size_t run_length(std::string_view bytes) {
  std::size_t n = 0;
  while (n < bytes.size() && !acts[static_cast<unsigned char>(bytes[n])]) ++n;
  return n;
}

bool between(char byte, char low, char high) {
  return byte >= low && byte <= high;
}

}  // namespace

void Terminal::feed(std::string_view bytes, LineSink& sink) {
  while (!bytes.empty()) {
    if (input_ != Input::text) {
      sequence(bytes.front(), sink);
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t n = run_length(bytes);
    if (n > 0) put(bytes.substr(0, n));
    bytes.remove_prefix(n);
    if (bytes.empty()) return;
    control(bytes.front(), sink);
    bytes.remove_prefix(1);
  }
}

std::string_view Terminal::current() const {
  std::size_t size = text_.size();
  while (size > 0 && soft(size - 1)) --size;
  return std::string_view{text_}.substr(0, size);
}

void Terminal::drop_current() {
  text_.clear();
  soft_.clear();
  column_ = 0;
  dropped_ = Dropped::fresh;
  wrote_ = false;
  behind_ = Behind::nothing;
  ++renewals_;
}

void Terminal::put(std::string_view run) {
  if (dropped_ != Dropped::no) put_dropped(run);
  if (run.empty()) return;
  if (column_ == 0 && !text_.empty()) ++renewals_;
  if (column_ > text_.size()) {
    const std::size_t from = text_.size();
    text_.resize(column_, ' ');
    for (std::size_t i = from; i < column_; ++i) mark(i, true);
  }
  while (!run.empty() && column_ < text_.size()) {
    overwrite(run.front());
    run.remove_prefix(1);
  }
  if (run.empty()) return;
  const std::size_t room = line_bytes - std::min(line_bytes, text_.size());
  if (run.size() > room) {
    lost_ = true;
    run = run.substr(0, room);
  }
  text_.append(run);
  column_ = text_.size();
  if (!wrote_) wrote_ = run.find_first_not_of(' ') != std::string_view::npos;
}

// The first blanks behind a dropped line only wipe it out.
void Terminal::put_dropped(std::string_view& run) {
  while (!run.empty() && run.front() == ' ') {
    if (dropped_ == Dropped::returned) dropped_ = Dropped::erasing;
    if (column_ >= edit_columns) {
      lost_ = true;
      break;
    }
    text_.resize(std::max(text_.size(), column_ + 1), ' ');
    mark(column_++, true);
    run.remove_prefix(1);
  }
  if (run.empty()) return;
  if (dropped_ == Dropped::fresh) behind_ = Behind::text;
  dropped_ = Dropped::no;
}

// A blank over text takes it away. A blank over a column that is wiped out already is text again, unless it
// comes straight after a move: then the device is still wiping.
void Terminal::overwrite(char byte) {
  mark(column_, byte == ' ' && (!soft(column_) || !wrote_));
  if (byte != ' ') wrote_ = true;
  text_[column_++] = byte;
}

void Terminal::mark(std::size_t column, bool is_soft) {
  if (column >= soft_.size()) {
    if (!is_soft) return;
    soft_.resize(column + 1, 0);
  }
  soft_[column] = is_soft ? 1 : 0;
}

void Terminal::control(char byte, LineSink& sink) {
  switch (byte) {
    case '\n':
      end_line(sink);
      break;
    case '\r':
      if (dropped_ == Dropped::fresh) dropped_ = Dropped::returned;
      column_ = 0;
      wrote_ = false;
      break;
    case '\b':
      moved();
      if (column_ > 0) --column_;
      break;
    case escape:
      sequence_.assign(1, byte);
      input_ = Input::escape;
      break;
    default:  // NUL, BEL, shifts of the character set: nothing a person sees
      break;
  }
}

void Terminal::end_line(LineSink& sink) {
  ++renewals_;
  const bool part_of_pager = dropped_ == Dropped::fresh || dropped_ == Dropped::returned;
  if (part_of_pager)
    behind_ = Behind::line_end;
  else
    sink.line(current());
  text_.clear();
  soft_.clear();
  column_ = 0;
  wrote_ = false;
  dropped_ = Dropped::no;
}

void Terminal::moved() {
  if (dropped_ != Dropped::no) dropped_ = Dropped::erasing;
  wrote_ = false;
}

void Terminal::move_to(std::size_t column) {
  moved();
  column_ = std::min(column, std::max(edit_columns, text_.size()));
}

void Terminal::sequence(char byte, LineSink& sink) {
  if (input_ == Input::string_escape) {
    if (byte == '\\') {
      input_ = Input::text;
      return;
    }
    sequence_.pop_back();
    give_up_sequence();
    control(escape, sink);
  }
  // A device that is cut off inside a sequence goes on with a new line: the sequence was none, its bytes are
  // text.
  const bool cut_off =
      input_ == Input::string ? byte == '\n' || byte == '\r' : acts[static_cast<unsigned char>(byte)];
  if (cut_off) {
    give_up_sequence();
    control(byte, sink);
    return;
  }
  sequence_.push_back(byte);
  switch (input_) {
    case Input::text:
    case Input::string_escape:
      break;
    case Input::escape:
      if (byte == '[') {
        input_ = Input::csi;
      } else if (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_') {
        input_ = Input::string;
      } else if (between(byte, ' ', '/')) {
        input_ = Input::intermediate;
      } else if (between(byte, '0', '~')) {
        input_ = Input::text;
        if (byte == 'E') end_line(sink);
      } else {
        give_up_sequence();
      }
      break;
    case Input::intermediate:
      if (between(byte, '0', '~'))
        input_ = Input::text;
      else if (!between(byte, ' ', '/') || sequence_.size() > csi_bytes)
        give_up_sequence();
      break;
    case Input::csi:
      if (between(byte, '@', '~')) {
        input_ = Input::text;
        csi(byte);
      } else if (!between(byte, ' ', '?') || sequence_.size() > csi_bytes) {
        give_up_sequence();
      }
      break;
    case Input::string:
      if (byte == bell)
        input_ = Input::text;
      else if (byte == escape)
        input_ = Input::string_escape;
      else if (sequence_.size() > string_bytes)
        give_up_sequence();
      break;
  }
}

// What looked like a sequence and is none is kept as text: losing bytes silently would be worse than showing
// an ESC.
void Terminal::give_up_sequence() {
  input_ = Input::text;
  put(sequence_);
  sequence_.clear();
}

void Terminal::csi(char final) {
  if (final == 'm') return;  // colour; by far the most frequent
  const std::string_view parameters = std::string_view{sequence_}.substr(2, sequence_.size() - 3);
  if (!parameters.empty() && !between(parameters.front(), '0', ';'))
    return;  // private modes: cursor shown, keypad
  std::array<std::size_t, 2> number{};
  std::array<bool, 2> given{};
  std::size_t index = 0;
  for (const char c : parameters) {
    if (c == ';') {
      if (++index == number.size()) break;
    } else if (between(c, '0', '9')) {
      number[index] = std::min<std::size_t>(number[index] * 10 + static_cast<std::size_t>(c - '0'), 100'000);
      given[index] = true;
    }
  }
  const std::size_t count = given[0] && number[0] > 0 ? number[0] : 1;
  switch (final) {
    case 'C':
      move_to(column_ + count);
      break;
    case 'D':
      move_to(column_ - std::min(column_, count));
      break;
    case 'G':
    case '`':
      move_to(count - 1);
      break;
    case 'H':
    case 'f':
      move_to(given[1] && number[1] > 0 ? number[1] - 1 : 0);
      break;
    case 'J':
    case 'K':
      moved();
      erase(number[0], final == 'J');
      break;
    case 'P':
    case '@':
    case 'X':
      moved();
      edit(final, count);
      break;
    default:
      break;
  }
}

// K and J alike: a line is all there is of the screen.
void Terminal::erase(std::size_t mode, bool whole_screen) {
  if (mode == 0) {
    if (column_ == 0 && !text_.empty()) ++renewals_;
    if (column_ < text_.size()) text_.resize(column_);
  } else if (mode == 1) {
    if (column_ > edit_columns) {
      lost_ = true;
      return;
    }
    const std::size_t end = std::min(column_ + 1, text_.size());
    for (std::size_t i = 0; i < end; ++i) {
      text_[i] = ' ';
      mark(i, true);
    }
  } else if (mode == 2 || (whole_screen && mode == 3)) {
    if (!text_.empty()) ++renewals_;
    text_.clear();
    column_ = std::min(column_, edit_columns);
  }
  soft_.resize(std::min(soft_.size(), text_.size()));
}

void Terminal::edit(char final, std::size_t count) {
  if (text_.size() > edit_columns) {
    lost_ = true;
    return;
  }
  if (column_ >= text_.size()) return;
  count = std::min(count, edit_columns);
  if (final == 'X') {
    const std::size_t end = std::min(column_ + count, text_.size());
    for (std::size_t i = column_; i < end; ++i) {
      text_[i] = ' ';
      mark(i, true);
    }
    return;
  }
  soft_.resize(text_.size(), 0);
  if (final == 'P') {
    text_.erase(column_, count);
    soft_.erase(column_, count);
  } else {
    text_.insert(column_, count, ' ');
    soft_.insert(column_, count, 1);
  }
}

std::string rendered(std::string_view bytes) {
  struct Lines final : LineSink {
    void line(std::string_view text) override { (all += text) += '\n'; }
    std::string all;
  } lines;
  Terminal terminal;
  terminal.feed(bytes, lines);
  if (!terminal.current().empty()) lines.line(terminal.current());
  return std::move(lines.all);
}

}  // namespace nightjar::dialogue
