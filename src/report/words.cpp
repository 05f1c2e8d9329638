#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nightjar::report {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  // bytes; 0: no UTF-8 at this place
};

// The shortest form only, no surrogates, nothing above U+10FFFF.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || text.size() < length) return {};
  char32_t value = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length};
}

struct Range {
  char32_t first, last;
};

constexpr Range unseen[] = {{0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x2069}, {0xFEFF, 0xFEFF}};
constexpr Range combining[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
                               {0x064B, 0x065F}, {0x06D6, 0x06DC}, {0x0900, 0x0902}, {0x093A, 0x093A},
                               {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31},
                               {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                               {0x20D0, 0x20FF}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
constexpr Range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
                          {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
                          {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                          {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool is_in(const Range (&ranges)[N], char32_t value) {
  return std::ranges::any_of(ranges, [&](const Range& r) { return value >= r.first && value <= r.last; });
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

// How many bytes of `text` fit into `width` columns, with what combines with the last of them; one character
// at least.
std::size_t fitting(std::string_view text, std::size_t width) {
  std::size_t at = 0, used = 0;
  while (at < text.size()) {
    const std::size_t length = std::max<std::size_t>(decode(text.substr(at)).length, 1);
    const std::size_t more = columns(text.substr(at, length));
    if (at > 0 && used + more > width) break;
    used += more;
    at += length;
  }
  return at;
}

}  // namespace

std::string printable(std::string_view text) {
  if (is_plain(text)) return std::string{text};
  std::string out;
  while (!text.empty()) {
    const auto [value, length] = decode(text);
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (value == '\n')
      out += "\\n";
    else if (value == '\r')
      out += "\\r";
    else if (value == '\t')
      out += "\\t";
    else if (value < 0x20 || (value >= 0x7F && value < 0xA0))
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(value));
    else if (is_in(unseen, value))
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(value));
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::size_t columns(std::string_view text) {
  if (is_plain(text)) return text.size();
  std::size_t sum = 0;
  while (!text.empty()) {
    const auto [value, length] = decode(text);
    sum += is_in(combining, value) ? 0 : is_in(wide, value) ? 2 : 1;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return sum;
}

std::string wrap(std::string_view text, std::size_t first, std::size_t rest, std::size_t width) {
  std::string out;
  std::string line(first, ' ');
  std::size_t used = first, gap = 0;
  bool empty = true;
  const auto end_line = [&] {
    out += line + '\n';
    line.assign(rest, ' ');
    used = rest;
    gap = 0;
    empty = true;
  };
  const auto put = [&](std::string_view word) {
    line += word;
    used += columns(word);
    empty = false;
  };
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (!word.empty()) {
      if (!empty && used + gap + columns(word) > width) end_line();
      if (!empty) put(std::string(gap, ' '));
      for (; used + columns(word) > width; end_line()) {
        const std::size_t part = fitting(word, width - used);
        put(word.substr(0, part));
        word.remove_prefix(part);
      }
      if (!word.empty()) put(word);
      gap = 0;
    }
    ++gap;
  }
  if (!empty) end_line();
  return out;
}

std::string grouped(std::size_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string counted(std::size_t number, std::string_view singular) {
  return fmt::format("{} {}{}", grouped(number), singular, number == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

}  // namespace nightjar::report
