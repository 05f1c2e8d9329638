#include "report/given.hpp"

#include <nightjar/report/html.hpp>

#include <algorithm>

namespace nightjar::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Input busy_night() {
  Input in = night_with(
      {failing_since(failed(1), "2026-11-11T01:00:00Z"), telling(failed(2), Evidence::unreachable)});
  in.breakers = {{acme, "acme", utc("2026-11-30T01:36:00Z"), {}, {}}};
  in.hours = {{.begin = utc("2026-11-30T01:00:00Z"), .backed_up = 90, .failed = 2}};
  in.never = {{.place = place(3), .added_at = {}, .next_run = {}}};
  return in;
}

TEST(ReportHtml, ItIsAWholeDocumentWithoutScriptImagesOrAnythingFetched) {
  const std::string html = to_html(build(busy_night()), {"https://nightjar.example"});
  EXPECT_THAT(html, StartsWith("<!doctype html>"));
  EXPECT_THAT(html, EndsWith("</html>\n"));
  for (const char* none : {"<script", "<img", "<link", "<style", "url(", "@import", "{{", "<svg"})
    EXPECT_THAT(html, Not(HasSubstr(none)));
  EXPECT_THAT(html, HasSubstr("max-width:600px"));
}

TEST(ReportHtml, EveryTableAndCellIsClosed) {
  const std::string html = to_html(build(busy_night()), {"https://nightjar.example"}, "Because.");
  const auto count = [&](std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = html.find(part); at != std::string::npos; at = html.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<table"), count("</table>"));
  EXPECT_EQ(count("<tr>"), count("</tr>"));
  EXPECT_EQ(count("<td"), count("</td>"));
  EXPECT_EQ(count("<span"), count("</span>"));
  EXPECT_EQ(count("<a "), count("</a>"));
}

TEST(ReportHtml, ItSaysTheSameAsTheText) {
  const std::string html = to_html(build(busy_night()), {"https://nightjar.example"});
  EXPECT_THAT(html, HasSubstr("<title>Nightjar: 2 things to look at, 30 Nov 2026</title>"));
  EXPECT_THAT(html, HasSubstr("Nightjar, morning report, Monday 30 November 2026, all customers"));
  EXPECT_THAT(
      html, HasSubstr("1 device failed on their own, 1 shared cause took 1 more. 100 of 102 are backed up."));
  EXPECT_THAT(html, HasSubstr("3 of 3; since 11 Nov, 20 nights; last good 20 d 5 h"));
  EXPECT_THAT(html, HasSubstr("<a href=\"https://nightjar.example/series/10\""));
  EXPECT_THAT(html, HasSubstr("href=\"https://nightjar.example/report/2026-11-30\""));
  EXPECT_THAT(html, HasSubstr("Times in Europe/Paris."));
}

TEST(ReportHtml, WhatComesFromDevicesAndNamesIsEscaped) {
  FailedDevice device = failed(1);
  device.place.name = "<b onload='x'>&\"";
  device.place.customer_name = "{{headline}}</td>\n";
  device.failure->reason = "<script>alert(1)</script>";
  const std::string html = to_html(build(night_with({device})), {}, "<i>");
  EXPECT_THAT(html, HasSubstr("&lt;b onload=&apos;x&apos;&gt;&amp;&quot;"));
  EXPECT_THAT(html, HasSubstr("{{headline}}&lt;/td&gt;\\n"));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;i&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

TEST(ReportHtml, WithoutPagesNothingIsALink) {
  EXPECT_THAT(to_html(build(busy_night())), Not(HasSubstr("<a ")));
}

TEST(ReportHtml, AQuietNightIsOneSentence) {
  Input in = night_with({});
  in.counts.repaired = 5;
  in.hours = {{.begin = utc("2026-11-30T01:00:00Z"), .backed_up = 90}};
  const std::string html = to_html(build(in));
  EXPECT_THAT(html, HasSubstr("All 100 devices are backed up; 5 needed a retry."));
  for (const char* none : {"Failed", "The night by hour", "nights", "still retrying"})
    EXPECT_THAT(html, Not(HasSubstr(none)));
}

TEST(ReportHtml, NoLineIsTooLongForMail) {
  const std::string html = to_html(build(busy_night()), {"https://nightjar.example"});
  std::size_t longest = 0, at = 0;
  for (std::size_t end = html.find('\n'); end != std::string::npos; at = end + 1, end = html.find('\n', at))
    longest = std::max(longest, end - at);
  EXPECT_LE(longest, 990u);  // RFC 5322
}

}  // namespace
}  // namespace nightjar::report
