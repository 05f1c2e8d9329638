#include <nightjar/delivery/webhook.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::delivery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

const Secret current{"whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="};
const Secret previous{"whsec_ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7"};
constexpr UtcTime at{Seconds{1'606'701'600}};

std::string signature(std::vector<Secret> secrets) {
  return sign("msg_1", at, R"({"a":"é"})", secrets).value();
}

// Computed with Python's hmac, hashlib and base64.
TEST(Signature, IsTheHmacOfIdTimeAndBody) {
  EXPECT_EQ(signature({current}), "v1,zdRNImBuRvCiFxjYgw+WVnqZIHAGk8TmDVG/jYf2cxc=");
}

TEST(Signature, WhileAReceiverChangesOverThereIsOneForEachSecret) {
  EXPECT_EQ(
      signature({current, previous}),
      "v1,zdRNImBuRvCiFxjYgw+WVnqZIHAGk8TmDVG/jYf2cxc= v1,akyCZexBLgtiDDCt1qsK0Kx3ijlT3kvMssQX9VPLd4Q=");
}

// The example that the specification's libraries test with.
TEST(Signature, AgreesWithStandardWebhooks) {
  const std::vector secrets{Secret{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}};
  EXPECT_EQ(sign("msg_p5jXN8AQM9LWM0D4loKWxJek", UtcTime{Seconds{1'614'265'330}}, R"({"test": 2432232314})",
                 secrets)
                .value(),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Signature, AnIdWithADotOrALineEndIsRefused) {
  const std::vector secrets{current};
  for (const char* id : {"", "a.b", "a\r\nb", "a b", "ü"}) EXPECT_FALSE(sign(id, at, "{}", secrets)) << id;
}

TEST(WebhookHeaders, NameIdTimeTypeAndSignature) {
  const std::vector secrets{current};
  EXPECT_THAT(webhook_headers("msg_1", at, R"({"a":"é"})", secrets).value(),
              ElementsAre(Pair("webhook-id", "msg_1"), Pair("webhook-timestamp", "1606701600"),
                          Pair("Content-Type", "application/json"),
                          Pair("webhook-signature", "v1,zdRNImBuRvCiFxjYgw+WVnqZIHAGk8TmDVG/jYf2cxc=")));
  EXPECT_EQ(webhook_headers("msg_1", at, "{}", {}).value().size(), 3u);
}

TEST(SigningSecret, NewOnesAreDifferentAndCanBeRead) {
  const Secret one = new_signing_secret();
  EXPECT_THAT(one.reveal(), StartsWith("whsec_"));
  EXPECT_EQ(signing_secret(one.reveal()).value().reveal(), one.reveal());
  EXPECT_NE(one.reveal(), new_signing_secret().reveal());
}

TEST(SigningSecret, HasFrom24To64Bytes) {
  EXPECT_TRUE(signing_secret("  whsec_" + std::string(32, 'A') + " "));
  EXPECT_TRUE(signing_secret("whsec_" + std::string(86, 'A') + "=="));
  EXPECT_FALSE(signing_secret("whsec_" + std::string(28, 'A')));
  EXPECT_FALSE(signing_secret("whsec_" + std::string(88, 'A')));
}

TEST(SigningSecret, WhatIsNoneIsNotRepeated) {
  for (const char* typed : {"", "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
                            "whsec_AQIDBAUG!wgJCgsMDQ4PEBESExQVFhcY", "whsec_"}) {
    const auto read = signing_secret(typed);
    ASSERT_FALSE(read) << typed;
    EXPECT_EQ(read.error().failure_class, FailureClass::setup);
    EXPECT_THAT(read.error().reason, Not(HasSubstr("AQIDBAUG")));
  }
}

}  // namespace
}  // namespace nightjar::delivery
