// The document for mail clients: tables and inline styles, no script, nothing that is fetched.
#include "alerting/words.hpp"

#include <fmt/format.h>

namespace nightjar::alerting {
namespace {

constexpr std::string_view font =
    "font-family:-apple-system,Segoe UI,Roboto,Liberation Sans,Arial,sans-serif";
constexpr std::string_view ink = "#1b1c1e", muted = "#55575b", bad = "#ad1f1a", good = "#176a3d",
                           blue = "#1d4c9f";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return out;
}

std::string row(std::string_view style, std::string_view inner) {
  return fmt::format("<tr><td style=\"{};{}\">{}</td></tr>\n", font, style, inner);
}

std::string small(std::string_view text) {
  return fmt::format("<span style=\"font-size:12px;line-height:16px;color:{}\">{}</span>", muted,
                     escaped(text));
}

std::string name_of(const Alert& alert, const Item& item) {
  const auto to = link(alert, item);
  if (to.empty()) return fmt::format("<b>{}</b>", escaped(item.device));
  return fmt::format("<a href=\"{}\" style=\"color:{};font-weight:600;text-decoration:none\">{}</a>",
                     escaped(to), blue, escaped(item.device));
}

std::string failure_of(const Item& item) {
  if (!item.failure) return {};
  return fmt::format("<br><b style=\"color:{}\">{}</b>: {}", bad, to_text(item.failure->failure_class),
                     escaped(item.failure->reason));
}

std::string item_row(const Alert& alert, const Item& item, bool detailed) {
  auto inner = name_of(alert, item) + " " + small(fmt::format("{}, {}", item.address, item.driver));
  if (alert.event == Event::series_recovered) {
    inner +=
        fmt::format("<br><b style=\"color:{}\">Backed up</b> at {}", good, date_text(alert, item.ended_at));
    if (item.failure)
      inner += "<br>" + small(fmt::format("had failed: {}: {}", to_text(item.failure->failure_class),
                                          item.failure->reason));
  } else {
    inner += failure_of(item);
    inner += "<br>" + small(fmt::format("{}; {}; scheduled {}", tries(item), good_copy(alert, item),
                                        date_text(alert, item.scheduled_for)));
  }
  if (detailed) {
    for (const Attempt& attempt : item.attempts) inner += "<br>" + small(attempt_line(alert, attempt));
    if (!item.rule.empty()) inner += "<br>" + small("rule: " + rule_line(item));
  }
  return row(
      fmt::format("font-size:14px;line-height:20px;color:{};padding:8px 0;border-top:1px solid #dfdfda", ink),
      inner);
}

}  // namespace

std::string html(const Alert& alert) {
  std::string rows =
      row(fmt::format("font-size:12px;line-height:16px;color:{};padding:0 0 4px", muted),
          fmt::format("Nightjar, {}, {}", escaped(alert.customer), date_text(alert, alert.at)));
  rows += row(fmt::format("font-size:20px;line-height:28px;font-weight:600;color:{};padding:0 0 12px", ink),
              escaped(headline(alert)));
  const bool detailed = alert.items.size() <= most_detailed;
  std::size_t listed = 0;
  for (const Group& group : grouped(alert)) {
    if (listed >= most_listed) break;
    if (!group.cause.empty())
      rows +=
          row(fmt::format("font-size:15px;line-height:22px;font-weight:600;color:{};padding:16px 0 6px", ink),
              fmt::format("{} {}: {}", group.items.size(), group.items.size() == 1 ? "device" : "devices",
                          escaped(group.cause)));
    for (const Item* item : group.items)
      if (listed++ < most_listed) rows += item_row(alert, *item, detailed);
  }
  if (alert.items.size() > most_listed)
    rows += row("font-size:14px;padding:8px 0", fmt::format("and {} more", alert.items.size() - most_listed));
  rows += row(
      fmt::format("font-size:12px;line-height:16px;color:{};padding:20px 0 0;border-top:1px solid #dfdfda",
                  muted),
      fmt::format("Times in {}.", escaped(alert.zone.name())));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><meta name=\"color-scheme\" "
      "content=\"light\"><title>{}</title></head>\n"
      "<body style=\"margin:0;padding:0;background:#f6f6f4\">\n"
      "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" "
      "bgcolor=\"#f6f6f4\">"
      "<tr><td align=\"center\" style=\"padding:24px 12px\">\n"
      "<table role=\"presentation\" width=\"600\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" "
      "bgcolor=\"#ffffff\" "
      "style=\"width:100%;max-width:600px;border:1px solid #dfdfda;background:#ffffff\"><tr><td "
      "style=\"padding:20px 24px 24px\">\n"
      "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" "
      "border=\"0\">\n{}</table>\n"
      "</td></tr></table></td></tr></table></body></html>\n",
      escaped(subject(alert)), rows);
}

}  // namespace nightjar::alerting
