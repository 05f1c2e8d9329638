#include "store/connection.hpp"

#include <nightjar/store/worker.hpp>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace nightjar::store {
namespace {

// A batch trades waiting for fewer commits: it ends early enough that other processes, which wait for the
// lock, do not notice.
constexpr std::size_t most_jobs = 64;
constexpr std::chrono::milliseconds longest_batch{10};
// A job that comes this soon after the one before shares its commit.
constexpr std::chrono::milliseconds linger{4};

struct Job {
  std::function<void(Database&)> run;
  std::function<void(std::exception_ptr)> resume;
  std::exception_ptr thrown = nullptr;
};

// One job inside the batch's transaction; what an exception leaves behind is undone.
void run_in_savepoint(Database& db, Job& job) {
  Database::Connection& connection = db.connection();
  connection.run("SAVEPOINT job");
  try {
    job.run(db);
  } catch (...) {
    job.thrown = std::current_exception();
    if (connection.batch_is_lost()) return;
    connection.run("ROLLBACK TO job");
  }
  if (!connection.batch_is_lost()) connection.run("RELEASE job");
}

}  // namespace

class Worker::Impl {
 public:
  explicit Impl(Database db) : db_(std::move(db)), thread_([this] { work(); }) {}
  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void add(Job job) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(job));
    }
    wake_.notify_one();
  }

 private:
  void work() {
    while (auto first = next()) batch(std::move(*first));
  }

  // The oldest waiting job; none when the worker is to stop and nothing is left, or when none comes in time.
  std::optional<Job> next(std::optional<std::chrono::steady_clock::time_point> until = std::nullopt) {
    std::unique_lock lock(mutex_);
    const auto something = [this] { return stopping_ || !waiting_.empty(); };
    if (until)
      wake_.wait_until(lock, *until, something);
    else
      wake_.wait(lock, something);
    if (waiting_.empty()) return std::nullopt;
    std::optional<Job> job{std::move(waiting_.front())};
    waiting_.pop_front();
    return job;
  }

  void batch(Job first) {
    std::vector<Job> jobs;
    jobs.push_back(std::move(first));
    const auto until = std::chrono::steady_clock::now() + longest_batch;
    try {
      db_.connection().begin_batch();
      for (;;) {
        run_in_savepoint(db_, jobs.back());
        const auto now = std::chrono::steady_clock::now();
        if (jobs.size() == most_jobs || db_.connection().batch_is_lost() || now >= until) break;
        auto another = next(std::min(until, now + linger));
        if (!another) break;
        jobs.push_back(std::move(*another));
      }
      db_.connection().commit_batch();
    } catch (const DatabaseFault& fault) {
      Failure failure = fault.failure();
      failure.failure_class = FailureClass::local;
      for (Job& job : jobs) job.thrown = std::make_exception_ptr(CommitFailed(failure));
    }
    db_.connection().end_batch();
    for (Job& job : jobs) job.resume(job.thrown);
  }

  Database db_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> waiting_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

Worker::Worker(Database db) : impl_(std::make_unique<Impl>(std::move(db))) {}
Worker::~Worker() = default;

Task<void> Worker::perform(std::function<void(Database&)> job) {
  auto start = [impl = impl_.get(), job = std::move(job)](auto handler) mutable {
    // tracked: the io_context counts the job as its own work until the handler is posted there.
    auto executor =
        asio::prefer(asio::get_associated_executor(handler), asio::execution::outstanding_work.tracked);
    // std::function wants copies, handlers move alone.
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    auto resume = [executor = std::move(executor),
                   shared = std::move(shared)](std::exception_ptr thrown) mutable {
      auto call = [handler = std::move(*shared), thrown = std::move(thrown)]() mutable {
        handler(std::move(thrown));
      };
      asio::post(executor, std::move(call));
    };
    impl->add({std::move(job), std::move(resume)});
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(std::move(start),
                                                                                         asio::use_awaitable);
}

}  // namespace nightjar::store
