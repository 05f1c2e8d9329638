#include "cli/report_json.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

namespace nightjar::cli {
namespace {

using report::Report;
using report::SharedCause;

Json id_json(std::int64_t id) {
  return id == 0 ? Json(nullptr) : Json(id);
}

std::string date_text(const Report& report, int nights_before) {
  return report::to_text(
      report::Date{std::chrono::sys_days{report.night.date} - std::chrono::days{nights_before}});
}

Json age_json(const Report& report, std::optional<UtcTime> time) {
  return time ? json_seconds(std::chrono::floor<Seconds>(report.as_of - *time)) : Json(nullptr);
}

Json place_json(const report::Place& place) {
  return {{"customer", place.customer_name}, {"device", place.name}, {"device_id", place.device.value}};
}

Json failure_json(const std::optional<Failure>& failure) {
  if (!failure) return {{"class", nullptr}, {"stage", nullptr}, {"reason", nullptr}};
  return {{"class", to_text(failure->failure_class)},
          {"stage", to_text(failure->stage)},
          {"reason", failure->reason}};
}

Json with(Json object, const Json& more) {
  object.update(more);
  return object;
}

Json to_json(const Report& report, const report::FailedDevice& device) {
  Json object = with(place_json(device.place), failure_json(device.failure));
  object["series"] = device.series.value;
  Json earlier = Json::array();
  for (const SeriesId id : device.earlier) earlier.push_back(id.value);
  object["earlier_series"] = std::move(earlier);
  object["end"] = series::to_text(device.end);
  object["transport"] = json_or_null(device.transport);
  object["attempts"] = device.tries;
  object["attempts_allowed"] = id_json(device.allowed);
  object["scheduled_for"] = json_time(device.failing.scheduled_for);
  object["ended_at"] = json_time(device.failing.ended_at);
  object["failing_since"] = date_text(report, device.nights - 1);
  object["failing_nights"] = device.nights;
  object["last_good_at"] = json_time(device.last_good);
  object["last_good_age_seconds"] = age_json(report, device.last_good);
  return object;
}

std::string kind_text(SharedCause::Kind kind) {
  return kind == SharedCause::Kind::breaker ? "breaker" : "credential";
}

Json to_json(const Report& report, const SharedCause& cause) {
  Json devices = Json::array();
  for (const auto& device : cause.devices) devices.push_back(to_json(report, device));
  return {{"cause", kind_text(cause.kind)},
          {"customer", json_or_null(cause.customer_name)},
          {"credential", json_or_null(cause.credential)},
          {"open_since", json_time(cause.open_since)},
          {"open_until", json_time(cause.open_until)},
          {"rejected_by", cause.rejected},
          {"count", cause.devices.size()},
          {"devices", std::move(devices)}};
}

template <class Rows, class Make>
Json array_of(const Rows& rows, Make make) {
  Json array = Json::array();
  for (const auto& row : rows) array.push_back(make(row));
  return array;
}

std::string_view verdict_text(report::Verdict verdict) {
  switch (verdict) {
    case report::Verdict::well:
      return "well";
    case report::Verdict::failed:
      return "failed";
    case report::Verdict::nothing_due:
      return "nothing_due";
  }
  return "failed";
}

Json counts_json(const Report& report) {
  const report::Counts& counts = report.counts;
  return {{"due", due(counts)},
          {"devices", counts.devices},
          {"succeeded", counts.backed_up},
          {"recovered_by_retry", counts.repaired},
          {"changed", counts.changed},
          {"failed", counts.failed},
          {"retrying", counts.retrying},
          {"running", counts.running},
          {"pending", counts.pending},
          {"missed", counts.missed},
          {"cancelled", counts.cancelled},
          {"never_backed_up", report.never.size()},
          {"stale", report.stale.size()},
          {"disabled", report.disabled.size()}};
}

Json hour_json(const report::Hour& hour) {
  return {{"at", json_time(hour.begin)}, {"succeeded", hour.backed_up}, {"recovered_by_retry", hour.repaired},
          {"failed", hour.failed},       {"cancelled", hour.cancelled}, {"missed", hour.missed}};
}

}  // namespace

Json to_json(const Report& report) {
  Json object = {{"date", report::to_text(report.night.date)},
                 {"customer", json_or_null(report.customer_name)},
                 {"timezone", report.zone.name()},
                 {"from", json_time(report.night.begin)},
                 {"to", json_time(report.night.end)},
                 {"as_of", json_time(report.as_of)},
                 {"complete", !report.so_far},
                 {"verdict", verdict_text(verdict(report))},
                 {"quiet", is_quiet(report)},
                 {"headline", headline(report)},
                 {"sentence", sentence(report)},
                 {"counts", counts_json(report)}};
  object["shared_causes"] =
      array_of(report.shared, [&](const SharedCause& cause) { return to_json(report, cause); });
  object["failed"] = array_of(report.own, [&](const auto& device) { return to_json(report, device); });
  object["retrying"] = array_of(report.retrying, [](const report::Retrying& series) {
    return with(with(place_json(series.place), failure_json(series.failure)),
                {{"series", series.series.value},
                 {"attempts", series.tries},
                 {"attempts_allowed", id_json(series.allowed)},
                 {"next_attempt_at", json_time(series.next_at)}});
  });
  object["missed"] = array_of(report.missed, [](const report::MissedRun& run) -> Json {
    return {{"customer", run.customer_name},
            {"scheduled_for", json_time(run.scheduled_for)},
            {"devices", run.devices},
            {"noticed_at", json_time(run.noticed_at)},
            {"catch_up_seconds", run.noticed_at ? json_seconds(run.catch_up) : Json(nullptr)},
            {"next_run_at", json_time(run.next)}};
  });
  object["caught_up"] = array_of(report.caught_up, [](const report::CaughtUpRun& run) -> Json {
    return {{"customer", run.customer_name},
            {"scheduled_for", json_time(run.scheduled_for)},
            {"devices", run.devices},
            {"started_at", json_time(run.started_at)},
            {"late_seconds", json_seconds(run.started_at - run.scheduled_for)}};
  });
  object["never_backed_up"] = array_of(report.never, [](const report::NeverBackedUp& device) {
    return with(place_json(device.place), {{"added_at", json_time(device.added_at)},
                                           {"enabled", device.enabled},
                                           {"next_run_at", json_time(device.next_run)},
                                           {"failed", device.failed}});
  });
  object["stale"] = array_of(report.stale, [&](const report::StaleCopy& copy) {
    return with(place_json(copy.place), {{"last_good_at", json_time(copy.last_good)},
                                         {"last_good_age_seconds", age_json(report, copy.last_good)},
                                         {"stale_after_days", copy.stale_after_days},
                                         {"enabled", copy.enabled},
                                         {"scheduled", copy.scheduled},
                                         {"failed", copy.failed}});
  });
  object["disabled"] = array_of(report.disabled, [](const report::DisabledDevice& device) {
    return with(place_json(device.place), {{"last_good_at", json_time(device.last_good)}});
  });
  object["cancelled"] = array_of(report.cancelled, [](const report::CancelledSeries& series) {
    return with(place_json(series.place), {{"series", series.series.value},
                                           {"cancelled_at", json_time(series.at)},
                                           {"attempts", series.attempts}});
  });
  object["breakers_open"] = array_of(report.open_breakers, [](const report::Breaker& breaker) -> Json {
    return {{"customer", breaker.customer_name}, {"opened_at", json_time(breaker.opened_at)}};
  });
  object["hours"] = array_of(report.hours, hour_json);
  object["nights"] = array_of(report.trend, [](const report::TrendNight& night) -> Json {
    return {
        {"date", report::to_text(night.date)}, {"failed_own", night.own}, {"failed_shared", night.shared}};
  });
  return object;
}

Listing report_listing(const Report& report) {
  Listing listing({{"section", "SECTION"},
                   {"customer", "CUSTOMER"},
                   {"device", "DEVICE"},
                   {"series", "SERIES"},
                   {"cause", "CAUSE"},
                   {"class", "CLASS"},
                   {"reason", "REASON"},
                   {"attempts", "ATTEMPTS"},
                   {"failing_since", "SINCE"},
                   {"failing_nights", "NIGHTS"},
                   {"at", "AT"},
                   {"last_good_at", "LAST GOOD"},
                   {"devices", "DEVICES"}});
  struct Row {
    std::string section;
    std::string customer{}, device{};
    Json series{}, cause{};
    std::optional<Failure> failure{};
    Json attempts{}, since{}, nights{}, at{}, last_good{}, devices{};
  };
  const auto add = [&](Row row) {
    listing.add({row.section, json_or_null(row.customer), json_or_null(row.device), row.series, row.cause,
                 row.failure ? Json(to_text(row.failure->failure_class)) : Json(nullptr),
                 row.failure ? Json(row.failure->reason) : Json(nullptr), row.attempts, row.since, row.nights,
                 row.at, row.last_good, row.devices});
  };
  const auto add_place = [&](std::string section, const report::Place& place, Row row) {
    row.section = std::move(section);
    row.customer = place.customer_name;
    row.device = place.name;
    add(std::move(row));
  };
  const auto add_failed = [&](const report::FailedDevice& device, Json cause) {
    Row row;
    row.series = device.series.value;
    row.cause = std::move(cause);
    row.failure = device.failure;
    row.attempts = device.tries;
    row.since = date_text(report, device.nights - 1);
    row.nights = device.nights;
    row.at = json_time(device.failing.ended_at);
    row.last_good = json_time(device.last_good);
    add_place("failed", device.place, std::move(row));
    for (const SeriesId id : device.earlier) {
      Row earlier;
      earlier.series = id.value;
      add_place("failed_earlier", device.place, std::move(earlier));
    }
  };
  for (const SharedCause& cause : report.shared)
    for (const auto& device : cause.devices) add_failed(device, kind_text(cause.kind));
  for (const auto& device : report.own) add_failed(device, nullptr);
  for (const auto& series : report.retrying) {
    Row row;
    row.series = series.series.value;
    row.failure = series.failure;
    row.attempts = series.tries;
    row.at = json_time(series.next_at);
    add_place("retrying", series.place, std::move(row));
  }
  for (const auto& run : report.missed) {
    Row row{.section = "missed", .customer = run.customer_name};
    row.at = json_time(run.scheduled_for);
    row.devices = run.devices;
    add(std::move(row));
  }
  for (const auto& run : report.caught_up) {
    Row row{.section = "caught_up", .customer = run.customer_name};
    row.at = json_time(run.scheduled_for);
    row.devices = run.devices;
    add(std::move(row));
  }
  for (const auto& device : report.never) {
    Row row;
    row.at = json_time(device.added_at);
    add_place("never_backed_up", device.place, std::move(row));
  }
  for (const auto& copy : report.stale) {
    Row row;
    row.last_good = json_time(copy.last_good);
    add_place("stale", copy.place, std::move(row));
  }
  for (const auto& device : report.disabled) {
    Row row;
    row.last_good = json_time(device.last_good);
    add_place("disabled", device.place, std::move(row));
  }
  for (const auto& series : report.cancelled) {
    Row row;
    row.series = series.series.value;
    row.attempts = series.attempts;
    row.at = json_time(series.at);
    add_place("cancelled", series.place, std::move(row));
  }
  for (const auto& breaker : report.open_breakers) {
    Row row{.section = "breaker_open", .customer = breaker.customer_name};
    row.at = json_time(breaker.opened_at);
    add(std::move(row));
  }
  return listing;
}

}  // namespace nightjar::cli
