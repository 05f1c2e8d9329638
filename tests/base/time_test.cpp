#include <nightjar/base/time.hpp>

#include <gtest/gtest.h>

namespace nightjar {
namespace {

TEST(Rfc3339, WritesUtcWithoutFractions) {
  const auto time = parse_rfc3339("2026-11-30T02:00:00.987Z");
  ASSERT_TRUE(time);
  EXPECT_EQ(to_rfc3339(*time), "2026-11-30T02:00:00Z");
  EXPECT_EQ(time->time_since_epoch() % Seconds{1}, Milliseconds{987});
}

TEST(Rfc3339, ReadsOffsets) {
  EXPECT_EQ(parse_rfc3339("2026-11-30T03:00:00+01:00"), parse_rfc3339("2026-11-30T02:00:00Z"));
  EXPECT_EQ(parse_rfc3339("2026-11-29T20:30:00-05:30"), parse_rfc3339("2026-11-30T02:00:00Z"));
}

TEST(Rfc3339, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2026-11-30", "2026-02-30T00:00:00Z", "2026-11-30T24:00:00Z",
                           "2026-11-30T02:00:00", "2026-11-30T02:00:00Zx", "2026-11-3OT02:00:00Z"})
    EXPECT_FALSE(parse_rfc3339(text)) << text;
}

TEST(Span, ReadsAsPeopleSayIt) {
  EXPECT_EQ(to_span(Milliseconds{250}), "250 ms");
  EXPECT_EQ(to_span(Seconds{40}), "40 s");
  EXPECT_EQ(to_span(Seconds{96}), "1 min 36 s");
  EXPECT_EQ(to_span(Seconds{3600}), "60 min");
  EXPECT_EQ(to_span(Seconds{7500}), "2 h 05");
  EXPECT_EQ(to_span(std::chrono::hours{78}), "3 d 6 h");
  EXPECT_EQ(to_span(Seconds{-3}), "0 s");
}

TEST(Span, ParsesOneUnit) {
  EXPECT_EQ(parse_span("24h"), Seconds{86400});
  EXPECT_EQ(parse_span("90s"), Seconds{90});
  for (const char* text : {"", "h", "24", "-1h", "24hh", "1.5h"}) EXPECT_FALSE(parse_span(text)) << text;
}

}  // namespace
}  // namespace nightjar
