#include "report/phrases.hpp"
#include "report/template.hpp"
#include "report/words.hpp"

#include <nightjar/report/html.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <kainjow/mustache.hpp>
#include <span>
#include <utility>

namespace nightjar::report {
namespace {

using kainjow::mustache::data;

constexpr const char* font = "font-family:-apple-system,Segoe UI,Roboto,Liberation Sans,Arial,sans-serif;";
constexpr const char* section =
    "font-size:15px;line-height:22px;font-weight:600;color:#1b1c1e;padding:24px 0 6px";
constexpr const char* breaking = "overflow-wrap:anywhere;word-break:break-word";

constexpr const char* text_colour = "#1b1c1e";
constexpr const char* bad = "#ad1f1a";
constexpr const char* bad_shared = "#e0a5a2";
constexpr const char* warn = "#7c5000";
constexpr const char* lost = "#653a99";
constexpr const char* backed_up = "#90918d";

constexpr std::size_t figures_a_row = 5;
constexpr std::size_t tall = 48;  // pixels of the tallest bar

data list() {
  return data{data::type::list};
}

std::string tidied(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string lead(const Report& report) {
  const Counts& counts = report.counts;
  std::string text = sentence(report);
  text += fmt::format(" {} of {} are backed up", grouped(counts.backed_up), grouped(due(counts)));
  if (counts.repaired > 0) text += fmt::format(", {} of them repaired by retry", grouped(counts.repaired));
  if (counts.changed > 0) text += fmt::format("; {} changed", grouped(counts.changed));
  return text + ".";
}

void put_figures(data& page, const Report& report) {
  const Counts& counts = report.counts;
  data figures = list();
  std::size_t shown = 0;
  const auto figure = [&](std::size_t count, const char* label, const char* colour, bool always = false) {
    if ((count == 0 && !always) || shown == figures_a_row) return;
    ++shown;
    data one;
    one.set("value", grouped(count));
    one.set("label", label);
    one.set("colour", colour);
    figures.push_back(one);
  };
  figure(counts.failed, "failed", bad);
  figure(counts.retrying, "still retrying", warn);
  figure(counts.missed, "missed", lost);
  if (shown < 3) figure(report.never.size(), "never backed up", text_colour);
  if (shown < 4) figure(report.stale.size(), "stale", warn);
  figure(counts.backed_up, "backed up", text_colour, true);
  page.set("figures", figures);
  page.set("has_figures", true);
  if (shown < figures_a_row) page.set("filler", fmt::format("{}%", 20 * (figures_a_row - shown)));
}

void put_failures(data& page, const Report& report, const Links& links) {
  data sections = list();
  const auto row_of = [](std::string name, std::string who, std::string failure_class, std::string reason,
                         std::string details, std::string link) {
    data row;
    row.set("name", std::move(name));
    row.set("who", std::move(who));
    row.set("class", std::move(failure_class));
    row.set("reason", std::move(reason));
    row.set("details", std::move(details));
    row.set("link", link.empty() ? data{false} : data{std::move(link)});
    return row;
  };
  if (!report.shared.empty()) {
    data rows = list();
    for (const SharedCause& cause : report.shared)
      rows.push_back(row_of(counted(cause.devices.size(), "device"), who(cause), class_of(cause),
                            reason_of(report, cause),
                            fmt::format("{}; {}", details(report, cause), last_good(report, cause)), ""));
    data shared;
    shared.set("title", "Shared causes");
    shared.set("note", fmt::format("{}, {}", grouped(report.shared.size()),
                                   counted(devices_by_shared_causes(report), "device")));
    shared.set("rows", rows);
    shared.set("more", false);
    sections.push_back(shared);
  }
  if (!report.own.empty()) {
    data rows = list();
    const std::size_t shown = std::min(report.own.size(), most_rows);
    for (const FailedDevice& device : std::span{report.own}.first(shown))
      rows.push_back(
          row_of(printable(device.place.name), printable(device.place.customer_name),
                 class_of(device.failure), reason_of(device),
                 fmt::format("{}; {}; {}", tries(device), since(report, device), last_good(report, device)),
                 links.series(device.series)));
    data own;
    own.set("title", report.shared.empty() ? "Failed" : "Failed on their own");
    own.set("note", grouped(report.own.size()) + (report.own.size() > 1 ? ", longest failing first" : ""));
    own.set("rows", rows);
    own.set("more", shown < report.own.size() ? data{more_text(report.own.size() - shown)} : data{false});
    sections.push_back(own);
  }
  page.set("failures", sections);
}

class Paragraph {
 public:
  Paragraph(const char* title, const std::string& note) {
    data_.set("title", title);
    data_.set("note", note);
  }
  void line(const std::string& term, const std::string& text) {
    data one;
    one.set("term", term.empty() ? data{false} : data{term});
    one.set("text", text);
    lines_.push_back(one);
    empty_ = false;
  }
  void put_into(data& paragraphs) {
    if (empty_) return;
    data_.set("lines", lines_);
    paragraphs.push_back(data_);
  }

 private:
  data data_, lines_ = list();
  bool empty_ = true;
};

std::string place_text(const Place& place) {
  return fmt::format("{} ({})", printable(place.name), printable(place.customer_name));
}

std::string group_text(const Group& group) {
  return fmt::format("{} ({}), {}", joined(group.names), group.customer_name, group.what);
}

// One line of all rows, as far as they are shown.
template <class Row, class Words>
void put_term(Paragraph& into, const std::string& term, const std::vector<Row>& rows, Words words,
              std::string_view between = "; ") {
  if (rows.empty()) return;
  std::vector<std::string> all;
  const std::size_t shown = std::min(rows.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) all.push_back(words(rows[i]));
  if (shown < rows.size()) all.push_back(more_text(rows.size() - shown));
  into.line(term, joined(all, between) + ".");
}

void put_paragraphs(data& page, const Report& report) {
  data paragraphs = list();
  const Clock clock{report};
  Paragraph retrying{"Still retrying", grouped(report.counts.retrying)};
  for (std::size_t i = 0; i < std::min(report.retrying.size(), most_rows); ++i) {
    const Retrying& series = report.retrying[i];
    retrying.line("", fmt::format("{}: {}; {}", place_text(series.place), class_of(series.failure),
                                  next_try(report, series)));
  }
  if (report.retrying.size() > most_rows) retrying.line("", more_text(report.retrying.size() - most_rows));
  retrying.put_into(paragraphs);

  Paragraph missed{report.missed.empty() ? "Caught up" : "Missed",
                   report.counts.missed > 0 ? grouped(report.counts.missed) : ""};
  for (const MissedRun& run : report.missed) missed.line("", missed_text(report, run));
  for (const CaughtUpRun& run : report.caught_up) missed.line("", caught_up_text(report, run));
  missed.put_into(paragraphs);

  Paragraph look{is_quiet(report) ? "By the way" : "Look at these", ""};
  if (const std::string words = under_way(report); !words.empty()) look.line("Not over yet", words + ".");
  put_term(look, "Never backed up " + grouped(report.never.size()) + ":", never_groups(report), group_text);
  put_term(look, "Stale " + grouped(report.stale.size()) + ":", report.stale,
           [&](const StaleCopy& copy) { return place_text(copy.place) + " " + stale_text(report, copy); });
  put_term(look, "Disabled " + grouped(report.disabled.size()) + ":", disabled_groups(report), group_text);
  put_term(look, "Cancelled " + grouped(report.counts.cancelled) + ":", report.cancelled,
           [&](const CancelledSeries& series) {
             return place_text(series.place) + " " + cancelled_text(report, series);
           });
  put_term(look, "Breaker open:", report.open_breakers, [&](const Breaker& breaker) {
    return fmt::format("{}, since {}", printable(breaker.customer_name), clock.moment(*breaker.opened_at));
  });
  look.put_into(paragraphs);
  page.set("paragraphs", paragraphs);
}

struct Part {
  std::size_t count = 0;
  const char* colour = "";
};
struct Bar {
  std::string said;
  std::vector<Part> parts;  // from the top down
};

std::size_t height_of(const Bar& bar) {
  std::size_t sum = 0;
  for (const Part& part : bar.parts) sum += part.count;
  return sum;
}

// Each lane has a scale of its own.
void put_lane(data& lanes, const std::string& label, const std::vector<Bar>& bars, std::size_t pixels) {
  const std::size_t most = height_of(std::ranges::max(bars, {}, height_of));
  if (most == 0) return;
  data columns = list();
  for (const Bar& bar : bars) {
    data parts = list();
    for (const Part& part : bar.parts) {
      if (part.count == 0) continue;
      data one;
      one.set("height", fmt::format("{}", std::max<std::size_t>(2, part.count * pixels / most)));
      one.set("colour", part.colour);
      parts.push_back(one);
    }
    data column;
    column.set("said", bar.said);
    column.set("tall", fmt::format("{}", pixels));
    column.set("parts", parts);
    columns.push_back(column);
  }
  data lane;
  lane.set("label", fmt::format("{}, {} at most", label, grouped(most)));
  lane.set("span", fmt::format("{}", bars.size()));
  lane.set("bars", columns);
  lanes.push_back(lane);
}

void put_hours(data& charts, const Report& report) {
  if (report.hours.empty()) return;
  const Clock clock{report};
  data lanes = list();
  const auto lane = [&](const std::string& label, const char* colour, std::size_t pixels, auto count) {
    std::vector<Bar> bars;
    for (const Hour& hour : report.hours)
      bars.push_back(
          {fmt::format("{}: {}", clock.moment(hour.begin), grouped(count(hour))), {{count(hour), colour}}});
    put_lane(lanes, label, bars, pixels);
  };
  lane("Failed", bad, tall / 2, [](const Hour& hour) { return hour.failed; });
  lane("Missed", lost, tall / 2, [](const Hour& hour) { return hour.missed; });
  lane("Backed up", backed_up, tall, [](const Hour& hour) { return hour.backed_up; });
  data chart;
  chart.set("title", "The night by hour");
  chart.set("note", "");
  chart.set("lanes", lanes);
  chart.set("first", clock.moment(report.hours.front().begin));
  chart.set("last", clock.moment(report.hours.back().begin + std::chrono::hours{1}));
  charts.push_back(chart);
}

void put_trend(data& charts, const Report& report) {
  std::vector<Bar> bars;
  std::size_t all = 0;
  for (const TrendNight& night : report.trend) {
    all += night.own + night.shared;
    bars.push_back({fmt::format("{}: {} on their own, {} by shared causes", day_text(night.date),
                                grouped(night.own), grouped(night.shared)),
                    {{night.shared, bad_shared}, {night.own, bad}}});
  }
  if (all == 0) return;
  data lanes = list();
  put_lane(lanes, "Failed devices a night, by shared causes in light red", bars, tall);
  data chart;
  chart.set("title", tidied(counted(report.trend.size(), "night")));
  chart.set("note", "");
  chart.set("lanes", lanes);
  chart.set("first", day_text(report.trend.front().date));
  chart.set("last", day_text(report.trend.back().date));
  charts.push_back(chart);
}

}  // namespace

std::string to_html(const Report& report, const Links& links, const std::string& why) {
  const bool quiet = is_quiet(report);
  const std::string said = quiet ? sentence(report) : headline(report);
  data page;
  page.set("font", font);
  page.set("section", section);
  page.set("break", breaking);
  page.set("page_title", fmt::format("Nightjar: {}, {} {}", headline(report), day_text(report.night.date),
                                     static_cast<int>(report.night.date.year())));
  page.set("preview", quiet ? said : lead(report));
  page.set("kicker",
           fmt::format("Nightjar, morning report, {}, {}{}", long_date(report.night.date), scope_text(report),
                       report.so_far ? ", as of " + Clock{report}.moment(report.as_of) : ""));
  page.set("headline", said);
  page.set("lead", quiet ? data{false} : data{lead(report)});
  page.set("filler", false);
  page.set("has_figures", false);
  if (!quiet) put_figures(page, report);
  put_failures(page, report, links);
  put_paragraphs(page, report);
  data charts = list();
  if (!quiet) {
    put_hours(charts, report);
    put_trend(charts, report);
  }
  page.set("charts", charts);
  const std::string link = links.report(report);
  page.set("report_link", link.empty() ? data{false} : data{link});
  page.set("foot", fmt::format("Times in {}.{}", report.zone.name(), why.empty() ? "" : " " + why));
  kainjow::mustache::mustache document{std::string{mail_template()}};
  return document.render(page);
}

}  // namespace nightjar::report
