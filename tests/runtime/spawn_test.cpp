#include <nightjar/runtime/spawn.hpp>

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>
#include <stdexcept>

namespace nightjar::runtime {
namespace {

// The program's log, caught in a string for the life of this object.
class CaughtLog {
 public:
  CaughtLog() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("caught", sink));
  }
  ~CaughtLog() { spdlog::set_default_logger(before_); }
  CaughtLog(const CaughtLog&) = delete;
  CaughtLog& operator=(const CaughtLog&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream text_;
};

Task<void> ends_well(bool* ran) {
  *ran = true;
  co_return;
}

Task<void> throws_an_error() {
  throw std::runtime_error("the disk is on fire");
  co_return;
}

Task<void> throws_a_number() {
  throw 42;
  co_return;
}

Task<void> waits_for(asio::steady_timer* timer) {
  co_await timer->async_wait(as_result);
}

TEST(SpawnLogged, ANormalEndHandsOverNoException) {
  CaughtLog log;
  asio::io_context loop;
  bool ran = false;
  bool ended = false;
  spawn_logged(loop.get_executor(), "one", ends_well(&ran), [&](const std::exception_ptr& e) { ended = !e; });
  loop.run();
  EXPECT_TRUE(ran);
  EXPECT_TRUE(ended);
  EXPECT_EQ(log.text(), "");
}

TEST(SpawnLogged, NothingRunsBeforeTheLoopDoes) {
  asio::io_context loop;
  bool ran = false;
  spawn_logged(loop.get_executor(), "one", ends_well(&ran));
  EXPECT_FALSE(ran);
}

TEST(SpawnLogged, AnExceptionIsLoggedUnderTheTasksNameAndHandedOver) {
  CaughtLog log;
  asio::io_context loop;
  std::exception_ptr seen;
  spawn_logged(loop.get_executor(), "backup core-01", throws_an_error(),
               [&](std::exception_ptr e) { seen = std::move(e); });
  loop.run();
  EXPECT_THROW(std::rethrow_exception(seen), std::runtime_error);
  EXPECT_NE(log.text().find("task backup core-01 ended by an exception: the disk is on fire"),
            std::string::npos);
}

TEST(SpawnLogged, AThrownThingThatIsNoExceptionIsLoggedToo) {
  CaughtLog log;
  asio::io_context loop;
  spawn_logged(loop.get_executor(), "odd", throws_a_number());
  loop.run();
  EXPECT_NE(log.text().find("task odd ended by an exception of an unknown type"), std::string::npos);
}

TEST(SpawnLogged, OneTaskThatThrowsLeavesTheOthersRunning) {
  CaughtLog log;
  asio::io_context loop;
  asio::steady_timer timer(loop, asio::steady_timer::time_point::max());
  bool other_ended = false;
  spawn_logged(loop.get_executor(), "other", waits_for(&timer),
               [&](const std::exception_ptr& e) { other_ended = !e; });
  spawn_logged(loop.get_executor(), "bad", throws_an_error(),
               [&](const std::exception_ptr&) { timer.expires_at(asio::steady_timer::time_point::min()); });
  loop.run();
  EXPECT_TRUE(other_ended);
}

}  // namespace
}  // namespace nightjar::runtime
