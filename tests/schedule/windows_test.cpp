#include <nightjar/schedule/windows.hpp>

#include <gmock/gmock.h>

namespace nightjar::schedule {
namespace {

using testing::HasSubstr;

UtcTime at(std::string_view text) {
  return parse_rfc3339(text).value();
}

TEST(Windows, ARecurringOneIsOpenFromItsMinuteForItsLength) {
  const auto saturday = Windows::parse("0 22 * * sat for 6h").value();
  EXPECT_FALSE(saturday.open_at(at("2026-11-28T21:59:59Z"), {}));
  EXPECT_TRUE(saturday.open_at(at("2026-11-28T22:00:00Z"), {}));
  EXPECT_TRUE(saturday.open_at(at("2026-11-29T03:59:59Z"), {}));
  EXPECT_FALSE(saturday.open_at(at("2026-11-29T04:00:00Z"), {}));
}

TEST(Windows, OneThatIsOpenOnceIsInTheZonesTime) {
  const auto paris = Zone::find("Europe/Paris").value();
  const auto once = Windows::parse("2026-12-24 18:00 to 2026-12-27T06:00").value();
  EXPECT_FALSE(once.open_at(at("2026-12-24T16:59:59Z"), paris));
  EXPECT_TRUE(once.open_at(at("2026-12-24T17:00:00Z"), paris));
  EXPECT_FALSE(once.open_at(at("2026-12-27T05:00:00Z"), paris));
}

TEST(Windows, SeveralAreSeparatedBySemicolonsAndComeBackAsTheyWere) {
  const auto text = "0 22 * * sat for 6h; 2026-12-24 18:00 to 2026-12-27 06:00";
  EXPECT_EQ(Windows::parse(text)->text(), text);
  EXPECT_EQ(Windows::parse("none")->text(), "none");
  EXPECT_TRUE(Windows::parse("none")->empty());
}

TEST(Windows, WhatIsNoneIsQuoted) {
  for (const auto* wrong :
       {"", "saturday", "0 22 * * sat for ever", "0 22 * * sat for 8d", "99 * * * * for 1h",
        "2026-12-27 06:00 to 2026-12-24 18:00", "2026-02-30 06:00 to 2026-12-24 18:00"}) {
    const auto parsed = Windows::parse(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_THAT(parsed.error().reason, HasSubstr(wrong));
  }
}

}  // namespace
}  // namespace nightjar::schedule
