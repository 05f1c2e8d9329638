#include "cli/text.hpp"

#include <nightjar/base/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <locale.h>
#include <vector>
#include <wchar.h>

namespace nightjar::cli {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  // bytes; 0: no UTF-8 at this place
};

// The shortest form only, no surrogates, nothing above U+10FFFF: what a terminal and a JSON reader accept.
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

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

// wcwidth asks the locale of the thread; C.UTF-8 is part of every Debian.
class Utf8Locale {
 public:
  Utf8Locale()
      : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
        before_(locale_ ? uselocale(locale_) : nullptr) {}
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    if (!locale_) return;
    uselocale(before_);
    freelocale(locale_);
  }

 private:
  locale_t locale_;
  locale_t before_;
};

}  // namespace

std::string printable(std::string_view text) {
  if (is_plain(text)) return std::string{text};
  std::string out;
  out.reserve(text.size() + 8);
  while (!text.empty()) {
    const auto [value, length] = decode(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    if (value == '\n')
      out += "\\n";
    else if (value == '\r')
      out += "\\r";
    else if (value == '\t')
      out += "\\t";
    else if (value < 0x20 || (value >= 0x7F && value < 0xA0))
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(value));
    else
      out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

std::size_t columns(std::string_view text) {
  if (is_plain(text)) return text.size();
  const Utf8Locale locale;
  std::size_t sum = 0;
  while (!text.empty()) {
    const auto [value, length] = decode(text);
    const int width = length == 0 ? 1 : wcwidth(static_cast<wchar_t>(value));
    sum += width < 0 ? 1 : static_cast<std::size_t>(width);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return sum;
}

std::string table_time(UtcTime time) {
  std::string text = to_rfc3339(time);
  text[10] = ' ';
  text.pop_back();
  return text;
}

std::string grouped(std::size_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string counted(std::size_t number, std::string_view noun) {
  // "series" is its own plural.
  const bool plural = number != 1 && !noun.ends_with('s');
  return fmt::format("{} {}{}", grouped(number), noun, plural ? "s" : "");
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto best = nearest(word, candidates);
  return best.empty() ? "" : fmt::format("; did you mean \"{}\"?", best);
}

}  // namespace nightjar::cli
