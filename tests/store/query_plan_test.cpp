// Every statement that the store prepares is asked for its plan: none may walk through a table that grows
// with the fleet.
#include "store_fixture.hpp"

#include <algorithm>

namespace nightjar::store {
namespace {

using QueryPlanTest = StoreTest;

std::vector<std::string> plan_of(Database& db, const std::string& sql) {
  std::vector<std::string> lines;
  Statement row(db.connection(), "EXPLAIN QUERY PLAN " + sql);
  while (row.step()) {
    Columns columns(row);
    for (int i = 0; i < 3; ++i) columns.next<int>();
    lines.push_back(columns.next<std::string>());
  }
  return lines;
}

std::vector<std::string> prepared(Database& db) {
  std::vector<std::string> statements;
  for (sqlite3_stmt* s = nullptr; (s = sqlite3_next_stmt(db.connection().handle(), s)) != nullptr;)
    statements.emplace_back(sqlite3_sql(s));
  return statements;
}

bool is_query(const std::string& sql) {
  return std::ranges::any_of(std::vector<std::string>{"SELECT", "UPDATE", "DELETE", "INSERT"},
                             [&](const std::string& verb) { return sql.starts_with(verb); });
}

// Walks that are what was asked for: the customers and credentials that a listing shows; ids given by the
// caller; all series by time, newest first, up to a limit; the rules of all devices.
bool is_meant(const std::string& sql, const std::string& line) {
  for (const char* small : {"SCAN customer", "SCAN c ", "SCAN k", "SCAN j ", "SCAN json_each",
                            "SCAN CONSTANT ROW", "SCAN w", "SCAN sqlite_master"})
    if ((line + " ").starts_with(small)) return true;
  if (sql == "SELECT id, customer_id FROM device ORDER BY id") return true;
  if (sql.find("FROM setting WHERE customer_id IS NOT NULL") != std::string::npos) return true;
  if (sql.find("FROM setting WHERE device_id IS NOT NULL") != std::string::npos)
    return line.find("USING INDEX") != std::string::npos;
  const bool by_time = line.starts_with("SCAN s USING INDEX series_by_time") ||
                       line.starts_with("SCAN s USING INDEX series_failed") ||
                       line.starts_with("SCAN s USING INDEX series_open");
  return by_time && sql.ends_with("ORDER BY s.scheduled_for_ms DESC, s.id DESC LIMIT ?3");
}

TEST_F(QueryPlanTest, NoOperationWalksThroughATableThatGrowsWithTheFleet) {
  // Every operation once, so that every statement is prepared.
  rules::RetryLayer layer;
  layer.attempts = 5;
  for (const Scope& scope :
       {Scope{}, Scope{rules::Level::customer, customer_, {}}, Scope{rules::Level::device, {}, device_}}) {
    ASSERT_TRUE(inventory_.set_retry_layer(scope, layer));
    ASSERT_TRUE(inventory_.retry_rule(scope));
  }
  ASSERT_TRUE(inventory_.all_retry_rules());
  Credential credential;
  credential.customer = customer_;
  credential.name = "ssh";
  credential.id = inventory_.add_credential(credential).value();
  ASSERT_TRUE(inventory_.update_credential(credential));
  ASSERT_TRUE(inventory_.credential("acme/ssh"));
  ASSERT_FALSE(inventory_.credential("ssh"));
  ASSERT_TRUE(inventory_.credentials());
  Device device = inventory_.device("acme", "sw-1").value();
  device.tags = {"core"};
  device.credential = credential.id;
  ASSERT_TRUE(inventory_.update_device(device));
  ASSERT_FALSE(inventory_.remove_credential(credential.id));
  Selector all, customers, devices, tags, customers_tags, devices_tags;
  all.all = true;
  customers.customers = customers_tags.customers = {"acme"};
  devices.devices = devices_tags.devices = {{"acme", "sw-1"}};
  tags.tags = customers_tags.tags = devices_tags.tags = {"core"};
  for (const Selector& selector : {all, customers, devices, tags, customers_tags, devices_tags}) {
    ASSERT_EQ(inventory_.devices(selector, 10).value().size(), 1u);
    ASSERT_TRUE(inventory_.select(selector, true));
  }
  ASSERT_TRUE(inventory_.pin_host_key({device_, "ssh-rsa", "SHA256:one", at(0), true}));
  ASSERT_TRUE(inventory_.host_key(device_));
  const BackupRow backup = back_up(device_, backup_of("a\n"), at(0));
  back_up(device_, backup_of("a\n"), at(1));
  const SeriesId id = open_series(device_, at(2));
  open_series(device_, at(2));
  ASSERT_TRUE(book_.customers_waiting("me"));
  ASSERT_TRUE(book_.waiting("me", {customer_, false}, at(3), 10));
  ASSERT_TRUE(book_.next_due("me", {customer_, false}, at(3)));
  ASSERT_TRUE(book_.to_cancel("me"));
  ASSERT_TRUE(book_.count_open("me"));
  ASSERT_TRUE(book_.owners());
  ASSERT_TRUE(book_.held_by("me"));
  ASSERT_TRUE(book_.release("me"));
  ASSERT_TRUE(book_.adopt({device_}, "me", far_lease));
  ASSERT_TRUE(book_.detail(id));
  ASSERT_TRUE(book_.evidence(AttemptId{1}));
  for (int bits = 0; bits < 16; ++bits) {
    SeriesQuery query;
    if (bits & 1) query.devices = {device_};
    query.open_only = bits & 2;
    query.failed_only = bits & 4;
    if (bits & 8) query.since = at(0);
    ASSERT_TRUE(book_.list(query));
  }
  ASSERT_TRUE(revisions_.history(device_));
  ASSERT_TRUE(revisions_.newest(device_));
  ASSERT_TRUE(revisions_.find(device_, backup.revision));
  ASSERT_TRUE(revisions_.text(backup.revision));
  ASSERT_TRUE(inventory_.forget_host_key(device_));
  ASSERT_TRUE(inventory_.remove_device(device_));
  ASSERT_TRUE(inventory_.remove_credential(credential.id));

  int asked = 0;
  for (const std::string& sql : prepared(db_)) {
    if (!is_query(sql)) continue;
    ++asked;
    for (const std::string& line : plan_of(db_, sql))
      EXPECT_TRUE(!line.starts_with("SCAN") || is_meant(sql, line)) << line << "\n  in " << sql;
  }
  EXPECT_GT(asked, 60);
}

bool plan_has(Database& db, std::string_view part_of_sql, std::string_view wanted) {
  for (const std::string& sql : prepared(db)) {
    if (!is_query(sql) || sql.find(part_of_sql) == std::string::npos) continue;
    const auto plan = plan_of(db, sql);
    return std::ranges::any_of(
        plan, [&](const std::string& line) { return line.find(wanted) != std::string::npos; });
  }
  return false;
}

TEST_F(QueryPlanTest, WhatWaitsIsReadInOrderFromTheIndexOfItsLine) {
  ASSERT_TRUE(book_.customers_waiting("me"));
  ASSERT_TRUE(book_.waiting("me", {customer_, false}, at(0), 10));
  ASSERT_TRUE(book_.next_due("me", {customer_, false}, at(0)));
  const std::string line_of_queue = "series_due (owner=? AND customer_id=? AND <expr>=? AND due_ms>?";
  EXPECT_TRUE(plan_has(db_, "s.due_ms <= ?4", "SEARCH s USING INDEX " + line_of_queue + " AND due_ms<?)"));
  EXPECT_FALSE(plan_has(db_, "s.due_ms <= ?4", "TEMP B-TREE"));
  EXPECT_TRUE(plan_has(db_, "SELECT due_ms", "SEARCH series USING INDEX " + line_of_queue + ")"));
  EXPECT_TRUE(plan_has(db_, "SELECT customer_id FROM series",
                       "SEARCH series USING COVERING INDEX series_due (owner=? AND customer_id>?)"));
}

TEST_F(QueryPlanTest, APageOfAllDevicesSortsNothing) {
  Selector all;
  all.all = true;
  ASSERT_TRUE(inventory_.devices(all, 10));
  EXPECT_FALSE(plan_has(db_, "OFFSET ?5", "TEMP B-TREE"));
}

}  // namespace
}  // namespace nightjar::store
