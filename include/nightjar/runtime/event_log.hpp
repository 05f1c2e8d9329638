// The daemon's log: one line an event, for people (text) or for programs (JSON Lines). Whatever a device or a
// peer put into a value, it can forge neither a line nor a field.
//
//   2026-11-30T02:00:31Z warning attempt.ended acme/core-01 series=12 attempt=2 reason="no prompt within 30
//   s"
//   {"at":"2026-11-30T02:00:31Z","severity":"warning","event":"attempt.ended","message":"acme/core-01","series":12,...}
//
// It masks nothing: secrets and configuration text are not handed to it.
#pragma once
#include <nightjar/base/time.hpp>
#include <nightjar/runtime/clock.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace nightjar::runtime {

enum class Severity : std::uint8_t { error = 3, warning = 4, notice = 5, info = 6, debug = 7 };  // syslog's
std::string_view to_text(Severity);

// A literal of a-z, 0-9 and _, and none of the names each line has of its own; anything else does not
// compile.
class FieldName {
 public:
  consteval FieldName(const char* literal) : text_(literal) {  // NOLINT(google-explicit-constructor)
    if (text_.empty() || text_ == "at" || text_ == "severity" || text_ == "event" || text_ == "message")
      throw "each line has its own";
    for (const char c : text_)
      if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_') throw "not a field's name";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// One value under its name. Texts are borrowed for the length of the call. Absent values are null in JSON and
// left out of text.
struct Field {
  using Value = std::variant<std::monostate, bool, std::int64_t, double, UtcTime, std::string_view>;

  Field(FieldName field, bool flag) : name(field), value(flag) {}
  Field(FieldName field, std::integral auto number) : name(field), value(static_cast<std::int64_t>(number)) {}
  Field(FieldName field, double number) : name(field), value(number) {}
  Field(FieldName field, UtcTime time) : name(field), value(time) {}
  Field(FieldName field, std::string_view text) : name(field), value(text) {}
  Field(FieldName field, const char* text) : name(field), value(std::string_view(text)) {}
  Field(FieldName field, const std::string& text) : name(field), value(std::string_view(text)) {}
  template <class T>
  Field(FieldName field, const std::optional<T>& some) : name(field) {
    if (some) value = Field(field, *some).value;
  }

  FieldName name;
  Value value;
};

class EventLog {
 public:
  enum class Format : std::uint8_t { text, json };

  // Values that are longer are cut there and end in "...".
  static constexpr std::size_t longest_value = 1024;  // bytes

  // Writes to `descriptor`, which stays the caller's, what is at least as severe as `least`. To the journal a
  // line of text begins with the priority that systemd reads, <3> to <7>; elsewhere with the time and the
  // severity.
  EventLog(const Clock& clock, Format format, int descriptor = 2, Severity least = Severity::info);

  // Whether `descriptor` is what JOURNAL_STREAM (device:inode, systemd.exec(5)) names.
  static bool is_journal(int descriptor, const char* journal_stream);

  // From any thread; each line is one write(2). A line that cannot be written (closed pipe, full disk) is
  // lost, and that is meant: backups go on without a log, and there is nobody to tell. The process ignores
  // SIGPIPE. Throws nothing.
  void write(Severity severity, std::string_view event, std::string_view message,
             std::span<const Field> fields) const noexcept;
  void write(Severity severity, std::string_view event, std::string_view message,
             std::initializer_list<Field> fields = {}) const noexcept {
    write(severity, event, message, std::span<const Field>(fields.begin(), fields.size()));
  }

 private:
  const Clock& clock_;
  Format format_;
  int descriptor_;
  Severity least_;
  bool journal_;
};

}  // namespace nightjar::runtime
