#include <nightjar/api/message.hpp>

#include <gtest/gtest.h>

namespace nightjar::api {
namespace {

TEST(Headers, AreFoundInWhateverCaseTheyWereSent) {
  const Headers headers{{"Content-Type", "text/html"}, {"set-cookie", "a"}, {"Set-Cookie", "b"}};
  EXPECT_EQ(headers.find("content-type")->second, "text/html");
  EXPECT_EQ(headers.count("SET-COOKIE"), 2U);
  EXPECT_EQ(headers.count("Set"), 0U);
}

}  // namespace
}  // namespace nightjar::api
