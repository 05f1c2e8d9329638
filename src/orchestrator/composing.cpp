// What a gathered message says: the series it tells of become an alert, the alert a text, a document and a
// body.
#include <nightjar/alerting/alert.hpp>
#include <nightjar/delivery/payload.hpp>
#include <nightjar/orchestrator/telling.hpp>
#include <nightjar/schedule/settings.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/revisions.hpp>
#include <nightjar/store/settings.hpp>

#include <fmt/format.h>

#include <utility>

namespace nightjar::orchestrator {
namespace {

using nlohmann::json;

constexpr std::size_t most_lines = 20;  // in a chat room

json time_or_null(std::optional<UtcTime> time) {
  return time ? json(to_rfc3339(*time)) : json(nullptr);
}

void put_failure(json& into, const std::optional<Failure>& failure) {
  into["class"] = failure ? json(to_text(failure->failure_class)) : json(nullptr);
  into["stage"] = failure && failure->stage != Stage::none ? json(to_text(failure->stage)) : json(nullptr);
  into["reason"] = failure ? json(failure->reason) : json(nullptr);
}

json to_json(const alerting::Item& item) {
  json one{{"id", item.series.value},
           {"device", item.device},
           {"address", item.address},
           {"driver", item.driver},
           {"scheduled_for", to_rfc3339(item.scheduled_for)},
           {"ended_at", to_rfc3339(item.ended_at)},
           {"end", item.end ? json(series::to_text(*item.end)) : json(nullptr)},
           {"transport", item.transport},
           {"attempts", item.counted},
           {"last_good_at", time_or_null(item.last_good)},
           {"cause", item.cause.empty() ? json(nullptr) : json(item.cause)}};
  put_failure(one, item.failure);
  json& attempts = one["attempt_list"] = json::array();
  for (const auto& attempt : item.attempts) {
    json tried{{"number", attempt.number},
               {"started_at", to_rfc3339(attempt.started_at)},
               {"duration_ms", attempt.duration.count()},
               {"outcome", series::to_text(attempt.outcome)}};
    put_failure(tried, attempt.failure);
    attempts.push_back(std::move(tried));
  }
  json& rule = one["rule"] = json::object();
  for (const auto& field : item.rule) rule[field.name] = {{"value", field.value}, {"origin", field.origin}};
  return one;
}

std::string body_of(const store::Destination& destination, const delivery::Notice& notice) {
  switch (destination.preset) {
    case store::Preset::generic:
      return delivery::generic(notice);
    case store::Preset::slack:
      return delivery::slack(notice);
    case store::Preset::teams:
      return delivery::teams(notice);
  }
  return delivery::generic(notice);
}

std::vector<alerting::RuleField> fields_of(const store::RuleInForce& rule) {
  std::vector<alerting::RuleField> fields;
  rules::for_each_field<rules::RetryFields>([&](const auto& field) {
    using rules::to_text;
    const auto& value = field.get(rule.rule);
    std::string origin{rules::to_text(value.origin)};
    if (const auto name = rule.origin_name(value.origin); !name.empty()) origin += fmt::format(" {}", name);
    fields.push_back({std::string{field.name}, std::string{to_text(value.value)}, std::move(origin)});
  });
  return fields;
}

Result<alerting::Item> item_of(store::Database& db, const store::Notification& told) {
  auto detail = store::SeriesBook{db}.detail(told.series);
  if (!detail) return std::move(detail).error();
  auto device = store::Inventory{db}.device(told.device);
  if (!device) return std::move(device).error();
  auto good = store::Revisions{db}.newest(told.device);
  if (!good) return std::move(good).error();
  const auto& series = detail->series;
  alerting::Item item;
  item.series = series.id;
  item.device = series.device_name;
  item.address = device->address.find(':') == std::string::npos
                     ? fmt::format("{}:{}", device->address, device->port)
                     : fmt::format("[{}]:{}", device->address, device->port);
  item.driver = device->driver;
  item.scheduled_for = series.machine.scheduled_for;
  item.ended_at = series.ended_at.value_or(series.machine.scheduled_for);
  item.end = series.machine.end;
  item.failure = series.last_failure;
  item.transport = series.transport;
  item.counted = series.machine.counted;
  if (series::is_open(series.machine.state))
    item.counted = told.attempts;  // it goes on, after the end that is told
  item.cause = told.cause;
  if (*good) item.last_good = (*good)->last_seen_at;
  for (auto& attempt : detail->attempts) {
    if (attempt.number > told.attempts) break;
    if (attempt.ended_at && !series.ended_at) item.ended_at = *attempt.ended_at;
    if (attempt.decision) item.rule = fields_of(attempt.decision->rule);
    item.attempts.push_back({.number = attempt.number,
                             .started_at = attempt.started_at,
                             .duration = attempt.ended_at.value_or(attempt.started_at) - attempt.started_at,
                             .failure = std::move(attempt.failure),
                             .outcome = attempt.outcome.value_or(series::Outcome::interrupted)});
  }
  return item;
}

Result<schedule::Zone> zone_of(store::Database& db, std::optional<CustomerId> customer) {
  const store::Scope scope = customer ? store::Scope{rules::Level::customer, *customer, {}} : store::Scope{};
  auto schedule = store::Settings{db}.in_force<schedule::ScheduleFields>(scope);
  if (!schedule) return std::move(schedule).error();
  return schedule->rule.timezone.value;
}

}  // namespace

Result<std::optional<store::Content>> compose(store::Database& db, const store::Message& message,
                                              const store::Destination& destination, UtcTime now) {
  store::Outbox outbox{db};
  auto told = outbox.notifications(message.id);
  if (!told) return std::move(told).error();
  auto zone = zone_of(db, message.customer);
  if (!zone) return std::move(zone).error();
  alerting::Alert alert{.event = message.event,
                        .customer = message.customer_name,
                        .zone = *zone,
                        .at = now,
                        .items = {},
                        .base_url = {}};
  for (const auto& one : *told) {
    auto item = item_of(db, one);
    if (!item) return std::move(item).error();
    alert.items.push_back(std::move(*item));
  }
  if (alert.items.empty()) return std::optional<store::Content>{};
  store::Content content;
  content.subject = alerting::subject(alert);
  content.text = alerting::text(alert);
  content.html = alerting::html(alert);
  delivery::Notice notice{.id = message.event_id,
                          .type = std::string{alerting::to_text(message.event)},
                          .at = now,
                          .customer = alert.customer,
                          .headline = alerting::headline(alert),
                          .lines = alerting::lines(alert, most_lines),
                          .link = {},
                          .data = {}};
  notice.data = {{"customer", alert.customer}, {"headline", notice.headline}, {"series", json::array()}};
  for (const auto& item : alert.items) notice.data["series"].push_back(to_json(item));
  content.body = body_of(destination, notice);
  if (message.event == alerting::Event::series_recovered) {
    auto before = outbox.told_before(message.id);
    if (!before) return std::move(before).error();
    content.in_reply_to = std::move(*before);
  }
  return std::optional{std::move(content)};
}

std::string plain_body(const store::Destination& destination, std::string_view event_id,
                       std::string_view event, std::string_view headline, std::string_view text,
                       UtcTime now) {
  delivery::Notice notice{.id = std::string{event_id},
                          .type = std::string{event},
                          .at = now,
                          .customer = destination.customer_name,
                          .headline = std::string{headline},
                          .lines = {},
                          .link = {},
                          .data = {{"headline", headline}, {"text", text}}};
  return body_of(destination, notice);
}

}  // namespace nightjar::orchestrator
