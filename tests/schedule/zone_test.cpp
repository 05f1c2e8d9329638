#include "schedule/given.hpp"

#include <gmock/gmock.h>

namespace nightjar::schedule {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view name) {
  const auto found = Zone::find(name);
  if (found) return "accepted";
  EXPECT_EQ(found.error().failure_class, FailureClass::setup);
  return found.error().reason;
}

TEST(Zone, IsFoundByItsIanaName) {
  EXPECT_EQ(zone("Europe/Paris").name(), "Europe/Paris");
  EXPECT_EQ(to_text(zone("America/Argentina/Buenos_Aires")), "America/Argentina/Buenos_Aires");
  EXPECT_EQ(zone("UTC").name(), "UTC");
  EXPECT_EQ(zone("UTC"), Zone{});
  EXPECT_EQ(zone("Europe/Paris"), zone("Europe/Paris"));
  EXPECT_NE(zone("Europe/Paris"), zone("Europe/Berlin"));
}

TEST(Zone, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_EQ(refusal("Europe/Pari"), "'Europe/Pari' is not a time zone; did you mean Europe/Paris?");
  EXPECT_EQ(refusal("europe/paris"), "'europe/paris' is not a time zone; did you mean Europe/Paris?");
  EXPECT_EQ(refusal("Chatham"), "'Chatham' is not a time zone; did you mean Pacific/Chatham?");
  EXPECT_EQ(refusal("utc"), "'utc' is not a time zone; did you mean UTC?");
  EXPECT_EQ(refusal("Nowhere/At_All"),
            "'Nowhere/At_All' is not a time zone: an IANA name such as Europe/Paris is wanted");
}

TEST(Zone, OnlyNamesOfTheDatabaseAreZones) {
  for (const char* name : {"", " ", "Europe", "Europe/", "/etc/passwd", "../../etc/passwd", "localtime",
                           "Europe/Paris ", "zone.tab", "CET-1CEST", "right/Europe/Paris"})
    EXPECT_THAT(refusal(name), HasSubstr("is not a time zone")) << name;
  EXPECT_THAT(refusal(std::string_view{"Europe/Paris\0x", 14}), HasSubstr("is not a time zone"));
}

TEST(Zone, AnOverlongNameIsRefusedWithoutQuotingIt) {
  EXPECT_EQ(refusal(std::string(5000, 'x')), "a name of 5000 characters is not a time zone");
}

TEST(Zone, LocalTextIsForPeople) {
  EXPECT_EQ(zone("Europe/Paris").local_text(utc("2026-12-01T01:00:00Z")), "2026-12-01 02:00 CET");
  EXPECT_EQ(zone("Europe/Paris").local_text(utc("2026-07-01T22:00:59Z")), "2026-07-02 00:00 CEST");
  EXPECT_EQ(zone("Asia/Kathmandu").local_text(utc("2026-07-01T20:15:00Z")), "2026-07-02 02:00 +0545");
  EXPECT_EQ(zone("America/St_Johns").local_text(utc("2026-01-01T00:00:00Z")), "2025-12-31 20:30 NST");
  EXPECT_EQ(Zone{}.local_text(utc("2026-12-01T01:00:00.999Z")), "2026-12-01 01:00 UTC");
  EXPECT_EQ(Zone{}.local_text(UtcTime::max()), "9999-12-31 23:59 UTC");
  EXPECT_EQ(Zone{}.local_text(UtcTime::min()), "0001-01-01 00:00 UTC");
}

TEST(Zone, ASkippedTimeIsFirstShownAtTheEndOfTheGap) {
  EXPECT_EQ(zone("Europe/Paris").first_shown(wall("2027-03-28T02:30")), utc("2027-03-28T01:00:00Z"));
  EXPECT_EQ(zone("Pacific/Apia").first_shown(wall("2011-12-30T12:00")), utc("2011-12-30T10:00:00Z"));
}

TEST(Zone, ATimeThatOccursTwiceIsFirstShownTheFirstTime) {
  EXPECT_EQ(zone("Europe/Paris").first_shown(wall("2027-10-31T02:30")), utc("2027-10-31T00:30:00Z"));
}

TEST(Zone, TheLatestShownTimeStandsStillInTheRepeatedHour) {
  const Zone paris = zone("Europe/Paris");
  const LocalTime end = LocalTime{wall("2027-10-31T03:00")} - Milliseconds{1};
  EXPECT_EQ(paris.latest_shown(utc("2027-10-31T00:59:59Z")), end - Milliseconds{999});
  EXPECT_EQ(paris.latest_shown(utc("2027-10-31T01:00:00Z")), end);
  EXPECT_EQ(paris.latest_shown(utc("2027-10-31T01:59:59Z")), end);
  EXPECT_EQ(paris.latest_shown(utc("2027-10-31T02:00:00Z")), LocalTime{wall("2027-10-31T03:00")});
}

TEST(Zone, KnowsWhenTheClocksChangeNext) {
  EXPECT_EQ(zone("Europe/Paris").next_change(utc("2027-01-01T00:00:00Z")), utc("2027-03-28T01:00:00Z"));
  EXPECT_EQ(zone("Europe/Paris").next_change(utc("2027-03-28T01:00:00Z")), utc("2027-10-31T01:00:00Z"));
  EXPECT_EQ(Zone{}.next_change(utc("2027-03-28T01:00:00Z")), std::nullopt);
  EXPECT_EQ(zone("Etc/UTC").next_change(utc("2027-03-28T01:00:00Z")), std::nullopt);
}

TEST(Zone, EveryNameOfTheDatabaseCanBeUsed) {
  for (const char* name :
       {"Africa/Casablanca", "America/Sao_Paulo", "Antarctica/Troll", "Asia/Tehran", "Australia/Lord_Howe",
        "EST5EDT", "Etc/GMT+12", "Europe/Dublin", "GMT", "Pacific/Kiritimati"})
    EXPECT_FALSE(zone(name).local_text(utc("2026-06-01T00:00:00Z")).empty()) << name;
}

}  // namespace
}  // namespace nightjar::schedule
