#include "child_process.hpp"
#include "store_fixture.hpp"

#include <nightjar/runtime/spawn.hpp>
#include <nightjar/store/worker.hpp>

#include <sys/resource.h>
#include <thread>

namespace nightjar::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorkerTest : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_ / "nightjar.db"; }

  std::vector<std::string> customer_names() {
    Database db = open_database(file());
    std::vector<std::string> names;
    for (const Customer& customer : Inventory(db).customers().value()) names.push_back(customer.name);
    return names;
  }

  TemporaryFolder folder_;
  asio::io_context context_;
};

// What a task saw of its job.
struct Seen {
  std::optional<Result<CustomerId>> result;
  std::string thrown;
  bool commit_failed = false;
  FailureClass failure_class = FailureClass::internal;
};

// `first` runs in the job before it adds the customer.
Task<void> add_customer(Worker& worker, std::string name, std::function<void(Database&)> first, Seen& seen) {
  std::function<Result<CustomerId>(Database&)> job = [name, first](Database& db) {
    auto added = Inventory(db).add_customer({{}, name, "UTC"});
    if (first) first(db);
    return added;
  };
  try {
    seen.result = co_await worker.run<Result<CustomerId>>(std::move(job));
  } catch (const CommitFailed& e) {
    seen.commit_failed = true;
    seen.failure_class = e.failure().failure_class;
    seen.thrown = e.what();
  } catch (const std::exception& e) {
    seen.thrown = e.what();
  }
}

TEST_F(WorkerTest, ATaskIsResumedOnItsOwnThreadWithTheResult) {
  Worker worker(open_database(file()));
  std::thread::id job_thread, task_thread;
  auto task = [](Worker& w, std::thread::id& in_job, std::thread::id& after) -> Task<void> {
    std::function<int(Database&)> job = [&in_job](Database&) {
      in_job = std::this_thread::get_id();
      return 42;
    };
    EXPECT_EQ(co_await w.run<int>(std::move(job)), 42);
    after = std::this_thread::get_id();
  };
  runtime::spawn_logged(context_.get_executor(), "test", task(worker, job_thread, task_thread));
  context_.run();  // nothing else keeps it: the job itself counts as work
  EXPECT_EQ(task_thread, std::this_thread::get_id());
  EXPECT_NE(job_thread, std::this_thread::get_id());
  EXPECT_NE(job_thread, std::thread::id{});
}

TEST_F(WorkerTest, AResumedTasksJobIsVisibleToOthers) {
  Worker worker(open_database(file()));
  Seen seen;
  runtime::spawn_logged(context_.get_executor(), "test", add_customer(worker, "acme", {}, seen));
  context_.run();
  ASSERT_TRUE(seen.result);
  EXPECT_TRUE(seen.result->has_value());
  EXPECT_THAT(customer_names(), ElementsAre("acme"));
}

TEST_F(WorkerTest, JobsRunOneAfterAnotherInTheOrderTheyCame) {
  Worker worker(open_database(file()));
  std::vector<int> order;
  auto task = [](Worker& w, std::vector<int>& ran, int number) -> Task<void> {
    std::function<bool(Database&)> job = [&ran, number](Database&) {
      ran.push_back(number);
      return true;
    };
    co_await w.run<bool>(std::move(job));
  };
  for (int i = 0; i < 200; ++i)
    runtime::spawn_logged(context_.get_executor(), "test", task(worker, order, i));
  context_.run();
  std::vector<int> expected(200);
  for (int i = 0; i < 200; ++i) expected[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(order, expected);
}

TEST_F(WorkerTest, AnExceptionUndoesItsJobAloneAndIsThrownFromItsOwnWait) {
  Worker worker(open_database(file()));
  Seen seen[3];
  const auto fail = [](Database&) { throw std::runtime_error("a bug"); };
  for (int i = 0; i < 3; ++i) {
    auto task = add_customer(worker, "customer-" + std::to_string(i),
                             i == 1 ? fail : std::function<void(Database&)>{}, seen[i]);
    runtime::spawn_logged(context_.get_executor(), "test", std::move(task));
  }
  context_.run();
  EXPECT_TRUE(seen[0].result);
  EXPECT_EQ(seen[1].thrown, "a bug");
  EXPECT_FALSE(seen[1].commit_failed);
  EXPECT_TRUE(seen[2].result);
  EXPECT_THAT(customer_names(), ElementsAre("customer-0", "customer-2"));
}

TEST_F(WorkerTest, WhenTheCommitFailsEveryJobOfTheBatchIsTold) {
  {
    Worker worker(open_database(file()));
    std::vector<Seen> seen(10);
    const auto refuse_commits = [](Database& db) {
      sqlite3_commit_hook(
          db.connection().handle(), [](void*) { return 1; }, nullptr);
    };
    for (std::size_t i = 0; i < seen.size(); ++i) {
      auto task = add_customer(worker, "customer-" + std::to_string(i), refuse_commits, seen[i]);
      runtime::spawn_logged(context_.get_executor(), "test", std::move(task));
    }
    context_.run();
    for (const Seen& s : seen) {
      EXPECT_FALSE(s.result);
      EXPECT_TRUE(s.commit_failed);
      EXPECT_EQ(s.failure_class, FailureClass::local);
    }
    // The worker goes on as soon as the disk does.
    Seen after;
    context_.restart();
    const auto allow_commits = [](Database& db) {
      sqlite3_commit_hook(db.connection().handle(), nullptr, nullptr);
    };
    runtime::spawn_logged(context_.get_executor(), "test",
                          add_customer(worker, "after", allow_commits, after));
    context_.run();
    EXPECT_TRUE(after.result);
  }
  EXPECT_THAT(customer_names(), ElementsAre("after"));
}

TEST_F(WorkerTest, ATransactionThatIsLostUnderAJobIsNotCommittedInHalves) {
  {
    Worker worker(open_database(file()));
    Seen seen;
    // What SQLite does by itself on some disk errors; then the job goes on writing.
    const auto lose = [](Database& db) {
      db.connection().execute("ROLLBACK");
      const auto second = Inventory(db).add_customer({{}, "second", "UTC"});
      EXPECT_FALSE(second);
    };
    runtime::spawn_logged(context_.get_executor(), "test", add_customer(worker, "first", lose, seen));
    context_.run();
    EXPECT_TRUE(seen.commit_failed);
  }
  EXPECT_TRUE(customer_names().empty());
}

TEST_F(WorkerTest, AFullDiskIsToldToEachTaskAndTheWorkerGoesOn) {
  { open_database(file()); }
  ChildProcess child([&](int) {
    ::signal(SIGXFSZ, SIG_IGN);
    Worker worker(open_database(file()));
    Seen before, full[3], after;
    runtime::spawn_logged(context_.get_executor(), "test", add_customer(worker, "before", {}, before));
    context_.run();
    ::rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const ::rlim_t had = limit.rlim_cur;
    limit.rlim_cur = std::filesystem::file_size(file().string() + "-wal");
    ::setrlimit(RLIMIT_FSIZE, &limit);
    context_.restart();
    for (int i = 0; i < 3; ++i)
      runtime::spawn_logged(context_.get_executor(), "test",
                            add_customer(worker, "full-" + std::to_string(i), {}, full[i]));
    context_.run();
    limit.rlim_cur = had;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    context_.restart();
    runtime::spawn_logged(context_.get_executor(), "test", add_customer(worker, "after", {}, after));
    context_.run();
    for (const Seen& s : full)
      if (!s.commit_failed || s.failure_class != FailureClass::local) return 1;
    return before.result && after.result && after.result->has_value() ? 0 : 2;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_THAT(customer_names(), ElementsAre("after", "before"));
}

TEST_F(WorkerTest, TheEndOfTheWorkerFinishesTheJobsAtHand) {
  std::vector<Seen> seen(100);
  {
    Worker worker(open_database(file()));
    for (std::size_t i = 0; i < seen.size(); ++i)
      runtime::spawn_logged(context_.get_executor(), "test",
                            add_customer(worker, "customer-" + std::to_string(i), {}, seen[i]));
    context_.poll();  // every task has handed in its job; some may be back already
  }
  context_.run();
  for (const Seen& s : seen) EXPECT_TRUE(s.result);
  EXPECT_EQ(customer_names().size(), seen.size());
}

TEST_F(WorkerTest, TasksOfSeveralThreadsShareOneWorker) {
  Worker worker(open_database(file()));
  std::vector<Seen> seen(120);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      asio::io_context own;
      for (std::size_t i = t; i < seen.size(); i += 3)
        runtime::spawn_logged(own.get_executor(), "test",
                              add_customer(worker, "customer-" + std::to_string(i), {}, seen[i]));
      own.run();
    });
  for (std::thread& thread : threads) thread.join();
  for (const Seen& s : seen) EXPECT_TRUE(s.result && s.result->has_value());
}

}  // namespace
}  // namespace nightjar::store
