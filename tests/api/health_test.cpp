#include <nightjar/api/health.hpp>

#include <gtest/gtest.h>

namespace nightjar::api {
namespace {

TEST(Health, AProcessThatAnswersIsHealthy) {
  EXPECT_EQ(healthz().status, 200);
  EXPECT_EQ(healthz().body, "ok\n");
}

TEST(Readiness, OneThatIsReadySaysSo) {
  const Response response = readyz({.ready = true});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "ready\n");
}

TEST(Readiness, OneThatIsNotIsUnavailableAndSaysWhy) {
  const Response response = readyz({.ready = false, .why_not = "recovering 12 interrupted attempts"});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "not ready: recovering 12 interrupted attempts\n");
  EXPECT_EQ(readyz({}).body, "not ready\n");
}

}  // namespace
}  // namespace nightjar::api
