#include "delivery/text.hpp"

#include <nightjar/delivery/mail.hpp>

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <vector>

namespace nightjar::delivery {
namespace {

constexpr std::string_view crlf = "\r\n";
constexpr std::string_view hex_digits = "0123456789ABCDEF";
// RFC 5322 asks for lines of at most 78 characters, RFC 2047 for 76 where there are encoded words.
constexpr std::size_t longest_line = 76;
// 39 bytes make 52 of base64: with =?UTF-8?B? and ?= they fit beside "Subject: ".
constexpr std::size_t bytes_in_word = 39;

std::string base64(std::string_view bytes) {
  std::string out(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();  // the NUL
  return out;
}

bool is_ascii(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

// ASCII words of which each fits on a line, one blank between them: such a value needs no encoding.
bool folds_as_it_is(std::string_view value) {
  if (!is_ascii(value) || value.find("=?") != std::string_view::npos) return false;
  std::size_t word = 0;
  for (const char c : value) {
    if (c == ' ' && word == 0) return false;
    word = c == ' ' ? 0 : word + 1;
    if (word > longest_line - 10) return false;
  }
  return word > 0 || value.empty();
}

std::string folded(std::string_view name, std::string_view value) {
  std::string out = fmt::format("{}:", name);
  std::size_t column = out.size();
  while (!value.empty()) {
    const std::string_view word = value.substr(0, value.find(' '));
    value.remove_prefix(std::min(word.size() + 1, value.size()));
    if (column + 1 + word.size() > longest_line && column > name.size() + 1) {
      out += crlf;
      column = 0;
    }
    out += ' ';
    out += word;
    column += 1 + word.size();
  }
  out += crlf;
  return out;
}

std::string in_encoded_words(std::string_view name, std::string_view value) {
  std::string out = fmt::format("{}:", name);
  while (!value.empty()) {
    std::size_t taken = 0;
    for (;;) {
      const std::size_t next = sequence_length(value.substr(taken));
      if (next == 0 || taken + next > bytes_in_word) break;
      taken += next;
    }
    if (out.size() > name.size() + 1) out += crlf;
    out += fmt::format(" =?UTF-8?B?{}?=", base64(value.substr(0, taken)));
    value.remove_prefix(taken);
  }
  out += crlf;
  return out;
}

std::string unstructured(std::string_view name, std::string_view raw) {
  const std::string value = one_line(raw);
  return folds_as_it_is(value) ? folded(name, value) : in_encoded_words(name, value);
}

// Addresses and ids are ASCII without blanks; what is none of it must not reach the wire as if it were.
std::string token(std::string_view raw) {
  std::string out(raw);
  for (char& c : out)
    if (c <= 0x20 || c >= 0x7F || std::string_view("<>,;:\"()[]\\").find(c) != std::string_view::npos)
      c = '_';
  return out;
}

std::string address_list(std::string_view name, const std::vector<std::string>& addresses) {
  std::string out = fmt::format("{}:", name);
  for (std::size_t i = 0; i < addresses.size(); ++i)
    out += fmt::format("{} {}", i == 0 ? "" : ",\r\n", token(addresses[i]));
  out += crlf;
  return out;
}

std::string date_text(UtcTime time) {
  constexpr std::array<std::string_view, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{std::chrono::floor<Seconds>(time - day)};
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} +0000",
                     weekdays[std::chrono::weekday{day}.c_encoding()], static_cast<unsigned>(date.day()),
                     months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

// Lines as they are to be encoded, without their ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(crlf);
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + (text.substr(end).starts_with(crlf) ? 2 : 1));
  }
  return lines;
}

// RFC 2045, 6.7. An equals sign is always followed by two hexadecimal digits or the line's end.
std::string quoted_printable(std::string_view line) {
  std::string out;
  std::size_t column = 0;
  const auto put = [&](std::string_view piece) {
    if (column + piece.size() > longest_line - 1) {
      out += "=\r\n";
      column = 0;
    }
    out += piece;
    column += piece.size();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    const bool blank = c == ' ' || c == '\t';
    if ((c > 0x20 && c < 0x7F && c != '=') || (blank && i + 1 < line.size())) {
      put(line.substr(i, 1));
    } else {
      const std::array<char, 3> code{'=', hex_digits[c >> 4], hex_digits[c & 0xF]};
      put({code.data(), code.size()});
    }
  }
  out += crlf;
  return out;
}

// A line without control characters other than tab.
std::string printable(std::string_view line) {
  std::string out;
  for (const char c : valid_utf8(line)) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F)
      out += replacement;
    else
      out += c;
  }
  return out;
}

std::string part(std::string_view type, std::string_view body) {
  std::string out = fmt::format(
      "Content-Type: {}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n", type);
  for (const std::string_view line : lines_of(body)) out += quoted_printable(printable(line));
  return out;
}

// The id makes it the same each time. "=_" stands in no quoted-printable line, so no body holds it.
std::string boundary_for(std::string_view message_id) {
  std::array<unsigned char, crypto_generichash_BYTES_MIN> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(message_id.data()),
                     message_id.size(), nullptr, 0);
  std::string out = "=_";
  for (const unsigned char byte : hash) {
    out += hex_digits[byte >> 4];
    out += hex_digits[byte & 0xF];
  }
  return out;
}

}  // namespace

std::string mime(const Mail& mail) {
  std::string out = fmt::format("Date: {}\r\n", date_text(mail.date));
  out += fmt::format("From: {}\r\n", token(mail.from));
  out += address_list("To", mail.to);
  out += unstructured("Subject", mail.subject);
  out += fmt::format("Message-ID: <{}>\r\n", token(mail.message_id));
  if (!mail.in_reply_to.empty())
    out += fmt::format("In-Reply-To: <{0}>\r\nReferences: <{0}>\r\n", token(mail.in_reply_to));
  out += "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n";
  if (mail.html.empty()) return out + part("text/plain", mail.text);
  const std::string boundary = boundary_for(mail.message_id);
  out += fmt::format("Content-Type: multipart/alternative;\r\n boundary=\"{}\"\r\n\r\n", boundary);
  out += fmt::format("--{}\r\n{}\r\n", boundary, part("text/plain", mail.text));
  out += fmt::format("--{}\r\n{}\r\n--{}--\r\n", boundary, part("text/html", mail.html), boundary);
  return out;
}

}  // namespace nightjar::delivery
