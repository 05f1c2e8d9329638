#include <nightjar/config/driver.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace nightjar::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace fs = std::filesystem;

constexpr std::string_view small = R"(title = "Small"
[session]
prompt = '\w+>'
[[section]]
name = "config"
commands = ["show"]
)";

// A folder of driver files, gone at the end of the test.
class DriverFolder : public testing::Test {
 protected:
  DriverFolder() {
    std::string name = (fs::temp_directory_path() / "nightjar-drivers-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~DriverFolder() override { fs::remove_all(folder_); }
  void write(const char* name, std::string_view toml) {
    std::ofstream{folder_ / name, std::ios::binary} << toml;
  }
  std::string folder() const { return folder_.string(); }

 private:
  fs::path folder_;
};

std::vector<std::string> names(const Drivers& drivers) {
  std::vector<std::string> all;
  for (const Driver* driver : drivers.all()) all.push_back(driver->name);
  return all;
}

TEST(Drivers, TenAreBuiltIn) {
  const auto drivers = Drivers::load("");
  ASSERT_TRUE(drivers) << drivers.error().reason;
  EXPECT_THAT(names(*drivers), ElementsAre("asa", "eos", "fortios", "frr", "ios", "junos", "linux", "nxos",
                                           "routeros", "vyos"));
  EXPECT_EQ(drivers->find("ios")->source, "built-in");
  EXPECT_EQ(drivers->find("iosx"), nullptr);
}

TEST(Drivers, TheBuiltInOnesAreTheFilesOfTheRepositoryByteForByte) {
  const auto drivers = Drivers::load("");
  ASSERT_TRUE(drivers) << drivers.error().reason;
  for (const Driver* driver : drivers->all()) {
    std::ifstream file{fs::path{NIGHTJAR_SOURCE_DIR "/config/drivers"} / (driver->name + ".toml"),
                       std::ios::binary};
    EXPECT_EQ(driver->toml, std::string(std::istreambuf_iterator<char>{file}, {})) << driver->name;
  }
}

TEST(Drivers, EachOfTheBuiltInLintsClean) {
  const auto drivers = Drivers::load("");
  ASSERT_TRUE(drivers) << drivers.error().reason;
  for (const Driver* driver : drivers->all()) EXPECT_THAT(lint(*driver), IsEmpty()) << driver->name;
}

TEST(Drivers, TheNearestNameIsSuggested) {
  const auto drivers = Drivers::load("");
  ASSERT_TRUE(drivers);
  EXPECT_EQ(drivers->suggest("iso"), "ios");
  EXPECT_EQ(drivers->suggest("fortos"), "fortios");
  EXPECT_EQ(drivers->suggest("router-os"), "routeros");
  EXPECT_EQ(drivers->suggest("windows"), "");
}

TEST_F(DriverFolder, AFileOfTheSameNameOverridesTheBuiltInOne) {
  write("ios.toml", small);
  const auto drivers = Drivers::load(folder());
  ASSERT_TRUE(drivers) << drivers.error().reason;
  EXPECT_EQ(drivers->find("ios")->title, "Small");
  EXPECT_EQ(drivers->find("ios")->source, folder() + "/ios.toml");
  EXPECT_EQ(drivers->find("eos")->source, "built-in");
}

TEST_F(DriverFolder, AFileOfAnotherNameIsAnotherDriver) {
  write("acme-os.toml", small);
  write("notes.txt", "not a driver");
  const auto drivers = Drivers::load(folder());
  ASSERT_TRUE(drivers) << drivers.error().reason;
  ASSERT_NE(drivers->find("acme-os"), nullptr);
  EXPECT_EQ(drivers->all().size(), 11u);
}

TEST_F(DriverFolder, ItsCommonFileReplacesWhatAllShare) {
  write("common.toml", "[[pager]]\nprompt = '^weiter'\nkey = \"w\"\n");
  const auto drivers = Drivers::load(folder());
  ASSERT_TRUE(drivers) << drivers.error().reason;
  EXPECT_EQ(drivers->find("common"), nullptr);
  EXPECT_EQ(drivers->find("ios")->script.pagers.back().key, "w");
}

TEST_F(DriverFolder, ABrokenFileIsNamedByItsPath) {
  write("acme.toml", "title = 3\n");
  const auto drivers = Drivers::load(folder());
  ASSERT_FALSE(drivers);
  EXPECT_EQ(drivers.error().reason, folder() + "/acme.toml:1: title: must be a string, not an integer");
}

TEST_F(DriverFolder, AFileWhoseNameIsNoDriverNameIsNamed) {
  write("My Router.toml", small);
  const auto drivers = Drivers::load(folder());
  ASSERT_FALSE(drivers);
  EXPECT_EQ(drivers.error().reason,
            folder() + "/My Router.toml: a driver's name holds only a-z, 0-9, - and _");
}

TEST(Drivers, AFolderThatIsNotThereIsNamed) {
  const auto drivers = Drivers::load("/nonexistent/drivers");
  ASSERT_FALSE(drivers);
  EXPECT_EQ(drivers.error().failure_class, FailureClass::setup);
  EXPECT_EQ(drivers.error().reason, "driver folder /nonexistent/drivers: No such file or directory");
}

}  // namespace
}  // namespace nightjar::config
