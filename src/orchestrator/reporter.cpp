#include "orchestrator/reporter.hpp"

#include <nightjar/orchestrator/telling.hpp>
#include <nightjar/report/html.hpp>
#include <nightjar/report/model.hpp>
#include <nightjar/report/text.hpp>
#include <nightjar/schedule/settings.hpp>
#include <nightjar/schedule/times.hpp>
#include <nightjar/store/destinations.hpp>
#include <nightjar/store/night_book.hpp>
#include <nightjar/store/outbox.hpp>
#include <nightjar/store/settings.hpp>

#include <fmt/format.h>

#include <map>
#include <vector>

namespace nightjar::orchestrator {
namespace {

using alerting::Event;

struct Due {
  UtcTime at{};
  report::Date date{};
};

// The newest time of the level's report, unless it is switched off or too long ago.
Result<std::optional<Due>> due_of(store::Database& db, std::optional<CustomerId> customer, UtcTime now) {
  const store::Scope scope = customer ? store::Scope{rules::Level::customer, *customer, {}} : store::Scope{};
  store::Settings settings{db};
  auto own = settings.in_force<report::ReportFields>(scope);
  if (!own) return std::move(own).error();
  auto schedule = settings.in_force<schedule::ScheduleFields>(scope);
  if (!schedule) return std::move(schedule).error();
  const auto zone = schedule->rule.timezone.value;
  const auto at = schedule::last_time(own->rule.cron.value, zone, now);
  if (!own->rule.enabled.value || !at || now - *at > report_is_late_for) return std::optional<Due>{};
  return std::optional{Due{*at, report::night_around(*at, own->rule.cron.value, zone).date}};
}

Result<bool> is_in_outbox(store::Database& db, DestinationId destination, const std::string& occasion) {
  return store::Outbox{db}.has(Event::report_daily, destination, occasion);
}

Result<void> send(store::Database& db, std::optional<CustomerId> customer, const Due& due,
                  const std::vector<store::Destination>& to, UtcTime now) {
  auto input = store::NightBook{db}.input(customer, due.date, now);
  if (!input) return std::move(input).error();
  const auto made = report::build(std::move(*input));
  const auto occasion = report::to_text(due.date);
  const auto headline = report::headline(made);
  const auto text = report::to_text(made);
  for (const store::Destination& destination : to) {
    const store::Content content{
        .subject = fmt::format("{}, {}", headline, occasion),
        .text = text,
        .html = report::to_html(
            made, {},
            fmt::format(
                "Sent because {} is told of reports.",
                destination.kind == store::DestinationKind::email ? destination.address : "this place")),
        .body = plain_body(destination, "report-" + occasion, alerting::to_text(Event::report_daily),
                           headline, text, now),
        .in_reply_to = {}};
    auto added = store::Outbox{db}.add(Event::report_daily, destination.id, customer, occasion, content, now);
    if (!added) return std::move(added).error();
  }
  return {};
}

}  // namespace

Result<bool> report_one(store::Database& db, UtcTime now) {
  auto all = store::Destinations{db}.all();
  if (!all) return std::move(all).error();
  std::map<std::optional<CustomerId>, std::vector<store::Destination>> readers;
  for (auto& destination : *all)
    if (!destination.disabled_at && destination.events.contains(Event::report_daily))
      readers[destination.customer].push_back(std::move(destination));
  for (auto& [customer, destinations] : readers) {
    auto due = due_of(db, customer, now);
    if (!due) return std::move(due).error();
    if (!*due) continue;
    std::vector<store::Destination> to;
    for (auto& destination : destinations) {
      if (destination.created_at > (*due)->at) continue;
      auto there = is_in_outbox(db, destination.id, report::to_text((*due)->date));
      if (!there) return std::move(there).error();
      if (!*there) to.push_back(std::move(destination));
    }
    if (to.empty()) continue;
    if (auto sent = send(db, customer, **due, to, now); !sent) return sent.error();
    return true;
  }
  return false;
}

}  // namespace nightjar::orchestrator
