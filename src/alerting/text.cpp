#include "alerting/words.hpp"

#include <fmt/format.h>

namespace nightjar::alerting {
namespace {

class Page {
 public:
  void line(std::string_view text = {}) {
    for (const char c : text) body_ += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    body_ += '\n';
  }
  void field(std::string_view name, std::string_view value) {
    if (!value.empty()) line(fmt::format("  {:<11} {}", name, value));
  }
  std::string take() { return std::move(body_); }

 private:
  std::string body_;
};

void details(Page& page, const Alert& alert, const Item& item) {
  page.line(fmt::format("{}  ({})", item.device, alert.customer));
  if (item.failure)
    page.line(fmt::format("  {}: {}", to_text(item.failure->failure_class), item.failure->reason));
  page.field("address", fmt::format("{}, driver {}", item.address, item.driver));
  page.field("scheduled", fmt::format("{} {}", date_text(alert, item.scheduled_for), alert.zone.name()));
  page.field(alert.event == Event::series_recovered ? "backed up" : "failed",
             date_text(alert, item.ended_at));
  page.field("tried", tries(item));
  for (const Attempt& attempt : item.attempts) page.field("", attempt_line(alert, attempt));
  if (alert.event == Event::series_failed) page.field("copy", good_copy(alert, item));
  page.field("rule", rule_line(item));
  page.field("series", link(alert, item).empty() ? std::to_string(item.series.value) : link(alert, item));
  page.line();
}

}  // namespace

std::string text(const Alert& alert) {
  Page page;
  page.line(headline(alert) + ".");
  page.line();
  const bool detailed = alert.items.size() <= most_detailed;
  std::size_t listed = 0;
  for (const Group& group : grouped(alert)) {
    if (listed >= most_listed) break;
    if (!group.cause.empty()) {
      page.line(fmt::format(
          "{}: {}", group.items.size() == 1 ? "1 device" : fmt::format("{} devices", group.items.size()),
          group.cause));
      page.line();
    }
    for (const Item* item : group.items) {
      if (listed++ >= most_listed) break;
      if (detailed) {
        details(page, alert, *item);
      } else if (item->failure) {
        page.line(fmt::format("{}  {}: {}  ({}; {})", item->device, to_text(item->failure->failure_class),
                              item->failure->reason, tries(*item), good_copy(alert, *item)));
      } else {
        page.line(item->device);
      }
    }
    if (!detailed && !group.cause.empty()) page.line();
  }
  if (alert.items.size() > most_listed)
    page.line(fmt::format("and {} more", alert.items.size() - most_listed));
  return page.take();
}

}  // namespace nightjar::alerting
