// The database on a thread of its own: tasks hand it jobs and are resumed on their own executor with the result. Jobs run one
// after another in the order they came. Jobs that wait together may share one disk transaction (each in its own savepoint): a
// job is durable when its task resumes.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include <nightjar/runtime/asio.hpp>
#include <nightjar/store/database.hpp>

namespace nightjar::store {

class Worker {
 public:
  explicit Worker(Database db);
  ~Worker();  // finishes the jobs at hand, then stops

  // `job` is called once on the database's thread; an exception it throws is thrown from the co_await. Name the job on the line
  // before (g++ 12): auto job = [..](Database& db) {...}; auto r = co_await worker.run<T>(std::move(job));
  template <class T>
  Task<T> run(std::function<T(Database&)> job);

 private:
  void post(std::function<void(Database&)> job);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

template <class T>
Task<T> Worker::run(std::function<T(Database&)> job) {
  auto executor = co_await asio::this_coro::executor;
  auto start = [this, executor, job = std::move(job)](auto handler) mutable {
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    post([executor, shared, job = std::move(job)](Database& db) {
      std::exception_ptr error;
      auto value = std::make_shared<std::optional<T>>();
      try {
        value->emplace(job(db));
      } catch (...) {
        error = std::current_exception();
      }
      asio::post(executor, [shared, value, error] { (*shared)(error, value); });
    });
  };
  auto value = co_await asio::async_initiate<const asio::use_awaitable_t<>&,
                                             void(std::exception_ptr, std::shared_ptr<std::optional<T>>)>(
      std::move(start), asio::use_awaitable);
  co_return std::move(**value);
}

}  // namespace nightjar::store
