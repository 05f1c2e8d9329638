#include "child_process.hpp"
#include "store_fixture.hpp"

#include <nightjar/store/daemon_lock.hpp>

#include <fmt/format.h>

#include <unistd.h>

namespace nightjar::store {
namespace {

class DaemonLockTest : public ::testing::Test {
 protected:
  const std::filesystem::path& data() const { return folder_.path(); }
  TemporaryFolder folder_;
};

TEST_F(DaemonLockTest, ASecondDaemonIsRefusedSayingWhoIsTheFirst) {
  ASSERT_FALSE(DaemonLock::is_held(data()));
  const auto lock = DaemonLock::acquire(data());
  ASSERT_TRUE(lock);
  EXPECT_TRUE(DaemonLock::is_held(data()));
  const auto refused = DaemonLock::acquire(data());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure_class, FailureClass::setup);
  EXPECT_EQ(refused.error().reason,
            fmt::format("a daemon runs on {} already: pid {}", data().string(), ::getpid()));
}

TEST_F(DaemonLockTest, AskingAfterItDoesNotTakeItAndAnEndedOneLetsGo) {
  {
    auto lock = DaemonLock::acquire(data()).value();
    const DaemonLock moved = std::move(lock);
    EXPECT_TRUE(DaemonLock::is_held(data()));
    EXPECT_TRUE(DaemonLock::is_held(data()));
  }
  EXPECT_FALSE(DaemonLock::is_held(data()));
  EXPECT_TRUE(DaemonLock::acquire(data()));
}

TEST_F(DaemonLockTest, AKilledDaemonLetsGo) {
  ChildProcess child([&](int to_parent) {
    const auto lock = DaemonLock::acquire(data());
    if (!lock) return 1;
    tell(to_parent);
    for (;;) ::pause();
  });
  ASSERT_TRUE(child.read_byte());
  EXPECT_TRUE(DaemonLock::is_held(data()));
  EXPECT_FALSE(DaemonLock::acquire(data()));
  child.kill();
  EXPECT_FALSE(DaemonLock::is_held(data()));
  EXPECT_TRUE(DaemonLock::acquire(data()));
}

TEST_F(DaemonLockTest, AMissingFolderIsOurFaultNamingTheFile) {
  const auto refused = DaemonLock::acquire(data() / "none");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure_class, FailureClass::local);
  EXPECT_THAT(refused.error().reason, ::testing::HasSubstr("none/daemon.lock"));
  EXPECT_FALSE(DaemonLock::is_held(data() / "none"));
}

}  // namespace
}  // namespace nightjar::store
