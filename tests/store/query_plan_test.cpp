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

// Also all rows from an id on, whosever they are.
bool is_walk(const std::string& line) {
  return line.starts_with("SCAN") || line.find("INTEGER PRIMARY KEY (rowid>?)") != std::string::npos;
}

// Walks that are what was asked for: the customers and credentials that a listing shows; ids given by the
// caller; all series or runs by time, newest first, up to a limit; the rules of all devices; all schedules in
// use; the runs that are being opened; a count of all open series; the breakers that have counted something.
bool is_meant(const std::string& sql, const std::string& line) {
  for (const char* small : {"SCAN customer", "SCAN c ", "SCAN k", "SCAN j ", "SCAN json_each",
                            "SCAN CONSTANT ROW", "SCAN w", "SCAN sqlite_master"})
    if ((line + " ").starts_with(small)) return true;
  if (sql == "SELECT id, customer_id FROM device ORDER BY id") return true;
  if (line == "SCAN b") return sql.find("JOIN credential_breaker b") != std::string::npos;
  if (line == "SCAN schedule_handled" || line == "SCAN r USING INDEX run_unfinished") return true;
  if (line == "SCAN r USING INDEX run_by_time") return sql.ends_with("LIMIT ?1");
  if (line == "SCAN series USING INDEX series_open") return sql.ends_with("GROUP BY state");
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
  ASSERT_TRUE(settings_.all<schedule::ScheduleFields>());
  ASSERT_TRUE(inventory_.customer("acme"));
  ASSERT_TRUE(inventory_.customers());
  ASSERT_TRUE(inventory_.update_customer({customer_, "acme", "UTC"}));
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
  ASSERT_TRUE(book_.count_open_by_state(at(3)));
  ASSERT_TRUE(book_.count_due(customer_, at(3)));
  const ScheduleKey nightly{"0 2 * * *", "UTC"};
  const RunId run_id = runs_.add(customer_, at(4), RunKind::on_time, nightly, at(4)).value();
  const store::Run run = runs_.unfinished().value().at(0);
  ASSERT_TRUE(runs_.schedules(run_id));
  ASSERT_TRUE(runs_.candidates(run, {}, 10));
  ASSERT_TRUE(runs_.open_series(run, run.kind, {device_}, at(4)));
  ASSERT_TRUE(runs_.set_opened_to(run_id, device_));
  ASSERT_TRUE(runs_.list(std::nullopt, 10));
  ASSERT_TRUE(runs_.list(customer_, 10));
  ASSERT_TRUE(runs_.set_handled({customer_, nightly, at(4)}));
  ASSERT_TRUE(runs_.handled());
  ASSERT_TRUE(runs_.forget_handled(customer_, nightly));
  admission::CredentialBreaker rejected;
  rejected.in_a_row = {{device_, at(4)}};
  rejected.tripped_at = at(4);
  ASSERT_TRUE(breakers_.put(credential.id, rejected));
  ASSERT_EQ(breakers_.tripped().value().size(), 1u);
  ASSERT_TRUE(breakers_.reset(credential.id));
  ASSERT_TRUE(breakers_.put(customer_, CustomerBreakerRow{}));
  ASSERT_TRUE(breakers_.of(customer_));
  ASSERT_TRUE(breakers_.open_breakers());
  ASSERT_TRUE(breakers_.reset(customer_));
  ASSERT_TRUE(breakers_.put(Daemon{"me", 1, at(0), at(4), "", 0}));
  ASSERT_TRUE(breakers_.daemon());
  const CustomerId other = inventory_.add_customer({{}, "globex", ""}).value();
  device.credential.reset();
  device.customer = other;
  ASSERT_TRUE(inventory_.update_device(device));
  ASSERT_TRUE(inventory_.forget_host_key(device_));
  ASSERT_TRUE(inventory_.remove_device(device_));
  ASSERT_TRUE(inventory_.remove_credential(credential.id));
  ASSERT_TRUE(inventory_.remove_customer(customer_));

  int asked = 0;
  for (const std::string& sql : prepared(db_)) {
    if (!is_query(sql)) continue;
    ++asked;
    for (const std::string& line : plan_of(db_, sql))
      EXPECT_TRUE(!is_walk(line) || is_meant(sql, line)) << line << "\n  in " << sql;
  }
  EXPECT_GT(asked, 100);
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

TEST_F(QueryPlanTest, AttemptsToCancelAreReadFromAnIndexOfNothingElse) {
  ASSERT_TRUE(book_.to_cancel("me"));
  EXPECT_TRUE(plan_has(db_, "cancel_requested = 1", "SEARCH series USING INDEX series_to_cancel (owner=?)"));
}

TEST_F(QueryPlanTest, RunsAreListedWithoutSorting) {
  ASSERT_TRUE(runs_.list(std::nullopt, 10));
  ASSERT_TRUE(runs_.list(customer_, 10));
  EXPECT_FALSE(plan_has(db_, "ORDER BY r.scheduled_for_ms DESC, r.id DESC", "TEMP B-TREE"));
  EXPECT_FALSE(plan_has(db_, "WHERE r.customer_id = ?2", "TEMP B-TREE"));
}

TEST_F(QueryPlanTest, APageOfAllDevicesSortsNothing) {
  Selector all;
  all.all = true;
  ASSERT_TRUE(inventory_.devices(all, 10));
  EXPECT_FALSE(plan_has(db_, "OFFSET ?5", "TEMP B-TREE"));
}

}  // namespace
}  // namespace nightjar::store
