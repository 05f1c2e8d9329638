#include "store/connection.hpp"

#include <nightjar/store/destinations.hpp>

#include <fmt/format.h>

namespace nightjar::store {
namespace {

using Connection = Database::Connection;

std::optional<DestinationKind> parse_kind(std::string_view text) {
  for (const auto kind : {DestinationKind::email, DestinationKind::webhook})
    if (to_text(kind) == text) return kind;
  return std::nullopt;
}

std::optional<alerting::Events> read_events(std::string_view text) {
  const auto events = alerting::Events::parse(text);
  return events ? std::optional{*events} : std::nullopt;
}

// `rest` goes on with WHERE over destination `t` and its customer `c`.
std::string select(std::string_view rest) {
  return fmt::format(
      "SELECT t.id, t.customer_id, c.name, t.kind, t.address, t.preset, t.events, t.allow_link_local, "
      "t.sealed_secret, "
      "t.sealed_previous_secret, t.created_ms, t.disabled_ms, t.disabled_because FROM destination t "
      "LEFT JOIN customer c ON c.id = t.customer_id {}",
      rest);
}

Destination read(const Statement& row) {
  Columns columns(row);
  Destination out;
  out.id = columns.next<DestinationId>();
  out.customer = columns.next<std::optional<CustomerId>>();
  out.customer_name = columns.next<std::string>();
  out.kind = columns.next_named(parse_kind);
  out.address = columns.next<std::string>();
  out.preset = columns.next_named(parse_preset);
  out.events = columns.next_named(read_events);
  out.allow_link_local = columns.next<bool>();
  out.sealed_secret = columns.next<std::string>();
  out.sealed_previous_secret = columns.next<std::string>();
  out.created_at = columns.next<UtcTime>();
  out.disabled_at = columns.next<std::optional<UtcTime>>();
  out.disabled_because = columns.next<std::string>();
  return out;
}

std::vector<Destination> read_all(Statement& row) {
  std::vector<Destination> all;
  while (row.step()) all.push_back(read(row));
  return all;
}

std::optional<Blob> blob_or_null(const std::string& bytes) {
  return bytes.empty() ? std::nullopt : std::optional{Blob{bytes}};
}

Failure unknown(DestinationId id) {
  return setup_failure(fmt::format("destination {} does not exist", id.value));
}

}  // namespace

std::string_view to_text(DestinationKind kind) {
  return kind == DestinationKind::email ? "email" : "webhook";
}

std::string_view to_text(Preset preset) {
  switch (preset) {
    case Preset::generic:
      return "generic";
    case Preset::slack:
      return "slack";
    case Preset::teams:
      return "teams";
  }
  return "generic";
}

std::optional<Preset> parse_preset(std::string_view text) {
  for (const auto preset : {Preset::generic, Preset::slack, Preset::teams})
    if (to_text(preset) == text) return preset;
  return std::nullopt;
}

std::string destination_record(DestinationId id, std::string_view part) {
  return fmt::format("destination/{}/{}", id.value, part);
}

Result<DestinationId> Destinations::add(const Destination& destination) {
  return writing(db_, [&](Connection& c) -> Result<DestinationId> {
    c.run(
        "INSERT INTO destination (customer_id, kind, address, preset, events, allow_link_local, created_ms) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        destination.customer, to_text(destination.kind), destination.address, to_text(destination.preset),
        destination.events.text(), destination.allow_link_local, destination.created_at);
    return DestinationId{c.last_insert_id()};
  });
}

Result<void> Destinations::update(const Destination& destination) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    const auto because = destination.disabled_at ? std::optional{destination.disabled_because} : std::nullopt;
    if (c.run("UPDATE destination SET address = ?2, preset = ?3, events = ?4, allow_link_local = ?5, "
              "sealed_secret = ?6, "
              "sealed_previous_secret = ?7, disabled_ms = ?8, disabled_because = ?9 WHERE id = ?1",
              destination.id, destination.address, to_text(destination.preset), destination.events.text(),
              destination.allow_link_local, blob_or_null(destination.sealed_secret),
              blob_or_null(destination.sealed_previous_secret), destination.disabled_at, because) == 0)
      return unknown(destination.id);
    return {};
  });
}

Result<void> Destinations::remove(DestinationId id) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (c.run("DELETE FROM destination WHERE id = ?1", id) == 0) return unknown(id);
    return {};
  });
}

Result<Destination> Destinations::find(DestinationId id) {
  return reading(db_, [&](Connection& c) -> Result<Destination> {
    static const std::string sql = select("WHERE t.id = ?1");
    Statement row(c, sql, id);
    if (!row.step()) return unknown(id);
    return read(row);
  });
}

Result<std::vector<Destination>> Destinations::list(std::optional<CustomerId> customer) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Destination>> {
    static const std::string sql = select("WHERE t.customer_id IS ?1 ORDER BY t.id");
    Statement row(c, sql, customer);
    return read_all(row);
  });
}

Result<std::vector<Destination>> Destinations::all() {
  return reading(db_, [](Connection& c) -> Result<std::vector<Destination>> {
    static const std::string sql = select("ORDER BY c.name, t.id");
    Statement row(c, sql);
    return read_all(row);
  });
}

Result<std::vector<Destination>> Destinations::hearing_of(CustomerId customer) {
  return reading(db_, [&](Connection& c) -> Result<std::vector<Destination>> {
    std::vector<Destination> all;
    Statement row(c,
                  "SELECT id, customer_id, events FROM destination "
                  "WHERE (customer_id = ?1 OR customer_id IS NULL) AND disabled_ms IS NULL ORDER BY id",
                  customer);
    while (row.step()) {
      Columns columns(row);
      Destination& destination = all.emplace_back();
      destination.id = columns.next<DestinationId>();
      destination.customer = columns.next<std::optional<CustomerId>>();
      destination.events = columns.next_named(read_events);
    }
    return all;
  });
}

Result<void> Destinations::disable(DestinationId id, std::string_view because, UtcTime now) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    c.run(
        "UPDATE destination SET disabled_ms = ?2, disabled_because = ?3 WHERE id = ?1 AND disabled_ms IS "
        "NULL",
        id, now, because);
    c.run(
        "UPDATE message SET state = 'dead', due_ms = NULL, taken_by = NULL, ended_ms = ?2, detail = ?3 "
        "WHERE destination_id = ?1 AND state = 'waiting'",
        id, now, because);
    return {};
  });
}

Result<std::optional<MailServerRow>> Destinations::mail_server() {
  return reading(db_, [](Connection& c) -> Result<std::optional<MailServerRow>> {
    Statement row(c,
                  "SELECT host, port, security, sender, username, sealed_password, ca_file FROM mail_server "
                  "WHERE id = 1");
    std::optional<MailServerRow> out;
    if (!row.step()) return out;
    Columns columns(row);
    MailServerRow& server = out.emplace();
    server.host = columns.next<std::string>();
    server.port = columns.next<std::uint16_t>();
    server.security = columns.next<std::string>();
    server.sender = columns.next<std::string>();
    server.username = columns.next<std::string>();
    server.sealed_password = columns.next<std::string>();
    server.ca_file = columns.next<std::string>();
    return out;
  });
}

Result<void> Destinations::set_mail_server(const std::optional<MailServerRow>& server) {
  return writing(db_, [&](Connection& c) -> Result<void> {
    if (!server) {
      c.run("DELETE FROM mail_server");
      return {};
    }
    c.run(
        "INSERT OR REPLACE INTO mail_server (id, host, port, security, sender, username, sealed_password, "
        "ca_file) "
        "VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        server->host, server->port, server->security, server->sender, server->username,
        blob_or_null(server->sealed_password), server->ca_file);
    return {};
  });
}

}  // namespace nightjar::store
