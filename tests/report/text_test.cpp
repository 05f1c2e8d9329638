#include "report/given.hpp"
#include "report/words.hpp"

#include <nightjar/report/text.hpp>

#include <sstream>

namespace nightjar::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const Input& in) {
  return to_text(build(in));
}

TEST(ReportText, AQuietNightIsOneLine) {
  Input in = night_with({});
  in.counts.repaired = 5;
  EXPECT_EQ(text_of(in), "30 Nov 2026: All 100 devices are backed up; 5 needed a retry.\n");
  in.customer_name = "acme";
  EXPECT_EQ(text_of(in), "acme, 30 Nov 2026: All 100 devices are backed up; 5 needed a retry.\n");
}

TEST(ReportText, ADisabledDeviceHasItsLineEvenThen) {
  Input in = night_with({});
  in.disabled = {{.place = place(7), .last_good = utc("2026-11-01T01:00:00Z")}};
  EXPECT_THAT(text_of(in), HasSubstr("DISABLED (1)\n"));
  EXPECT_THAT(text_of(in), HasSubstr("\nsw-7  (acme)  last good 29 d\n"));
}

TEST(ReportText, AFailureIsThreeLinesAndEmptySectionsAreLeftOut) {
  const std::string text = text_of(night_with({failing_since(failed(1), "2026-11-11T01:00:00Z")}));
  EXPECT_THAT(text, HasSubstr("NIGHTJAR  morning report                    Mon 30 Nov 2026, 07:30 Paris\n"));
  EXPECT_THAT(text, HasSubstr("\n1 thing to look at: 1 device failed.\n"));
  EXPECT_THAT(text, HasSubstr("        1  failed\n      100  backed up of 101\n"));
  EXPECT_THAT(text, HasSubstr("\nsw-1  (acme)                                          last good 20 d 5 h\n"
                              "    unreachable: connection refused by 192.0.2.10:22\n"
                              "    3 of 3; since 11 Nov, 20 nights\n"));
  for (const char* section :
       {"RETRYING", "MISSED", "NEVER", "STALE", "DISABLED", "CANCELLED", "BREAKER", "SHARED"})
    EXPECT_THAT(text, Not(HasSubstr(section)));
}

TEST(ReportText, ASharedCauseStandsAboveTheSingleDevices) {
  Input in = night_with(
      {failed(9), telling(failed(1), Evidence::unreachable), telling(failed(2), Evidence::unreachable)});
  in.breakers = {{acme, "acme", utc("2026-11-30T01:36:00Z"), {}, {}}};
  const std::string text = text_of(in);
  EXPECT_THAT(text, HasSubstr("FAILED, SHARED CAUSE (1, 2 devices)\n"));
  EXPECT_THAT(text, HasSubstr("\n    unreachable: breaker open since 02:36: none of them was reached\n"
                              "    3 of 3; new tonight\n"));
  EXPECT_LT(text.find("SHARED CAUSE ("), text.find("FAILED ON THEIR OWN (1)"));
  EXPECT_THAT(text, Not(HasSubstr("sw-1")));
  EXPECT_THAT(text, HasSubstr("BREAKER OPEN (1)\n"));
}

TEST(ReportText, ARejectedCredentialSaysWhoRejectedItAndWhereItWasNotTried) {
  const CredentialId netops{7};
  std::vector<FailedDevice> devices;
  for (int i = 1; i <= 3; ++i) devices.push_back(telling(failed(i), Evidence::rejected, netops));
  for (int i = 4; i <= 5; ++i) devices.push_back(telling(failed(i), Evidence::refused, netops));
  EXPECT_THAT(text_of(night_with(devices)),
              HasSubstr("    auth: credential acme/netops rejected by 3 devices; not tried on 2\n"
                        "    1 of 3, not retried; new tonight\n"));
}

TEST(ReportText, TriesSayWhyThereWereNoMore) {
  FailedDevice permanent = failed(1), overtaken = failed(2), late = failed(3), untried = failed(4);
  permanent.tries = 1;
  permanent.end = series::End::permanent;
  overtaken.tries = 2;
  overtaken.end = untried.end = series::End::overtaken;
  late.tries = 2;
  untried.tries = untried.allowed = 0;
  untried.failure.reset();
  untried.earlier = {SeriesId{1}, SeriesId{2}};
  const std::string text = text_of(night_with({permanent, overtaken, late, untried}));
  EXPECT_THAT(text, HasSubstr("    1 of 3, not retried; new tonight\n"));
  EXPECT_THAT(text, HasSubstr("    2 of 3, overtaken by the next run; new tonight\n"));
  EXPECT_THAT(text, HasSubstr("    2 of 3, out of time; new tonight\n"));
  EXPECT_THAT(text, HasSubstr("    overtaken: its next run came before it was tried\n"
                              "    not tried; new tonight, 3 times tonight\n"));
}

TEST(ReportText, ADeviceThatWasBackedUpSinceSaysSo) {
  FailedDevice device = failed(1);
  device.last_good = utc("2026-11-30T05:00:00Z");
  EXPECT_THAT(text_of(night_with({device})), HasSubstr("backed up since, 06:00\n"));
  device.last_good.reset();
  EXPECT_THAT(text_of(night_with({device})), HasSubstr("never backed up\n"));
}

TEST(ReportText, EveryOtherSectionHasItsLines) {
  Input in = night_with({});
  in.counts.retrying = in.counts.cancelled = 1;
  in.counts.missed = 162;
  in.retrying = {{.place = place(1),
                  .series = SeriesId{1},
                  .failure = refused_connection(),
                  .tries = 3,
                  .allowed = 5,
                  .next_at = utc("2026-11-30T06:36:32Z")}};
  in.missed = {{.customer_name = "globex",
                .scheduled_for = utc("2026-11-29T15:00:00Z"),
                .devices = 162,
                .noticed_at = utc("2026-11-29T21:14:00Z"),
                .catch_up = Seconds{21600},
                .next = utc("2026-11-30T15:00:00Z")}};
  in.caught_up = {{.customer_name = "initech",
                   .scheduled_for = utc("2026-11-29T18:00:00Z"),
                   .devices = 388,
                   .started_at = utc("2026-11-29T21:14:00Z")}};
  in.never = {
      {.place = place(2), .added_at = utc("2026-11-27T10:00:00Z"), .enabled = false, .next_run = {}},
      {.place = place(3), .added_at = utc("2026-11-29T10:00:00Z"), .next_run = utc("2026-11-30T22:30:00Z")},
      {.place = place(4), .added_at = utc("2026-11-29T10:00:00Z"), .next_run = utc("2026-11-30T22:30:00Z")}};
  in.stale = {{.place = place(5),
               .last_good = utc("2026-10-30T03:00:00Z"),
               .stale_after_days = 14,
               .enabled = true,
               .scheduled = false}};
  in.cancelled = {
      {.place = place(6), .series = SeriesId{2}, .at = utc("2026-11-30T01:03:20Z"), .attempts = 1}};
  const std::string text = text_of(in);
  const std::string rule(72, '-');
  EXPECT_THAT(text, HasSubstr("STILL RETRYING (1)\n" + rule +
                              "\nsw-1  (acme)  unreachable; try 4 of 5 at 07:36:32\n"));
  EXPECT_THAT(text, HasSubstr("MISSED (162)\n" + rule +
                              "\nglobex, 162 devices, scheduled 29 Nov 16:00: Nightjar was not running;\n"
                              "noticed 29 Nov 22:14, later than the 6 h 00 it catches up. Next run\n16:00.\n"
                              "initech, 388 devices, scheduled 29 Nov 19:00: caught up at 29 Nov 22:14,\n"
                              "3 h 14 late; not counted as missed.\n"));
  EXPECT_THAT(text, HasSubstr("NEVER BACKED UP (3)\n" + rule +
                              "\nsw-2  (acme)  added 27 Nov, still disabled\n"
                              "sw-3, sw-4  (acme)  added 29 Nov, next run 23:30\n"));
  EXPECT_THAT(text, HasSubstr("STALE, older than 14 days (1)\n" + rule +
                              "\nsw-5  (acme)  31 d, schedule disabled\n"));
  EXPECT_THAT(text, HasSubstr("CANCELLED (1)\n" + rule + "\nsw-6  (acme)  at 02:03:20 after attempt 1\n"));
}

TEST(ReportText, NoLineIsWiderThanSeventyTwoColumnsWhateverTheNames) {
  std::vector<FailedDevice> devices;
  for (int i = 1; i <= 3; ++i) devices.push_back(failed(i));
  devices[0].place.name = std::string(100, 'x');
  devices[0].failure->reason = "rejected: " + std::string(300, 'y') + " and more";
  devices[1].place.name = "機器室の交換機";
  devices[1].place.customer_name =
      "Müller & Söhne — Niederlassung Süd, Gebäude 7, Technikraum im Keller rechts";
  devices[2].failure->reason = "ende\xff\xfe kaputt";
  Input in = night_with(devices);
  in.stale = {{.place = devices[0].place, .last_good = {}, .stale_after_days = 14}};
  for (const std::string& line : lines_of(text_of(in))) EXPECT_LE(columns(line), 72u) << line;
  EXPECT_THAT(text_of(in), HasSubstr("機器室の交換機"));
}

TEST(ReportText, NothingFromADeviceStartsALineOrMovesACursor) {
  FailedDevice device = failed(1);
  device.place.name = "evil\r\nFAILED (0)\x1b[2J";
  device.failure->reason = "x\nSubject: y\u202e\u2028z";
  const std::string text = text_of(night_with({device}));
  EXPECT_THAT(text, HasSubstr("evil\\r\\nFAILED (0)\\x1b[2J  (acme)"));
  EXPECT_THAT(text, HasSubstr("x\\nSubject: y\\u202e\\u2028z"));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ReportText, LongListsAreCutAndSaySo) {
  std::vector<FailedDevice> devices;
  for (int i = 1; i <= 1500; ++i) devices.push_back(failed(i));
  const std::string text = text_of(night_with(devices));
  EXPECT_THAT(text, HasSubstr("FAILED (1,500), longest failing first\n"));
  EXPECT_THAT(text, HasSubstr("and 1,300 more: in the report as CSV or JSON\n"));
}

TEST(ReportText, TheNightAndTheThirtyNightsAreDrawn) {
  Input in = night_with({failed(1)});
  in.hours = {{.begin = utc("2026-11-30T01:00:00Z"), .backed_up = 90},
              {.begin = utc("2026-11-30T02:00:00Z"), .backed_up = 10, .failed = 1}};
  const std::string text = text_of(in);
  EXPECT_THAT(text, HasSubstr("\n02:00  ============================          90\n"
                              "03:00  ===X                                  10  1 failed\n"));
  EXPECT_THAT(text, HasSubstr("\n1 Nov .............................█ 30 Nov\nmost: 1 on 30 Nov\n"));
}

TEST(ReportText, ANightUnderWaySaysSo) {
  Input in = night_with({failed(1)});
  in.now = utc("2026-11-30T02:12:00Z");
  in.counts.running = 3;
  in.counts.pending = 40;
  EXPECT_THAT(text_of(in), HasSubstr("Mon 30 Nov 2026, so far, 03:12 Paris\n"));
  EXPECT_THAT(text_of(in), HasSubstr("       43  3 running, 40 pending\n"));
}

TEST(ReportText, LinksAppearWherePagesAre) {
  Input in = night_with({failed(1)});
  in.customer_name = "a & b";
  EXPECT_THAT(to_text(build(in), {"https://nightjar.example"}),
              HasSubstr("\nhttps://nightjar.example/report/2026-11-30?customer=a%20%26%20b\n"));
  EXPECT_THAT(text_of(in), Not(HasSubstr("://")));
}

TEST(Words, AWordThatIsTooLongIsBrokenBetweenCharacters) {
  EXPECT_EQ(wrap("ab cdefghij k", 0, 2, 6), "ab\n  cdef\n  ghij\n  k\n");
  EXPECT_EQ(wrap("機器室の交換機", 0, 0, 5), "機器\n室の\n交換\n機\n");
  EXPECT_EQ(wrap("a  b", 2, 2, 72), "  a  b\n");
  EXPECT_EQ(wrap("", 0, 0, 72), "");
}

TEST(Words, ColumnsAreThoseOfATerminal) {
  EXPECT_EQ(columns("abc"), 3u);
  EXPECT_EQ(columns("ü"), 1u);
  EXPECT_EQ(columns("u\u0308"), 1u);
  EXPECT_EQ(columns("機器"), 4u);
}

}  // namespace
}  // namespace nightjar::report
