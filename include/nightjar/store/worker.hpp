// The database on a thread of its own: tasks hand it jobs and are resumed on their own executor with the
// result. Jobs run one after another in the order they came. Jobs that wait together may share one disk
// transaction (each in its own savepoint): a job is durable when its task resumes.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/runtime/asio.hpp>
#include <nightjar/store/database.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace nightjar::store {

// Nothing of the job was written although it had run: the transaction it shared could not begin or commit (a
// full disk). Its Result, if it had made one, is void.
class CommitFailed : public std::runtime_error {
 public:
  explicit CommitFailed(Failure failure) : std::runtime_error(failure.reason), failure_(std::move(failure)) {}
  const Failure& failure() const { return failure_; }  // class local, stage store

 private:
  Failure failure_;
};

class Worker {
 public:
  explicit Worker(Database db);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Finishes the jobs at hand, then stops. The executors of tasks that wait outlive the worker.
  ~Worker();

  // `job` is called once on the database's thread; an exception it throws undoes what it wrote and is thrown
  // from the co_await, and CommitFailed is when its transaction failed. A job that is waited for is not
  // cancelled: the task resumes when it is over. The io_context of the waiting task does not run out of work
  // meanwhile. Name the job on the line before (g++ 12):
  //   auto job = [..](Database& db) {...}; auto r = co_await worker.run<T>(std::move(job));
  template <class T>
  Task<T> run(std::function<T(Database&)> job);

 private:
  // Resumes when `job` has run and its transaction is over.
  Task<void> perform(std::function<void(Database&)> job);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The value lives in this frame, which waits for the worker and so outlives the job.
template <class T>
Task<T> Worker::run(std::function<T(Database&)> job) {
  std::optional<T> value;
  std::function<void(Database&)> keep = [&value, &job](Database& db) { value.emplace(job(db)); };
  co_await perform(std::move(keep));
  co_return std::move(*value);
}

}  // namespace nightjar::store
