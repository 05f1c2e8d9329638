#include "lab/visitor.hpp"

#include <nightjar/lab/fleet.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>
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
  {
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
  }
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

TEST(Fleet, ServesTwoHundredSessionsAtOnce) {
  Fleet fleet({named("a", Kind::frr), named("b", Kind::frr)});
  ASSERT_TRUE(fleet.start());
  std::vector<std::unique_ptr<Visitor>> visitors;
  for (std::size_t i = 0; i < 200; ++i) {
    visitors.push_back(std::make_unique<Visitor>(fleet.port(i % 2)));
    ASSERT_TRUE(visitors.back()->log_in()) << i << ": " << visitors.back()->error();
  }
  EXPECT_EQ(fleet.log().open_now(), 200U);
  for (const auto& visitor : visitors) visitor->type("show running-config\n");
  for (const auto& visitor : visitors)
    EXPECT_NE(visitor->read_until("\r\nend\r\n").find("\r\nend\r\n"), std::string::npos);
  visitors.clear();
  EXPECT_TRUE(fleet.log().wait_until_all_ended(Milliseconds{10'000}));
  EXPECT_EQ(fleet.log().total(), 200U);
}

TEST(Fleet, ListensOnTheSamePortsRightAfterARestart) {
  std::uint16_t base = 0;
  {
    Fleet first({named("a")});
    ASSERT_TRUE(first.start());
    base = first.port(0);
    Visitor visitor(base);
    ASSERT_TRUE(visitor.log_in());
    first.stop();  // the server closes first: its side is left in TIME_WAIT
  }
  Fleet::Options options;
  options.base_port = base;
  Fleet second({named("a")}, options);
  const auto started = second.start();
  ASSERT_TRUE(started) << started.error().reason;
  EXPECT_EQ(second.port(0), base);
  EXPECT_TRUE(Visitor(base).log_in());
}

TEST(Fleet, NamesThePortItCannotHave) {
  Fleet first({named("a")});
  ASSERT_TRUE(first.start());
  Fleet::Options options;
  options.base_port = first.port(0);
  Fleet second({named("b")}, options);
  const auto started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().failure_class, FailureClass::setup);
  EXPECT_EQ(started.error().reason,
            "cannot listen on 127.0.0.1:" + std::to_string(first.port(0)) + ": Address already in use");
}

class FleetFiles : public testing::Test {
 protected:
  FleetFiles() {
    std::string shape = testing::TempDir() + "nightjar-lab-XXXXXX";
    folder_ = ::mkdtemp(shape.data());
  }
  ~FleetFiles() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return folder_ + "/" + name; }
  static std::string text(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string folder_;
};

TEST_F(FleetFiles, KeepsItsHostKeyInAFileOfItsOwner) {
  Fleet::Options options;
  options.host_key_file = path("key");
  std::string before;
  {
    Fleet fleet({named("a")}, options);
    ASSERT_TRUE(fleet.start());
    before = fleet.fingerprint(0);
  }
  EXPECT_EQ(std::filesystem::status(options.host_key_file).permissions(), std::filesystem::perms{0600});
  Fleet fleet({named("a")}, options);
  ASSERT_TRUE(fleet.start());
  EXPECT_EQ(fleet.fingerprint(0), before);
}

TEST_F(FleetFiles, WritesALineAtTheBeginningAndAtTheEndOfAVisit) {
  Fleet::Options options;
  options.log_file = path("log");
  options.keep_log = false;
  Fleet fleet({named("core-01")}, options);
  ASSERT_TRUE(fleet.start());
  {
    Visitor visitor(fleet.port(0));
    ASSERT_TRUE(visitor.log_in());
    visitor.read_until("core-01>");
    visitor.ask("show version", "core-01>");
  }
  ASSERT_TRUE(fleet.log().wait_until_all_ended(Milliseconds{5000}));
  std::ifstream in(options.log_file);
  std::string first, second;
  std::getline(in, first);
  std::getline(in, second);
  EXPECT_EQ(nlohmann::json::parse(first).at("event"), "opened");
  const auto closed = nlohmann::json::parse(second);
  EXPECT_EQ(closed.at("ending"), "closed");
  EXPECT_EQ(closed.at("commands").at(0), "show version");
  EXPECT_EQ(closed.at("logins").at(0).at("accepted"), true);
  EXPECT_EQ(text(options.log_file).find("lab-password"), std::string::npos);
}

TEST(Fleet, TellsAClientThatVanished) {
  Fleet fleet({named("a")});
  ASSERT_TRUE(fleet.start());
  Visitor visitor(fleet.port(0));
  ASSERT_TRUE(visitor.log_in());
  visitor.vanish();
  ASSERT_TRUE(fleet.log().wait_until_all_ended(Milliseconds{5000}));
  EXPECT_EQ(fleet.log().visits().at(0).ending, Ending::closed);
}

TEST(Fleet, ShowsAChangedConfigurationOnceTold) {
  Fleet fleet({named("a", Kind::frr)});
  ASSERT_TRUE(fleet.start());
  fleet.change_config(0);
  Visitor visitor(fleet.port(0));
  ASSERT_TRUE(visitor.log_in());
  visitor.read_until("a# ");
  visitor.ask("show running-config", "\r\nend\r\na# ");
  EXPECT_EQ(fleet.last_config(0), running_config(fleet.devices()[0], 1));
}

}  // namespace
}  // namespace nightjar::lab
