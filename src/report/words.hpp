// Text for people: nothing that came from a device or a file reaches them raw, and columns are counted as a
// terminal counts them.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::report {

// Control characters, line separators and what turns the direction of writing become \n, \x1b, \u202e; bytes
// that are no UTF-8 become U+FFFD.
std::string printable(std::string_view text);

// Of a printable text: wide characters take two, combining ones none.
std::size_t columns(std::string_view text);

// Lines of at most `width` columns, broken at blanks and, where a word alone is longer, inside it. The first
// line has `first` blanks before it, the others `rest`; no line ends with a blank.
std::string wrap(std::string_view text, std::size_t first, std::size_t rest, std::size_t width);

std::string grouped(std::size_t number);                             // 61,204
std::string counted(std::size_t number, std::string_view singular);  // 1 device, 2 devices
std::string joined(const std::vector<std::string>& words, std::string_view between = ", ");

}  // namespace nightjar::report
