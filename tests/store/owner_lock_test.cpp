#include "child_process.hpp"
#include "store_fixture.hpp"

#include <nightjar/store/owner_lock.hpp>

#include <fcntl.h>

namespace nightjar::store {
namespace {

namespace fs = std::filesystem;

class OwnerLockTest : public ::testing::Test {
 protected:
  std::size_t lock_files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "owners"))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  TemporaryFolder folder_;
};

TEST_F(OwnerLockTest, AnOwnerIsAliveAsLongAsItHoldsItsLock) {
  std::string name;
  {
    const OwnerLock lock = OwnerLock::acquire(folder_.path()).value();
    name = lock.name();
    EXPECT_TRUE(OwnerLock::is_alive(folder_.path(), name));
  }
  EXPECT_FALSE(OwnerLock::is_alive(folder_.path(), name));
  EXPECT_EQ(lock_files(), 0u);
}

TEST_F(OwnerLockTest, ALockMovesWithItsOwner) {
  OwnerLock first = OwnerLock::acquire(folder_.path()).value();
  const std::string name = first.name();
  const OwnerLock second = std::move(first);
  EXPECT_EQ(second.name(), name);
  EXPECT_TRUE(OwnerLock::is_alive(folder_.path(), name));
}

TEST_F(OwnerLockTest, TwoOwnersOfOneProcessHaveDifferentNames) {
  const OwnerLock a = OwnerLock::acquire(folder_.path()).value();
  const OwnerLock b = OwnerLock::acquire(folder_.path()).value();
  EXPECT_NE(a.name(), b.name());
  EXPECT_TRUE(OwnerLock::is_alive(folder_.path(), a.name()));
  EXPECT_TRUE(OwnerLock::is_alive(folder_.path(), b.name()));
}

TEST_F(OwnerLockTest, AKilledOwnerIsDeadAndItsFileGoesWithTheNextOwner) {
  ChildProcess owner([&](int to_parent) {
    const OwnerLock lock = OwnerLock::acquire(folder_.path()).value();
    tell(to_parent);
    for (;;) ::pause();
    return 0;
  });
  ASSERT_TRUE(owner.read_byte());
  const std::string name = fs::directory_iterator(folder_ / "owners")->path().stem().string();
  EXPECT_TRUE(OwnerLock::is_alive(folder_.path(), name));
  owner.kill();
  EXPECT_FALSE(OwnerLock::is_alive(folder_.path(), name));
  const OwnerLock next = OwnerLock::acquire(folder_.path()).value();
  EXPECT_EQ(lock_files(), 1u);
}

TEST_F(OwnerLockTest, AProgramThatAnOwnerStartsDoesNotInheritTheLock) {
  const OwnerLock lock = OwnerLock::acquire(folder_.path()).value();
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (!fs::read_symlink(entry.path(), gone).string().ends_with(lock.name() + ".lock")) continue;
    ++found;
    EXPECT_TRUE(::fcntl(std::stoi(entry.path().filename().string()), F_GETFD) & FD_CLOEXEC);
  }
  EXPECT_EQ(found, 1);
}

TEST_F(OwnerLockTest, NamesThatAreNoFileOfTheFolderAreDead) {
  for (const char* name : {"", "never-was", "../owners/x", "/etc/passwd"})
    EXPECT_FALSE(OwnerLock::is_alive(folder_.path(), name)) << name;
}

TEST_F(OwnerLockTest, AFolderThatIsMissingIsOurFaultNamingIt) {
  const auto lock = OwnerLock::acquire(folder_ / "none");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().failure_class, FailureClass::local);
  EXPECT_THAT(lock.error().reason, ::testing::HasSubstr("none/owners"));
}

}  // namespace
}  // namespace nightjar::store
