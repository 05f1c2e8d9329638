// Runs one task to its end on a loop of its own and hands back its result; an exception that leaves the task
// is thrown on.
#pragma once
#include <nightjar/runtime/asio.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace nightjar::ssh::testing {

template <class T>
T run(asio::io_context& loop, Task<T> task) {
  std::optional<T> result;
  std::exception_ptr thrown;
  asio::co_spawn(loop, std::move(task), [&](std::exception_ptr e, T value) {
    thrown = std::move(e);
    result.emplace(std::move(value));
  });
  loop.restart();
  while (!result && loop.run_one() > 0) {
  }
  if (thrown) std::rethrow_exception(thrown);
  return std::move(*result);
}

template <class T>
T run(Task<T> task) {
  asio::io_context loop;
  return run(loop, std::move(task));
}

inline std::chrono::steady_clock::time_point in(std::chrono::milliseconds span) {
  return std::chrono::steady_clock::now() + span;
}

}  // namespace nightjar::ssh::testing
