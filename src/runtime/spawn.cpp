#include <nightjar/runtime/spawn.hpp>

#include <boost/asio/bind_executor.hpp>
#include <spdlog/spdlog.h>

namespace nightjar::runtime {
namespace {

void log_exception(const std::string& name, const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    spdlog::error("task {} ended by an exception: {}", name, e.what());
  } catch (...) {
    spdlog::error("task {} ended by an exception of an unknown type", name);
  }
}

}  // namespace

void spawn_logged(asio::any_io_executor executor, std::string name, Task<void> task,
                  std::function<void(std::exception_ptr)> on_end) {
  auto ended = [name = std::move(name), on_end = std::move(on_end)](const std::exception_ptr& thrown) {
    if (thrown) log_exception(name, thrown);
    if (on_end) on_end(thrown);
  };
  asio::co_spawn(executor, std::move(task), asio::bind_executor(executor, std::move(ended)));
}

}  // namespace nightjar::runtime
