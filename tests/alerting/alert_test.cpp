#include <nightjar/alerting/alert.hpp>

#include <gmock/gmock.h>

namespace nightjar::alerting {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const UtcTime two = parse_rfc3339("2026-11-30T02:00:00Z").value();

Item item(std::string device, std::string reason = "connection refused by 192.0.2.10:22",
          std::string cause = {}) {
  Item item;
  item.series = {7};
  item.device = std::move(device);
  item.address = "192.0.2.10:22";
  item.driver = "ios";
  item.scheduled_for = two;
  item.ended_at = two + 20min;
  item.end = series::End::exhausted;
  item.failure = failure(FailureClass::unreachable, Stage::connect, std::move(reason));
  item.transport = "ssh";
  item.counted = 3;
  item.attempts = {{.number = 1, .started_at = two, .duration = 30s, .failure = item.failure}};
  item.last_good = two - 24h;
  item.rule = {{"attempts", "3", "customer acme"}};
  item.cause = std::move(cause);
  return item;
}

Alert alert(std::vector<Item> items, Event event = Event::series_failed) {
  return {.event = event,
          .customer = "acme",
          .zone = {},
          .at = two + 22min,
          .items = std::move(items),
          .base_url = {}};
}

TEST(Subject, OfOneFailureSaysWhichDeviceAndWhy) {
  EXPECT_EQ(subject(alert({item("core-01")})),
            "acme/core-01 failed: unreachable: connection refused by 192.0.2.10:22");
}

TEST(Subject, StaysOneLineWhateverADeviceIsCalled) {
  EXPECT_THAT(subject(alert({item("core\r\nBcc: x@example.net")})), Not(testing::ContainsRegex("[\r\n]")));
}

TEST(Subject, OfOneSharedCauseNamesIt) {
  EXPECT_EQ(subject(alert(
                {item("a", "x", "breaker open since 04:36"), item("b", "x", "breaker open since 04:36")})),
            "2 devices of acme: breaker open since 04:36");
}

TEST(Headline, CountsDevices) {
  EXPECT_EQ(headline(alert({item("a"), item("b")})), "2 devices of acme were not backed up");
  EXPECT_EQ(headline(alert({item("a")}, Event::series_recovered)), "a of acme is backed up again");
}

TEST(Grouped, SharedCausesComeFirstTheLargestBefore) {
  const Alert several =
      alert({item("z"), item("b", "x", "one"), item("c", "x", "two"), item("a", "x", "two")});
  const auto groups = grouped(several);
  ASSERT_THAT(groups, SizeIs(3));
  EXPECT_EQ(groups[0].cause, "two");
  EXPECT_EQ(groups[0].items.front()->device, "a");
  EXPECT_EQ(groups[1].cause, "one");
  EXPECT_EQ(groups[2].items.front()->device, "z");
}

TEST(Lines, TheLastOneCountsWhatIsLeftOut) {
  EXPECT_THAT(lines(alert({item("a"), item("b"), item("c")}), 2), ElementsAre(testing::_, "and 2 more"));
  EXPECT_THAT(lines(alert({item("a"), item("b")}), 2), SizeIs(2));
}

TEST(Text, SaysReasonTransportAttemptsRuleAndAgeOfTheLastGoodCopy) {
  const auto said = text(alert({item("core-01")}));
  for (const auto* part :
       {"core-01 of acme was not backed up: 3 attempts failed.", "192.0.2.10:22, driver ios",
        "3 attempts, exhausted, over ssh", "1  02:00:00  after 30 s  unreachable at connect",
        "last good copy 1 d", "attempts 3 (customer acme)"})
    EXPECT_THAT(said, HasSubstr(part));
}

TEST(Text, TenThousandDevicesAreCountedAfterTheFirstFiveHundred) {
  std::vector<Item> many;
  for (int i = 0; i < 10000; ++i) many.push_back(item(std::to_string(i)));
  EXPECT_THAT(text(alert(std::move(many))), EndsWith("and 9500 more\n"));
}

TEST(Html, NothingOfADeviceBecomesMarkup) {
  const auto page = html(alert({item("<script>x</script>", "\"><img src=x>")}));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
}

TEST(Events, AreWrittenAndReadAsAList) {
  EXPECT_EQ(Events::parse("series.recovered,series.failed")->text(), "series.failed,series.recovered");
  EXPECT_FALSE(Events::parse("series.faild"));
  EXPECT_FALSE(Events::parse("test"));
  EXPECT_FALSE(Events::parse(""));
}

}  // namespace
}  // namespace nightjar::alerting
