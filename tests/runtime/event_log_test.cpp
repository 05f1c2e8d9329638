#include <nightjar/runtime/event_log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace nightjar::runtime {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StoppedClock final : public Clock {
 public:
  UtcTime now() const override { return *parse_rfc3339("2026-11-30T02:00:31Z"); }
};
const StoppedClock stopped;

// A pipe to write a log into, and what came out of it.
class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
    read_ = ends[0];
    write_ = ends[1];
  }
  ~Pipe() {
    close_reader();
    ::close(write_);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writer() const { return write_; }
  void close_reader() {
    if (read_ >= 0) ::close(read_);
    read_ = -1;
  }
  std::string text() const {
    std::string all;
    std::array<char, 4096> buffer{};
    for (ssize_t bytes = 0; (bytes = ::read(read_, buffer.data(), buffer.size())) > 0;)
      all.append(buffer.data(), static_cast<std::size_t>(bytes));
    return all;
  }

 private:
  int read_ = -1, write_ = -1;
};

using Format = EventLog::Format;

std::string line(Format format, Severity severity, std::string_view event, std::string_view message,
                 std::initializer_list<Field> fields = {}) {
  const Pipe pipe;
  EventLog(stopped, format, pipe.writer(), Severity::debug).write(severity, event, message, fields);
  return pipe.text();
}

std::string text_of(std::initializer_list<Field> fields) {
  return line(Format::text, Severity::info, "tested", "", fields)
      .substr(sizeof "2026-11-30T02:00:31Z info tested" - 1);
}

std::string json_of(std::string_view value) {
  const std::string whole = line(Format::json, Severity::info, "tested", "", {{"value", value}});
  const auto begin = whole.find("\"value\":") + sizeof "\"value\":" - 1;
  return whole.substr(begin, whole.size() - begin - sizeof "}\n" + 1);
}

TEST(EventLog, ALineOfTextSaysWhenWhatAndToWhom) {
  const std::optional<UtcTime> next = parse_rfc3339("2026-11-30T02:15:31Z");
  EXPECT_EQ(line(Format::text, Severity::warning, "attempt.ended", "acme/core-01",
                 {{"series", 12},
                  {"attempt", 2u},
                  {"class", "timeout"},
                  {"reason", std::string("no prompt within 30 s")},
                  {"next_attempt_at", next}}),
            "2026-11-30T02:00:31Z warning attempt.ended acme/core-01 series=12 attempt=2 class=timeout "
            "reason=\"no prompt within 30 s\" next_attempt_at=2026-11-30T02:15:31Z\n");
}

TEST(EventLog, ALineOfJsonIsOneObjectWithTypedValues) {
  const std::optional<UtcTime> next = parse_rfc3339("2026-11-30T02:15:31Z");
  EXPECT_EQ(
      line(Format::json, Severity::error, "attempt.ended", "acme/core-01",
           {{"series", std::int64_t{12}},
            {"reason", "no prompt within 30 s"},
            {"changed", false},
            {"waited_seconds", 0.25},
            {"next_attempt_at", next}}),
      R"({"at":"2026-11-30T02:00:31Z","severity":"error","event":"attempt.ended","message":"acme/core-01",)"
      R"("series":12,"reason":"no prompt within 30 s","changed":false,"waited_seconds":0.25,)"
      R"("next_attempt_at":"2026-11-30T02:15:31Z"})"
      "\n");
}

TEST(EventLog, AnAbsentValueIsNullInJsonAndLeftOutOfText) {
  const std::optional<std::string> none;
  EXPECT_EQ(text_of({{"class", none}, {"series", 1}}), " series=1\n");
  EXPECT_THAT(line(Format::json, Severity::info, "tested", "", {{"class", none}}),
              HasSubstr(R"("class":null)"));
}

TEST(EventLog, AnEmptyValueIsNotAnAbsentOne) {
  EXPECT_EQ(text_of({{"reason", ""}}), " reason=\"\"\n");
  EXPECT_EQ(json_of(""), R"("")");
}

TEST(EventLog, AValueCannotForgeALine) {
  EXPECT_EQ(text_of({{"reason", "x\n<3>attempt.ended acme/core-02\r\n"}}),
            " reason=\"x\\n<3>attempt.ended acme/core-02\\r\\n\"\n");
  EXPECT_EQ(json_of("x\n{\"event\":\"y\"}"), R"("x\n{\"event\":\"y\"}")");
}

TEST(EventLog, AValueCannotForgeAField) {
  EXPECT_EQ(text_of({{"reason", "x series=99"}}), " reason=\"x series=99\"\n");
  EXPECT_EQ(text_of({{"reason", "x\" series=99 y=\""}}), " reason=\"x\\\" series=99 y=\\\"\"\n");
  EXPECT_EQ(text_of({{"reason", "x\\"}}), " reason=\"x\\\\\"\n");
  EXPECT_EQ(text_of({{"reason", "series=99"}}), " reason=\"series=99\"\n");
  EXPECT_EQ(json_of(R"(x","series":99,"y":")"), R"("x\",\"series\":99,\"y\":\"")");
}

TEST(EventLog, NeitherEventNorMessageCanForgeAField) {
  EXPECT_EQ(line(Format::text, Severity::info, "odd event", "acme/core-01 series=99"),
            "2026-11-30T02:00:31Z info \"odd event\" \"acme/core-01 series=99\"\n");
}

TEST(EventLog, WhatATerminalWouldObeyIsWrittenOut) {
  EXPECT_EQ(text_of({{"reason", std::string_view("\x1b[2J\x7f\0", 6)}}), " reason=\"\\x1b[2J\\x7f\\x00\"\n");
  EXPECT_EQ(text_of({{"reason", "\u009b2J"}}), " reason=\"\\u{009b}2J\"\n");
  EXPECT_EQ(text_of({{"reason", "a\u202eb\u2028"}}), " reason=\"a\\u{202e}b\\u{2028}\"\n");
  EXPECT_EQ(json_of("\x1b[2J\u202e"), R"("\u001b[2J\u202e")");
}

TEST(EventLog, TextOfOtherScriptsStaysReadable) {
  EXPECT_EQ(text_of({{"customer", "Zürich 東京"}}), " customer=\"Zürich 東京\"\n");
  EXPECT_EQ(json_of("Zürich 😀"), "\"Zürich 😀\"");
}

TEST(EventLog, WhatIsNotUtf8IsReplacedInJsonAndWrittenOutInText) {
  EXPECT_EQ(json_of("a\xff\xc3"), "\"a\uFFFD\uFFFD\"");
  EXPECT_EQ(json_of("\xed\xa0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");  // a surrogate
  EXPECT_EQ(json_of("\xc0\xaf"), "\"\uFFFD\uFFFD\"");            // overlong
  EXPECT_EQ(json_of("\xf4\x90\x80\x80"), "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");
  EXPECT_EQ(text_of({{"reason", "a\xff"}}), " reason=\"a\\xff\"\n");
}

TEST(EventLog, NumbersThatJsonDoesNotKnowAreNull) {
  const std::string whole =
      line(Format::json, Severity::info, "tested", "", {{"ratio", std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_THAT(whole, EndsWith(",\"ratio\":null}\n"));
}

TEST(EventLog, ALongValueIsCutBetweenCharactersAndSaysSo) {
  const std::string whole = text_of({{"reason", std::string(1023, 'x') + "éé"}});
  EXPECT_EQ(whole, " reason=\"" + std::string(1023, 'x') + "...\"\n");
}

TEST(EventLog, LessSevereEventsAreLeftOutWhenAskedTo) {
  const Pipe pipe;
  const EventLog log(stopped, Format::text, pipe.writer(), Severity::warning);
  log.write(Severity::notice, "left.out", "");
  log.write(Severity::warning, "kept", "");
  EXPECT_EQ(pipe.text(), "2026-11-30T02:00:31Z warning kept\n");
}

// JOURNAL_STREAM as systemd would set it for this descriptor.
class JournalAt {
 public:
  explicit JournalAt(int descriptor) {
    struct stat file {};
    ::fstat(descriptor, &file);
    ::setenv("JOURNAL_STREAM", (std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino)).c_str(), 1);
  }
  ~JournalAt() { ::unsetenv("JOURNAL_STREAM"); }
  JournalAt(const JournalAt&) = delete;
  JournalAt& operator=(const JournalAt&) = delete;
};

TEST(EventLog, ALineForTheJournalBeginsWithItsPriorityInsteadOfATime) {
  const Pipe pipe;
  const JournalAt journal(pipe.writer());
  const EventLog log(stopped, Format::text, pipe.writer());
  log.write(Severity::error, "store.failed", "disk full");
  log.write(Severity::info, "run.started", "acme", {{"series", 500}});
  EXPECT_EQ(pipe.text(), "<3>store.failed \"disk full\"\n<6>run.started acme series=500\n");
}

TEST(EventLog, AVariableThatNamesAnotherStreamMeansNoJournal) {
  const Pipe pipe;
  const Pipe other;
  const JournalAt journal(other.writer());
  EventLog(stopped, Format::text, pipe.writer()).write(Severity::info, "run.started", "");
  EXPECT_THAT(pipe.text(), StartsWith("2026-11-30T02:00:31Z "));
  EXPECT_FALSE(EventLog::is_journal(pipe.writer(), nullptr));
  EXPECT_FALSE(EventLog::is_journal(pipe.writer(), ""));
  EXPECT_FALSE(EventLog::is_journal(-1, "8:1"));
}

TEST(EventLog, JsonForTheJournalStaysBareJson) {
  const Pipe pipe;
  const JournalAt journal(pipe.writer());
  EventLog(stopped, Format::json, pipe.writer()).write(Severity::error, "store.failed", "");
  EXPECT_THAT(pipe.text(), StartsWith("{"));
}

TEST(EventLog, AClosedPipeAFullDiskAndNoDescriptorAreSwallowed) {
  struct sigaction before {};
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;  // as the program does
  ::sigaction(SIGPIPE, &ignore, &before);
  Pipe pipe;
  pipe.close_reader();
  EventLog(stopped, Format::text, pipe.writer()).write(Severity::error, "lost", "");
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  EventLog(stopped, Format::json, full).write(Severity::error, "lost", "");
  ::close(full);
  EventLog(stopped, Format::json, -1).write(Severity::error, "lost", "");
  ::sigaction(SIGPIPE, &before, nullptr);
}

TEST(EventLog, OneEventIsOneWrite) {
  // A pipe in packet mode keeps what each write held apart.
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_DIRECT | O_CLOEXEC), 0);
  const EventLog log(stopped, Format::json, ends[1]);
  const std::string long_reason(1000, 'x');
  log.write(Severity::info, "first", "", {{"reason", long_reason}});
  log.write(Severity::info, "second", "");
  std::array<char, 4096> buffer{};
  const auto first = ::read(ends[0], buffer.data(), buffer.size());
  ASSERT_GT(first, 1000);
  EXPECT_THAT(std::string(buffer.data(), static_cast<std::size_t>(first)), Not(HasSubstr("second")));
  EXPECT_EQ(buffer.at(static_cast<std::size_t>(first - 1)), '\n');
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace nightjar::runtime
