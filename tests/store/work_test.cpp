// What an operation costs is counted in steps of SQLite's virtual machine, with all that foreign keys do; it
// must not grow with what waits beside it, or with the history.
#include "store_fixture.hpp"

#include <fmt/format.h>

namespace nightjar::store {
namespace {

class WorkTest : public StoreTest {
 protected:
  // `each` devices of each of 20 more customers, of which one series succeeded and one waits, the daemon's;
  // and one more that waits for its second attempt.
  void fill(int each) {
    db_.connection().execute(
        fmt::format(
            "PRAGMA foreign_keys = OFF;"
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) "
            "INSERT INTO customer (name) SELECT 'customer-' || i FROM n;"
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {0}) "
            "INSERT INTO device (customer_id, name, address, port, driver, enabled) "
            "SELECT c.id, 'sw-' || i, '192.0.2.1', 22, 'ios', 1 FROM n, customer c WHERE c.name <> 'acme' "
            "ORDER BY c.id, i;"
            "INSERT INTO series (device_id, customer_id, cause, state, scheduled_for_ms, window_start_ms, "
            "due_ms, "
            "attempts, counted, interruptions, previous_wait_ms, overtaken, cancel_requested, ended_ms) "
            "SELECT d.id, d.customer_id, 'manual', s.column1, {1}, {1}, s.column2, s.column3, 0, 0, 0, 0, 0, "
            "s.column4 FROM device d, (VALUES ('succeeded', NULL, 1, {1}), ('pending', {1}, 0, NULL), "
            "('retry_wait', {1}, 1, NULL)) s WHERE d.customer_id > 1;"
            "PRAGMA foreign_keys = ON; ANALYZE",
            each, at(0).time_since_epoch().count())
            .c_str());
    reopen();  // a connection reads what ANALYZE found when it opens
  }

  // The steps of all statements of `operation`, once they have been prepared.
  template <class Operation>
  std::int64_t steps_of(Operation operation) {
    sqlite3* const handle = db_.connection().handle();
    const auto total = [&] {
      std::int64_t steps = 0;
      for (sqlite3_stmt* s = nullptr; (s = sqlite3_next_stmt(handle, s)) != nullptr;)
        steps += sqlite3_stmt_status(s, SQLITE_STMTSTATUS_VM_STEP, 0);
      return steps;
    };
    const auto before = total();
    operation();
    return total() - before;
  }

  // What dealing one slot costs, and what the rounds beside it do.
  std::vector<std::pair<std::string, std::int64_t>> costs() {
    const Customer theirs = inventory_.customer("customer-7").value();
    const DeviceId device = inventory_.device("customer-7", "sw-3").value().id;
    store::Run run;
    std::vector<std::pair<std::string, std::int64_t>> costs;
    const auto count = [&](const char* what, auto operation) {
      costs.emplace_back(what, steps_of(operation));
    };
    count("customers_waiting", [&] { ASSERT_EQ(book_.customers_waiting("").value().size(), 20u); });
    std::vector<Waiting> firsts;
    count("waiting", [&] { firsts = book_.waiting("", {theirs.id, false}, at(0), 5).value(); });
    count("waiting for a retry", [&] {
      ASSERT_EQ(book_.waiting("", {theirs.id, true}, at(0), 5).value().size(), 5u);
    });
    count("next_due", [&] { ASSERT_TRUE(book_.next_due("", {theirs.id, false}, at(-1)).value()); });
    Begun begun;
    count("begin_attempt", [&] { begun = begin(firsts.at(0).id, at(1)); });
    count("to_cancel", [&] { ASSERT_TRUE(book_.to_cancel("me")); });
    count("owners", [&] { ASSERT_EQ(book_.owners().value().size(), 1u); });
    count("end_attempt", [&] {
      AttemptEnd end = success_of(begun.series, begun.attempt, begun.machine, backup_of("a\n"), at(2));
      ASSERT_TRUE(book_.end_attempt(end));
    });
    count("add a run", [&] {
      ASSERT_TRUE(runs_.add(theirs.id, at(60), RunKind::on_time, {"* * * * *", "UTC"}, at(60)));
      run = runs_.unfinished().value().at(0);
    });
    count("candidates", [&] { ASSERT_EQ(runs_.candidates(run, {}, 5).value().size(), 5u); });
    count("open_series", [&] { ASSERT_TRUE(runs_.open_series(run, run.kind, {device}, at(60))); });
    count("list runs", [&] { ASSERT_EQ(runs_.list(std::nullopt, 10).value().at(0).series, 1u); });
    count("remove a device", [&] { ASSERT_TRUE(inventory_.remove_device(device)); });
    count("remove a customer", [&] { ASSERT_TRUE(inventory_.remove_customer(customer_)); });
    return costs;
  }
};

TEST_F(WorkTest, NoStepOfTheDaemonGrowsWithTheQueue) {
  fill(10);
  const auto few = costs();
  StoreTest::close();
  std::filesystem::remove(file());
  reopen();
  customer_ = inventory_.add_customer({{}, "acme", ""}).value();
  device_ = add_device("sw-1");
  fill(400);
  const auto many = costs();
  ASSERT_EQ(few.size(), many.size());
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_GT(few[i].second, 0) << few[i].first;
    EXPECT_LE(many[i].second, few[i].second + few[i].second / 4 + 20) << few[i].first;
  }
}

}  // namespace
}  // namespace nightjar::store
