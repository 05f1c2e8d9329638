// A one-line terminal: turns the bytes of a device into the lines a person would see. Carriage return,
// backspace, cursor moves, erase, insert and delete of characters, colours, titles (OSC), NUL and BEL; state
// is kept over any read boundary. Bytes are columns: text that is not UTF-8 passes through untouched. No
// screen, no scrolling: a move to another row stays on the line. Linear in the bytes fed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::dialogue {

class LineSink {
 public:
  virtual ~LineSink() = default;
  // A finished line, without its line end; valid during the call only.
  virtual void line(std::string_view text) = 0;
};

class Terminal {
 public:
  // A longer line, or an edit far to the right of one, is not followed: see `lost()`.
  static constexpr std::size_t line_bytes = 4u << 20;

  void feed(std::string_view bytes, LineSink& sink);

  // The unfinished line as it stands (a prompt, a pager, half a line).
  std::string_view current() const;

  // Removes the unfinished line, as if it had never been printed: for a pager text that is being answered.
  // Erasing that the device sends afterwards (CR, blanks, backspaces, ESC[K) then leaves nothing behind, nor
  // does a line end that follows at once.
  void drop_current();

  // What has followed the dropped line with neither a move nor a wipe between. Text: either the device does
  // not erase its pager text, or what was dropped was no pager text. Reset by drop_current().
  enum class Behind : std::uint8_t { nothing, line_end, text };
  Behind behind_dropped() const { return behind_; }

  // How often the line was begun anew: ended, erased as a whole, or overwritten from its first column,
  // dropped.
  std::size_t renewals() const { return renewals_; }

  // True for good once a line could not be rendered: too long, or edited beyond `edit_columns`.
  bool lost() const { return lost_; }

 private:
  // Far beyond any screen; keeps what a few bytes of escape sequence may cost small.
  static constexpr std::size_t edit_columns = 1024;
  static constexpr std::size_t csi_bytes = 64;
  static constexpr std::size_t string_bytes = 4096;

  enum class Input : std::uint8_t { text, escape, intermediate, csi, string, string_escape };
  // What has happened since drop_current().
  enum class Dropped : std::uint8_t { no, fresh, returned, erasing };

  void put(std::string_view run);
  void put_dropped(std::string_view& run);
  void overwrite(char byte);
  void control(char byte, LineSink& sink);
  void sequence(char byte, LineSink& sink);
  void csi(char final);
  void edit(char final, std::size_t count);
  void erase(std::size_t mode, bool whole_screen);
  void end_line(LineSink& sink);
  void move_to(std::size_t column);
  void moved();
  void give_up_sequence();
  bool soft(std::size_t column) const { return column < soft_.size() && soft_[column] != 0; }
  void mark(std::size_t column, bool soft);

  std::string text_;      // one byte a column
  std::string soft_;      // per column: a blank that only erases; shorter than text_: the rest is not
  std::string sequence_;  // the unfinished escape sequence, from its ESC
  std::size_t column_ = 0;
  std::size_t renewals_ = 0;
  Input input_ = Input::text;
  Dropped dropped_ = Dropped::no;
  Behind behind_ = Behind::nothing;
  bool wrote_ = false;  // something visible was printed since the last move
  bool lost_ = false;
};

// The bytes of a channel without a prompt as lines, each ended by \n.
std::string rendered(std::string_view bytes);

}  // namespace nightjar::dialogue
