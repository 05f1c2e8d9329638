// A one-line terminal: turns the bytes of a device into the lines a person would see. Carriage return, backspace,
// cursor moves, erase, insert and delete of characters, colours, titles (OSC), NUL and BEL; state is kept over any
// read boundary. Bytes are columns: text that is not UTF-8 passes through untouched. No screen, no scrolling: a move to
// another row stays on the line. Linear in the bytes fed.
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
  void feed(std::string_view bytes, LineSink& sink);

  // The unfinished line as it stands (a prompt, a pager, half a line).
  std::string_view current() const;

  // Removes the unfinished line, as if it had never been printed: for a pager text that is being answered. Erasing that
  // the device sends afterwards (CR, blanks, backspaces, ESC[K) then leaves nothing behind.
  void drop_current();

 private:
  // The engine's author owns what is below this line.
};

}  // namespace nightjar::dialogue
