#include "runtime/quoting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace nightjar::runtime {
namespace {

struct Rune {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The character at the front (RFC 3629: no overlong forms, no surrogates), or one byte that is none.
Rune first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t code = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = (code << 6) | (next & 0x3fu);
  }
  const char32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, bytes, true};
}

bool is_unseen(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)  // C0, DEL, C1: a terminal obeys them
         || (code >= 0x200b && code <= 0x200f)          // zero width, and marks of direction
         || (code >= 0x2028 && code <= 0x202e)          // line and paragraph ends, overrides of direction
         || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

bool is_bare(char c) {
  return c > 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '=';
}

// \" \\ \n \t \r, alike in both formats; false for any other character.
bool append_short_escape(std::string& line, char32_t code) {
  switch (code) {
    case '"':
      line += "\\\"";
      return true;
    case '\\':
      line += "\\\\";
      return true;
    case '\n':
      line += "\\n";
      return true;
    case '\t':
      line += "\\t";
      return true;
    case '\r':
      line += "\\r";
      return true;
    default:
      return false;
  }
}

template <class Append>
void append_quoted(std::string& line, std::string_view value, std::size_t longest, Append append) {
  const std::string_view shown = head_of(value, longest);
  line += '"';
  for (std::string_view rest = shown; !rest.empty();) {
    const Rune rune = first_of(rest);
    if (!append_short_escape(line, rune.valid ? rune.code : 0)) append(rune, rest.substr(0, rune.bytes));
    rest.remove_prefix(rune.bytes);
  }
  if (shown.size() < value.size()) line += "...";
  line += '"';
}

}  // namespace

std::string_view head_of(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  // A character has at most three bytes that go on: more of them are no text, and are cut anywhere.
  while (end > 0 && bytes - end < 3 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

void append_text(std::string& line, std::string_view value, std::size_t longest) {
  if (!value.empty() && value.size() <= longest && std::all_of(value.begin(), value.end(), is_bare)) {
    line += value;
    return;
  }
  append_quoted(line, value, longest, [&line](const Rune& rune, std::string_view bytes) {
    auto out = std::back_inserter(line);
    if (!rune.valid || (rune.code < 0x80 && is_unseen(rune.code)))
      fmt::format_to(out, "\\x{:02x}", static_cast<unsigned char>(bytes.front()));
    else if (is_unseen(rune.code))
      fmt::format_to(out, "\\u{{{:04x}}}", static_cast<std::uint32_t>(rune.code));
    else
      line += bytes;
  });
}

void append_json(std::string& line, std::string_view value, std::size_t longest) {
  append_quoted(line, value, longest, [&line](const Rune& rune, std::string_view bytes) {
    if (!rune.valid)
      line += "\xef\xbf\xbd";
    else if (is_unseen(rune.code))
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<std::uint32_t>(rune.code));
    else
      line += bytes;
  });
}

}  // namespace nightjar::runtime
