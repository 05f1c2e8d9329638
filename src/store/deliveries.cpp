// The outbox from a complete message to its end.
#include "store/connection.hpp"

#include <nightjar/store/outbox.hpp>

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

std::optional<MessageState> parse_state(std::string_view text) {
  for (const auto state :
       {MessageState::gathering, MessageState::waiting, MessageState::delivered, MessageState::dead})
    if (to_text(state) == text) return state;
  return std::nullopt;
}

// `rest` goes on with WHERE over message `m`, its destination `t` and its customer `c`.
std::string select(std::string_view rest) {
  return fmt::format(
      "SELECT m.id, m.event_id, m.destination_id, t.address, m.customer_id, c.name, m.event, m.state, "
      "m.opened_ms, "
      "m.closes_ms, m.due_ms, m.tries, m.first_try_ms, m.ended_ms, m.status, m.detail, "
      "(SELECT count(*) FROM notification n WHERE n.message_id = m.id) FROM message m "
      "JOIN destination t ON t.id = m.destination_id LEFT JOIN customer c ON c.id = m.customer_id {}",
      rest);
}

Message read(const Statement& row) {
  Columns columns(row);
  Message out;
  out.id = columns.next<MessageId>();
  out.event_id = columns.next<std::string>();
  out.destination = columns.next<DestinationId>();
  out.destination_address = columns.next<std::string>();
  out.customer = columns.next<std::optional<CustomerId>>();
  out.customer_name = columns.next<std::string>();
  out.event = columns.next_named(alerting::parse_event);
  out.state = columns.next_named(parse_state);
  out.opened_at = columns.next<UtcTime>();
  out.closes_at = columns.next<UtcTime>();
  out.due = columns.next<std::optional<UtcTime>>();
  out.tries = columns.next<int>();
  out.first_try = columns.next<std::optional<UtcTime>>();
  out.ended_at = columns.next<std::optional<UtcTime>>();
  out.status = columns.next<int>();
  out.detail = columns.next<std::string>();
  out.series = columns.next<std::size_t>();
  return out;
}

std::vector<Message> read_all(Statement& row) {
  std::vector<Message> all;
  while (row.step()) all.push_back(read(row));
  return all;
}

Failure unknown(MessageId id) {
  return setup_failure(fmt::format("delivery {} does not exist", id.value));
}

Result<void> end(Database& db, MessageId id, MessageState state, int status, std::string_view detail,
                 UtcTime now) {
  return writing(db, [&](Connection& c) -> Result<void> {
    c.run(
        "UPDATE message SET state = ?2, due_ms = NULL, taken_by = NULL, ended_ms = ?3, status = ?4, detail = "
        "?5 "
        "WHERE id = ?1 AND state = 'waiting'",
        id, to_text(state), now, status, detail);
    return {};
  });
}

}  // namespace

Result<std::vector<Message>> Outbox::complete(UtcTime now, std::size_t most) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Message>> {
    static const std::string sql =
        select("WHERE m.state = 'gathering' AND m.closes_ms <= ?1 ORDER BY m.closes_ms LIMIT ?2");
    Statement row(c, sql, now, most);
    return read_all(row);
  });
}

// One of each destination: a long queue behind a dead server hides nobody else's message.
Result<std::vector<Message>> Outbox::due(UtcTime now, std::size_t most) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Message>> {
    static const std::string sql = select(
        "WHERE m.state = 'waiting' AND m.due_ms <= ?1 AND m.id = ("
        "SELECT h.id FROM message h WHERE h.state = 'waiting' AND h.destination_id = m.destination_id AND "
        "h.due_ms <= ?1 "
        "AND NOT (h.event = 'series.recovered' AND EXISTS ("
        "SELECT 1 FROM message f WHERE f.destination_id = h.destination_id AND f.event = 'series.failed' "
        "AND f.state IN ('gathering', 'waiting') AND EXISTS ("
        "SELECT 1 FROM notification n JOIN notification r ON r.device_id = n.device_id AND r.id > n.id "
        "WHERE n.message_id = f.id AND r.message_id = h.id))) "
        "ORDER BY h.due_ms LIMIT 1) ORDER BY m.due_ms LIMIT ?2");
    Statement row(c, sql, now, most);
    return read_all(row);
  });
}

Result<std::optional<UtcTime>> Outbox::next_at() {
  return reading(db_, [](Connection& c) -> Result<std::optional<UtcTime>> {
    Statement row(c,
                  "SELECT min(at) FROM (SELECT min(closes_ms) AS at FROM message WHERE state = 'gathering' "
                  "UNION ALL SELECT min(due_ms) FROM message WHERE state = 'waiting')");
    if (!row.step()) return std::optional<UtcTime>{};
    return Columns(row).next<std::optional<UtcTime>>();
  });
}

Result<bool> Outbox::begin_try(MessageId id, std::string_view owner, UtcTime now, UtcTime next) {
  return writing(db_, [&](Connection& c) -> Result<bool> {
    return c.run(
               "UPDATE message SET tries = tries + 1, first_try_ms = coalesce(first_try_ms, ?3), due_ms = "
               "?4, taken_by = ?2 "
               "WHERE id = ?1 AND state = 'waiting' AND due_ms <= ?3",
               id, owner, now, next) > 0;
  });
}

Result<std::vector<std::string>> Outbox::takers() {
  return reading(db_, [](Connection& c) -> Result<std::vector<std::string>> {
    std::vector<std::string> all;
    Statement row(c, "SELECT DISTINCT taken_by FROM message WHERE taken_by IS NOT NULL");
    while (row.step()) all.push_back(Columns(row).next<std::string>());
    return all;
  });
}

Result<void> Outbox::release(std::string_view owner, UtcTime now) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run("UPDATE message SET due_ms = ?2, taken_by = NULL WHERE taken_by = ?1", owner, now);
    return {};
  });
}

Result<void> Outbox::delivered(MessageId id, int status, std::string_view detail, UtcTime now) {
  return end(db_, id, MessageState::delivered, status, detail, now);
}

Result<void> Outbox::put_off(MessageId id, int status, std::string_view detail, UtcTime next) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run(
        "UPDATE message SET due_ms = ?2, taken_by = NULL, status = ?3, detail = ?4 WHERE id = ?1 AND state = "
        "'waiting'",
        id, next, status, detail);
    return {};
  });
}

Result<void> Outbox::dead(MessageId id, int status, std::string_view detail, UtcTime now) {
  return end(db_, id, MessageState::dead, status, detail, now);
}

Result<Message> Outbox::find(MessageId id) {
  return reading(db_, [&](Connection& c) -> Result<Message> {
    static const std::string sql = select("WHERE m.id = ?1");
    Statement row(c, sql, id);
    if (!row.step()) return unknown(id);
    return read(row);
  });
}

Result<Content> Outbox::content(MessageId id) {
  return reading(db_, [&](Connection& c) -> Result<Content> {
    Statement row(
        c, "SELECT subject, text, html, body, in_reply_to FROM message_content WHERE message_id = ?1", id);
    Content content;
    if (!row.step()) return content;
    Columns columns(row);
    content.subject = columns.next<std::string>();
    content.text = columns.next<std::string>();
    content.html = columns.next<std::string>();
    content.body = columns.next<std::string>();
    content.in_reply_to = columns.next<std::string>();
    return content;
  });
}

Result<std::vector<Message>> Outbox::list(const Query& query) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Message>> {
    static const std::string of_customer = select(
        "WHERE m.customer_id = ?1 AND (NOT ?2 OR m.state IN ('waiting', 'dead')) ORDER BY m.id DESC LIMIT "
        "?3");
    static const std::string of_all =
        select("WHERE (NOT ?1 OR m.state IN ('waiting', 'dead')) ORDER BY m.id DESC LIMIT ?2");
    if (query.customer) {
      Statement row(c, of_customer, *query.customer, query.undelivered, query.limit);
      return read_all(row);
    }
    Statement row(c, of_all, query.undelivered, query.limit);
    return read_all(row);
  });
}

Result<void> Outbox::replay(MessageId id, UtcTime now) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (c.run("UPDATE message SET state = 'waiting', due_ms = ?2, tries = 0, first_try_ms = NULL, ended_ms = "
              "NULL "
              "WHERE id = ?1 AND state = 'dead'",
              id, now) > 0)
      return {};
    Statement there(c, "SELECT state FROM message WHERE id = ?1", id);
    if (!there.step()) return unknown(id);
    return setup_failure(fmt::format("delivery {} is {}: only a dead one is replayed", id.value,
                                     Columns(there).next<std::string>()));
  });
}

}  // namespace nightjar::store
