#include "report/phrases.hpp"
#include "report/words.hpp"

#include <nightjar/report/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace nightjar::report {
namespace {

constexpr std::size_t width = 72;
constexpr std::size_t bar_width = 28;

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view{"-._~"}.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// Left and right on one line, or on two where they do not fit.
std::string two_ended(const std::string& left, const std::string& right) {
  const std::size_t used = columns(left) + columns(right);
  if (used + 2 <= width) return left + std::string(width - used, ' ') + right + '\n';
  return wrap(left, 0, 0, width) + std::string(width - std::min(width, columns(right)), ' ') + right + '\n';
}

std::string heading(const std::string& words) {
  return '\n' + wrap(words, 0, 0, width) + std::string(width, '-') + '\n';
}

std::string place_text(const Place& place) {
  return fmt::format("{}  ({})", printable(place.name), printable(place.customer_name));
}

std::string figures(const Report& report) {
  const Counts& counts = report.counts;
  std::string out = "\n";
  const auto figure = [&](std::size_t count, const std::string& words) {
    if (count > 0) out += fmt::format("{:>9}  {}\n", grouped(count), words);
  };
  figure(counts.failed, "failed");
  figure(counts.retrying, "still retrying");
  figure(counts.running + counts.pending, under_way(report));
  figure(counts.missed, "missed");
  figure(report.never.size(), "never backed up");
  figure(report.stale.size(), "stale");
  figure(report.disabled.size(), "disabled");
  figure(counts.cancelled, "cancelled");
  std::string of = fmt::format("backed up of {}", grouped(due(counts)));
  std::vector<std::string> parts;
  if (counts.repaired > 0) parts.push_back(grouped(counts.repaired) + " repaired by retry");
  if (counts.changed > 0) parts.push_back(grouped(counts.changed) + " changed");
  if (!parts.empty()) of += "; " + joined(parts);
  return out + fmt::format("{:>9}  {}\n", grouped(counts.backed_up), of);
}

std::string shared_causes(const Report& report) {
  if (report.shared.empty()) return "";
  std::string out = heading(
      fmt::format("FAILED, {} ({}, {})", report.shared.size() == 1 ? "SHARED CAUSE" : "SHARED CAUSES",
                  grouped(report.shared.size()), counted(devices_by_shared_causes(report), "device")));
  for (std::size_t i = 0; i < report.shared.size(); ++i) {
    const SharedCause& cause = report.shared[i];
    if (i > 0) out += '\n';
    out += two_ended(fmt::format("{}  ({})", counted(cause.devices.size(), "device"), who(cause)),
                     last_good(report, cause));
    out += wrap(fmt::format("{}: {}", class_of(cause), reason_of(report, cause)), 4, 4, width);
    out += wrap(details(report, cause), 4, 4, width);
  }
  return out;
}

std::string own_failures(const Report& report) {
  if (report.own.empty()) return "";
  std::string out = heading(fmt::format("FAILED{} ({}){}", report.shared.empty() ? "" : " ON THEIR OWN",
                                        grouped(report.own.size()),
                                        report.own.size() > 1 ? ", longest failing first" : ""));
  const std::size_t shown = std::min(report.own.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const FailedDevice& device = report.own[i];
    if (i > 0) out += '\n';
    out += two_ended(place_text(device.place), last_good(report, device));
    out += wrap(fmt::format("{}: {}", class_of(device.failure), reason_of(device)), 4, 4, width);
    out += wrap(fmt::format("{}; {}", tries(device), since(report, device)), 4, 4, width);
  }
  if (shown < report.own.size()) out += '\n' + more_text(report.own.size() - shown) + '\n';
  return out;
}

template <class Row, class Line>
std::string rows(const std::string& words, const std::vector<Row>& all, Line line) {
  if (all.empty()) return "";
  std::string out = heading(words);
  const std::size_t shown = std::min(all.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) out += wrap(line(all[i]), 0, 0, width);
  if (shown < all.size()) out += more_text(all.size() - shown) + '\n';
  return out;
}

std::string group_text(const Group& group) {
  return fmt::format("{}  ({})  {}", joined(group.names), group.customer_name, group.what);
}

std::string disabled(const Report& report) {
  return rows(fmt::format("DISABLED ({})", grouped(report.disabled.size())), disabled_groups(report),
              group_text);
}

std::string missed(const Report& report) {
  if (report.missed.empty() && report.caught_up.empty()) return "";
  const std::size_t devices = report.counts.missed;
  std::string out = heading(report.missed.empty() ? "CAUGHT UP"
                            : devices == 0        ? "MISSED"
                                                  : fmt::format("MISSED ({})", grouped(devices)));
  for (const MissedRun& run : report.missed) out += wrap(missed_text(report, run), 0, 0, width);
  for (const CaughtUpRun& run : report.caught_up) out += wrap(caught_up_text(report, run), 0, 0, width);
  return out;
}

std::string stale(const Report& report) {
  if (report.stale.empty()) return "";
  const auto [least, most] = std::ranges::minmax(report.stale, {}, &StaleCopy::stale_after_days);
  const std::string age =
      least.stale_after_days == most.stale_after_days
          ? fmt::format(", older than {}", counted(static_cast<std::size_t>(least.stale_after_days), "day"))
          : "";
  return rows(fmt::format("STALE{} ({})", age, grouped(report.stale.size())), report.stale,
              [&](const StaleCopy& copy) {
                return fmt::format("{}  {}", place_text(copy.place), stale_text(report, copy));
              });
}

std::string bar(std::size_t count, std::size_t most, std::size_t full, char sign) {
  if (count == 0) return "";
  return std::string(std::max<std::size_t>(1, count * full / most), sign);
}

std::size_t outcomes(const Hour& hour) {
  return hour.backed_up + hour.failed + hour.cancelled + hour.missed;
}

std::string hour_text(const Clock& clock, const Hour& hour, std::size_t most) {
  std::string line = clock.time(hour.begin);
  if (outcomes(hour) == 0) return line + '\n';
  const std::string bars = bar(hour.backed_up, most, bar_width, '=') +
                           bar(hour.missed, most, bar_width, '-') +
                           bar(hour.cancelled, most, bar_width, 'o') + bar(hour.failed, most, bar_width, 'X');
  line +=
      fmt::format("  {:<{}}  {:>7}", bars, bar_width + 3, hour.backed_up > 0 ? grouped(hour.backed_up) : "");
  std::vector<std::string> parts;
  if (hour.failed > 0) parts.push_back(grouped(hour.failed) + " failed");
  if (hour.missed > 0) parts.push_back(grouped(hour.missed) + " missed");
  if (hour.cancelled > 0) parts.push_back(grouped(hour.cancelled) + " cancelled");
  line += "  " + joined(parts);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string strip(const Report& report) {
  if (report.hours.empty()) return "";
  std::string out = heading("THE NIGHT BY HOUR (= backed up, X failed, - missed, o cancelled)");
  const std::size_t most = outcomes(std::ranges::max(report.hours, {}, outcomes));
  const Clock clock{report};
  for (const Hour& hour : report.hours) out += hour_text(clock, hour, most);
  return out;
}

std::size_t failed(const TrendNight& night) {
  return night.own + night.shared;
}

std::string trend(const Report& report) {
  if (report.trend.empty()) return "";
  const TrendNight& worst = std::ranges::max(report.trend, {}, failed);
  if (failed(worst) == 0) return "";
  constexpr const char* steps[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string line;
  for (const TrendNight& night : report.trend)
    line += failed(night) == 0 ? "." : steps[(failed(night) * 8 - 1) / failed(worst)];
  std::string out = heading(fmt::format("FAILED DEVICES, {} NIGHTS", report.trend.size()));
  out += fmt::format("{} {} {}\n", day_text(report.trend.front().date), line,
                     day_text(report.trend.back().date));
  std::string most = fmt::format("most: {} on {}", grouped(failed(worst)), day_text(worst.date));
  if (worst.shared > 0) most += fmt::format(", {} of them by shared causes", grouped(worst.shared));
  return out + most + '\n';
}

}  // namespace

std::string Links::report(const Report& report) const {
  if (base.empty()) return "";
  std::string link = fmt::format("{}/report/{}", base, report::to_text(report.night.date));
  if (!report.customer_name.empty()) link += "?customer=" + percent_encoded(report.customer_name);
  return link;
}

std::string Links::series(SeriesId id) const {
  return base.empty() ? "" : fmt::format("{}/series/{}", base, id.value);
}

std::string to_text(const Report& report, const Links& links) {
  const std::string link = links.report(report).empty() ? "" : '\n' + links.report(report) + '\n';
  if (is_quiet(report)) {
    const std::string whose = report.customer_name.empty() ? "" : scope_text(report) + ", ";
    return wrap(fmt::format("{}{} {}: {}", whose, day_text(report.night.date),
                            static_cast<int>(report.night.date.year()), sentence(report)),
                0, 0, width) +
           disabled(report) + link;
  }
  std::string left = "NIGHTJAR  morning report";
  if (!report.customer_name.empty()) left += ", " + scope_text(report);
  std::string out = two_ended(left, title(report)) + std::string(width, '=') + "\n\n";
  const bool failures = !report.own.empty() || !report.shared.empty();
  out += wrap(failures ? fmt::format("{}: {}", headline(report), sentence(report)) : sentence(report), 0, 0,
              width);
  out += figures(report) + shared_causes(report) + own_failures(report);
  out += rows(fmt::format("STILL RETRYING ({})", grouped(report.counts.retrying)), report.retrying,
              [&](const Retrying& series) {
                return fmt::format("{}  {}; {}", place_text(series.place), class_of(series.failure),
                                   next_try(report, series));
              });
  out += missed(report);
  out += rows(fmt::format("NEVER BACKED UP ({})", grouped(report.never.size())), never_groups(report),
              group_text);
  out += stale(report) + disabled(report);
  out += rows(fmt::format("CANCELLED ({})", grouped(report.counts.cancelled)), report.cancelled,
              [&](const CancelledSeries& series) {
                return fmt::format("{}  {}", place_text(series.place), cancelled_text(report, series));
              });
  out += rows(fmt::format("BREAKER OPEN ({})", grouped(report.open_breakers.size())), report.open_breakers,
              [&](const Breaker& breaker) {
                return fmt::format("{}, since {}", printable(breaker.customer_name),
                                   Clock{report}.moment(*breaker.opened_at));
              });
  return out + strip(report) + trend(report) + link;
}

}  // namespace nightjar::report
