#include "runtime/quoting.hpp"

#include <nightjar/runtime/event_log.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>

namespace nightjar::runtime {
namespace {

template <class T>
constexpr bool is_text = std::is_same_v<T, std::string_view>;

void append_text_field(std::string& line, const Field& field) {
  if (std::holds_alternative<std::monostate>(field.value)) return;
  line += ' ';
  line += field.name.text();
  line += '=';
  std::visit(
      [&line]<class T>(const T& value) {
        if constexpr (is_text<T>)
          append_text(line, value, EventLog::longest_value);
        else if constexpr (std::is_same_v<T, UtcTime>)
          line += to_rfc3339(value);
        else if constexpr (!std::is_same_v<T, std::monostate>)
          fmt::format_to(std::back_inserter(line), "{}", value);
      },
      field.value);
}

void append_json_field(std::string& line, const Field& field) {
  fmt::format_to(std::back_inserter(line), ",\"{}\":", field.name.text());
  std::visit(
      [&line]<class T>(const T& value) {
        if constexpr (is_text<T>)
          append_json(line, value, EventLog::longest_value);
        else if constexpr (std::is_same_v<T, UtcTime>)
          append_json(line, to_rfc3339(value), EventLog::longest_value);
        else if constexpr (std::is_same_v<T, std::monostate>)
          line += "null";
        else if constexpr (std::is_same_v<T, double>)
          line += std::isfinite(value) ? fmt::format("{}", value) : "null";  // JSON has no other numbers
        else
          fmt::format_to(std::back_inserter(line), "{}", value);
      },
      field.value);
}

std::string text_line(std::string_view lead, std::string_view event, std::string_view message,
                      std::span<const Field> fields) {
  std::string line(lead);
  append_text(line, event, EventLog::longest_value);
  if (!message.empty()) {
    line += ' ';
    append_text(line, message, EventLog::longest_value);
  }
  for (const Field& field : fields) append_text_field(line, field);
  line += '\n';
  return line;
}

std::string json_line(UtcTime now, Severity severity, std::string_view event, std::string_view message,
                      std::span<const Field> fields) {
  std::string line =
      fmt::format(R"({{"at":"{}","severity":"{}","event":)", to_rfc3339(now), to_text(severity));
  append_json(line, event, EventLog::longest_value);
  line += ",\"message\":";
  append_json(line, message, EventLog::longest_value);
  for (const Field& field : fields) append_json_field(line, field);
  line += "}\n";
  return line;
}

void write_once(int descriptor, std::string_view line) {
  ssize_t written = 0;
  do {
    written = ::write(descriptor, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
}

}  // namespace

std::string_view to_text(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::notice:
      return "notice";
    case Severity::info:
      return "info";
    case Severity::debug:
      return "debug";
  }
  return "error";
}

EventLog::EventLog(const Clock& clock, Format format, int descriptor, Severity least)
    : clock_(clock),
      format_(format),
      descriptor_(descriptor),
      least_(least),
      journal_(is_journal(descriptor, std::getenv("JOURNAL_STREAM"))) {}

bool EventLog::is_journal(int descriptor, const char* journal_stream) {
  struct stat file {};
  if (journal_stream == nullptr || ::fstat(descriptor, &file) != 0) return false;
  return journal_stream == fmt::format("{}:{}", file.st_dev, file.st_ino);
}

void EventLog::write(Severity severity, std::string_view event, std::string_view message,
                     std::span<const Field> fields) const noexcept {
  if (severity > least_) return;
  try {
    if (format_ == Format::json)
      write_once(descriptor_, json_line(clock_.now(), severity, event, message, fields));
    else if (journal_)
      write_once(descriptor_,
                 text_line(fmt::format("<{}>", static_cast<int>(severity)), event, message, fields));
    else
      write_once(descriptor_, text_line(fmt::format("{} {} ", to_rfc3339(clock_.now()), to_text(severity)),
                                        event, message, fields));
    // Out of memory: the line is lost like one that could not be written.
    // NOLINTNEXTLINE(bugprone-empty-catch)
  } catch (...) {
  }
}

}  // namespace nightjar::runtime
