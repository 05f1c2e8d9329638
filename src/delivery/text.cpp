#include "delivery/text.hpp"

#include <algorithm>

namespace nightjar::delivery {
namespace {

unsigned char byte(char c) {
  return static_cast<unsigned char>(c);
}

bool is_control(std::string_view sequence) {
  const unsigned char first = byte(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  if (sequence.size() == 2) return first == 0xC2 && byte(sequence[1]) < 0xA0;
  return sequence == "\xE2\x80\xA8" || sequence == "\xE2\x80\xA9";
}

}  // namespace

std::size_t sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned char first = byte(text[0]);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  // The second byte's range keeps out overlong forms, surrogates and what lies above U+10FFFF.
  const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(text[1]) < low || byte(text[1]) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(text[i]) & 0xC0) != 0x80) return 0;
  return length;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    out += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0)
      out += replacement;
    else if (is_control(text.substr(0, length)))
      out += ' ';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string cut(std::string_view text, std::size_t most) {
  if (most == 0) return {};
  std::size_t before_last = 0;
  std::size_t at = 0;
  for (std::size_t characters = 0; at < text.size(); ++characters) {
    if (characters + 1 == most) before_last = at;
    if (characters == most) return std::string(text.substr(0, before_last)) + "\xE2\x80\xA6";
    at += std::max<std::size_t>(sequence_length(text.substr(at)), 1);
  }
  return std::string(text);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower(std::string_view ascii) {
  std::string out(ascii);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

}  // namespace nightjar::delivery
