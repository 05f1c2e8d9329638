// Starts a task and makes sure its end is seen: an exception that leaves it is logged under the task's name
// (that is a bug) and handed to `on_end`, instead of vanishing.
#pragma once
#include <nightjar/runtime/asio.hpp>

#include <exception>
#include <functional>
#include <string>

namespace nightjar::runtime {

// `on_end` runs on `executor` when the task is over; the pointer is null after a normal end.
void spawn_logged(asio::any_io_executor executor, std::string name, Task<void> task,
                  std::function<void(std::exception_ptr)> on_end = {});

}  // namespace nightjar::runtime
