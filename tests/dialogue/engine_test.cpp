#include "dialogue/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::dialogue::test {
namespace {

using testing::HasSubstr;

constexpr std::string_view config = "!\nhostname core-01\nsnmp-server location rack 4  \n!\nend\n";

Device ios() {
  Device device;
  device.greeting = "\r\nWelcome\r\n\r\n";
  device.answer("terminal length 0", "");
  device.answer("terminal width 0", "");
  device.answer("show version", "Version 15.2\nuptime is 3 weeks\n");
  device.answer("show running-config", std::string{config});
  return device;
}

TEST(Engine, ReadsTheSectionsOfAPlainDevice) {
  const Talk t = talk(script(), ios());
  ASSERT_FALSE(t.failure) << t.failure->reason;
  EXPECT_TRUE(t.done);
  EXPECT_EQ(t.prompt, "core-01#");
  EXPECT_EQ(t.text(0), "Version 15.2\nuptime is 3 weeks\n");
  EXPECT_EQ(t.text(1), config);
  EXPECT_EQ(t.typed, "\nterminal length 0\nterminal width 0\nshow version\nshow running-config\n\nexit\n");
}

}  // namespace
}  // namespace nightjar::dialogue::test
