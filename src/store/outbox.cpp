// The outbox from the end of a series to a message that says something; sending is in deliveries.cpp.
#include "store/connection.hpp"

#include <nightjar/store/outbox.hpp>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

constexpr std::string_view new_event_id = "'msg_' || lower(hex(randomblob(16)))";

std::int64_t days(alerting::Day day) {
  return day.time_since_epoch().count();
}

std::optional<Outbox::Gathering> gathering(Connection& c, alerting::Event event, CustomerId customer,
                                           DestinationId to) {
  Statement row(c,
                "SELECT m.id, m.opened_ms, EXISTS (SELECT 1 FROM notification n WHERE n.message_id = m.id "
                "AND n.cause <> '') "
                "FROM message m WHERE m.state = 'gathering' AND m.destination_id = ?1 AND m.customer_id = ?2 "
                "AND m.event = ?3",
                to, customer, alerting::to_text(event));
  if (!row.step()) return std::nullopt;
  Columns columns(row);
  Outbox::Gathering found;
  found.message = columns.next<MessageId>();
  found.opened_at = columns.next<UtcTime>();
  found.shared = columns.next<bool>();
  return found;
}

MessageId open_message(Connection& c, alerting::Event event, DestinationId to,
                       std::optional<CustomerId> customer, std::optional<std::string_view> occasion,
                       std::string_view state, UtcTime now, std::optional<UtcTime> due) {
  static const std::string sql =
      std::string{
          "INSERT INTO message (event_id, destination_id, customer_id, event, occasion, state, opened_ms, "
          "closes_ms, "
          "due_ms, tries, status, detail) VALUES ("} +
      std::string{new_event_id} + ", ?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, 0, 0, '')";
  c.run(sql, to, customer, alerting::to_text(event), occasion, state, now, due);
  return MessageId{c.last_insert_id()};
}

void write_content(Connection& c, MessageId id, const Content& content) {
  c.run(
      "INSERT INTO message_content (message_id, subject, text, html, body, in_reply_to) VALUES (?1, ?2, ?3, "
      "?4, ?5, ?6)",
      id, content.subject, content.text, content.html, content.body, content.in_reply_to);
}

}  // namespace

std::string_view to_text(MessageState state) {
  switch (state) {
    case MessageState::gathering:
      return "gathering";
    case MessageState::waiting:
      return "waiting";
    case MessageState::delivered:
      return "delivered";
    case MessageState::dead:
      return "dead";
  }
  return "gathering";
}

Result<std::vector<alerting::Standing>> Outbox::standing(DeviceId device) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<alerting::Standing>> {
    std::vector<alerting::Standing> all;
    Statement row(c,
                  "SELECT destination_id, max(day) FROM notification WHERE device_id = ?1 AND standing = 1 "
                  "GROUP BY destination_id",
                  device);
    while (row.step()) {
      Columns columns(row);
      alerting::Standing& standing = all.emplace_back();
      standing.destination = columns.next<DestinationId>();
      standing.day = alerting::Day{std::chrono::days{columns.next<std::int64_t>()}};
    }
    return all;
  });
}

Result<Outbox::Gathering> Outbox::gather(alerting::Event event, CustomerId customer, const Notification& told,
                                         UtcTime now) {
  return writing(db_, [&](Connection& c) -> Result<Gathering> {
    auto into = gathering(c, event, customer, told.destination);
    if (!into)
      into = Gathering{
          open_message(c, event, told.destination, customer, std::nullopt, "gathering", now, std::nullopt),
          now, false};
    c.run(
        "INSERT OR IGNORE INTO notification (message_id, destination_id, device_id, series_id, event, "
        "attempts, day, cause, "
        "standing) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        into->message, told.destination, told.device, told.series, alerting::to_text(event), told.attempts,
        days(told.day), told.cause, event == alerting::Event::series_failed);
    into->shared = into->shared || !told.cause.empty();
    return *into;
  });
}

Result<void> Outbox::set_closes_at(MessageId id, UtcTime at) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run("UPDATE message SET closes_ms = ?2 WHERE id = ?1", id, at);
    return {};
  });
}

Result<void> Outbox::settle(DeviceId device) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run("UPDATE notification SET standing = 0 WHERE device_id = ?1 AND standing = 1", device);
    return {};
  });
}

Result<void> Outbox::take_back(SeriesId series) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run(
        "DELETE FROM notification WHERE series_id = ?1 AND event = 'series.failed' "
        "AND (SELECT state FROM message m WHERE m.id = notification.message_id) = 'gathering'",
        series);
    return {};
  });
}

Result<void> Outbox::name_cause(CustomerId customer, CredentialId credential, std::string_view cause) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run(
        "UPDATE notification SET cause = ?3 WHERE cause = '' AND message_id IN "
        "(SELECT id FROM message WHERE state = 'gathering' AND event = 'series.failed' AND customer_id = ?1) "
        "AND device_id IN (SELECT id FROM device WHERE credential_id = ?2) "
        "AND (SELECT failure_class FROM attempt a WHERE a.series_id = notification.series_id ORDER BY number "
        "DESC LIMIT 1) "
        "= 'auth'",
        customer, credential, cause);
    return {};
  });
}

Result<bool> Outbox::add(alerting::Event event, DestinationId to, std::optional<CustomerId> customer,
                         std::string_view occasion, const Content& content, UtcTime now) {
  return writing(db_, [&](Connection& c) -> Result<bool> {
    auto there = has(event, to, occasion);
    if (!there) return std::move(there).error();
    if (*there) return false;
    write_content(c, open_message(c, event, to, customer, occasion, "waiting", now, now), content);
    return true;
  });
}

Result<bool> Outbox::has(alerting::Event event, DestinationId to, std::string_view occasion) {
  return reading(db_, [&](Connection& c) -> Result<bool> {
    Statement row(c, "SELECT 1 FROM message WHERE destination_id = ?1 AND event = ?2 AND occasion = ?3", to,
                  alerting::to_text(event), occasion);
    return row.step();
  });
}

Result<std::vector<Notification>> Outbox::notifications(MessageId id) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Notification>> {
    std::vector<Notification> all;
    Statement row(c,
                  "SELECT destination_id, device_id, series_id, attempts, day, cause FROM notification "
                  "WHERE message_id = ?1 ORDER BY id",
                  id);
    while (row.step()) {
      Columns columns(row);
      Notification& told = all.emplace_back();
      told.destination = columns.next<DestinationId>();
      told.device = columns.next<DeviceId>();
      told.series = columns.next<SeriesId>();
      told.attempts = columns.next<int>();
      told.day = alerting::Day{std::chrono::days{columns.next<std::int64_t>()}};
      told.cause = columns.next<std::string>();
    }
    return all;
  });
}

Result<std::string> Outbox::told_before(MessageId id) {
  return reading(db_, [&](Connection& c) -> Result<std::string> {
    Statement row(c,
                  "SELECT m.event_id FROM notification n "
                  "JOIN notification f ON f.device_id = n.device_id AND f.event = 'series.failed' "
                  "AND f.destination_id = n.destination_id JOIN message m ON m.id = f.message_id "
                  "WHERE n.message_id = ?1 AND f.id < n.id ORDER BY f.id DESC LIMIT 1",
                  id);
    return row.step() ? Columns(row).next<std::string>() : std::string{};
  });
}

Result<void> Outbox::fix(MessageId id, const Content& content, UtcTime now) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (c.run("UPDATE message SET state = 'waiting', due_ms = ?2 WHERE id = ?1 AND state = 'gathering'", id,
              now) == 0)
      return {};  // another process was faster
    write_content(c, id, content);
    return {};
  });
}

Result<void> Outbox::drop(MessageId id) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run("DELETE FROM message WHERE id = ?1 AND state = 'gathering'", id);
    return {};
  });
}

}  // namespace nightjar::store
