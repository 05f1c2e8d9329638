#include "cli/listing.hpp"

#include <gtest/gtest.h>

namespace nightjar::cli {
namespace {

Listing devices() {
  Listing listing({{"id", ""}, {"name", "DEVICE"}, {"port", "PORT", Align::right}, {"tags", "TAGS"}});
  listing.add({1, "core-01", 22, Json::array({"core", "site-a"})});
  listing.add({2,
               "P\xC3\xA9"
               "cs",
               8022, Json::array()});
  return listing;
}

TEST(Listing, ATableIsAlignedByColumnsNotByBytes) {
  EXPECT_EQ(devices().as_table(false),
            "DEVICE   PORT  TAGS\n"
            "core-01    22  core, site-a\n"
            "P\xC3\xA9"
            "cs     8022  -\n");
}

TEST(Listing, JsonHasEveryKeyInOrder) {
  EXPECT_EQ(
      to_text(devices().as_json()),
      R"([{"id":1,"name":"core-01","port":22,"tags":["core","site-a"]},{"id":2,"name":"Pécs","port":8022,"tags":[]}])");
}

TEST(Listing, CsvHasAHeaderRowAndCrlf) {
  EXPECT_EQ(devices().as_csv(),
            "id,name,port,tags\r\n1,core-01,22,core;site-a\r\n2,P\xC3\xA9"
            "cs,8022,\r\n");
}

TEST(Listing, JsonStaysValidWhateverBytesADeviceSent) {
  Listing listing({Column{"reason", "REASON", Align::left}});
  listing.add(
      {"P\xE9"
       "cs \xFF"});
  const std::string text = to_text(listing.as_json());
  EXPECT_TRUE(Json::accept(text));
  EXPECT_EQ(text,
            "[{\"reason\":\"P\xEF\xBF\xBD"
            "cs \xEF\xBF\xBD\"}]");
}

TEST(Listing, NothingIsADashForPeopleAndNullForScripts) {
  Listing listing({Column{"at", "AT", Align::left}});
  listing.add({std::optional<UtcTime>{}});
  EXPECT_EQ(listing.as_table(false), "AT\n-\n");
  EXPECT_EQ(to_text(listing.as_json()), "[{\"at\":null}]");
  EXPECT_EQ(listing.as_csv(), "at\r\n\r\n");
}

TEST(Listing, ColourMarksACellAndLeavesTheAlignment) {
  Listing listing({{"state", "STATE"}, {"n", "N"}});
  listing.add({Cell("failed").toned(Tone::bad), 1});
  EXPECT_EQ(listing.as_table(true), "STATE   N\n\x1b[31mfailed\x1b[0m  1\n");
}

TEST(Listing, WholeSecondsAreIntegersAndOthersDecimals) {
  EXPECT_EQ(to_text(json_seconds(Milliseconds{90000})), "90");
  EXPECT_EQ(to_text(json_seconds(Milliseconds{1500})), "1.5");
}

}  // namespace
}  // namespace nightjar::cli
