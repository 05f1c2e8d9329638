#include "lab/visitor.hpp"

#include <nightjar/lab/fleet.hpp>

#include <gtest/gtest.h>

#include <dirent.h>
#include <vector>

namespace nightjar::lab {
namespace {

std::size_t entries(const char* folder) {
  std::size_t count = 0;
  DIR* dir = ::opendir(folder);
  while (::readdir(dir) != nullptr) ++count;
  ::closedir(dir);
  return count;
}

Device named(std::string name, Kind kind = Kind::ios) {
  Device device;
  device.name = std::move(name);
  device.kind = kind;
  return device;
}

TEST(Fleet, GivesItsWholeConfigurationAfterEnableAndPagingOff) {
  Fleet fleet({named("core-01")});
  ASSERT_TRUE(fleet.start());
  Visitor visitor(fleet.port(0));
  ASSERT_TRUE(visitor.log_in()) << visitor.error();
  EXPECT_EQ(visitor.read_until("core-01>"), "\r\ncore-01>");
  visitor.type("enable\n");
  EXPECT_EQ(visitor.read_until("Password: "), "enable\r\nPassword: ");
  visitor.type("lab-enable\n");
  EXPECT_EQ(visitor.read_until("#"), "\r\ncore-01#");
  EXPECT_EQ(visitor.ask("terminal length 0", "core-01#"), "");
  const std::string config = running_config(fleet.devices()[0]);
  EXPECT_EQ(visitor.ask("show running-config", "\r\n\r\ncore-01#").substr(0, 50),
            "Building configuration...\n\nCurrent configuration :");
  EXPECT_EQ(fleet.last_config(0), config);
  visitor.type("exit\n");
  visitor.read_to_end();
  ASSERT_TRUE(fleet.log().wait_until_all_ended(Milliseconds{5000}));
  const std::vector<Visit> visits = fleet.log().visits();
  ASSERT_EQ(visits.size(), 1U);
  EXPECT_EQ(visits[0].commands,
            (std::vector<std::string>{"enable", "terminal length 0", "show running-config", "exit"}));
  EXPECT_EQ(visits[0].ending, Ending::logout);
}

TEST(Fleet, LeavesNoDescriptorAndNoThreadWhenStoppedWithOpenSessions) {
  const std::size_t descriptors = entries("/proc/self/fd");
  const std::size_t threads = entries("/proc/self/task");
  {
    Fleet fleet({named("a"), named("b")});
    ASSERT_TRUE(fleet.start());
    std::vector<std::unique_ptr<Visitor>> visitors;
    for (std::size_t i = 0; i < 20; ++i) {
      visitors.push_back(std::make_unique<Visitor>(fleet.port(i % 2)));
      ASSERT_TRUE(visitors.back()->log_in());
    }
    fleet.stop();
    EXPECT_EQ(entries("/proc/self/task"), threads);
    visitors.clear();
    EXPECT_EQ(entries("/proc/self/fd"), descriptors);
    for (const Visit& visit : fleet.log().visits()) EXPECT_EQ(visit.ending, Ending::stopped);
  }
  EXPECT_EQ(entries("/proc/self/fd"), descriptors);
}

}  // namespace
}  // namespace nightjar::lab
