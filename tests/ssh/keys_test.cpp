#include "ssh/keys.hpp"

#include "ssh/algorithms.hpp"
#include "ssh/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::ssh::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<PrivateKey> parse(std::string_view text, std::string_view passphrase = "") {
  return PrivateKey::parse(Secret(text), Secret(passphrase), "core/backup");
}

TEST(PrivateKeys, AreReadInBothFormsWithWindowsLineEnds) {
  Folder folder;
  make_key(folder, "plain", "ed25519");
  make_key(folder, "pem", "ecdsa", "", "-m PEM");
  std::string text = folder.read("plain");
  std::string windows;
  for (char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_TRUE(parse(text));
  EXPECT_TRUE(parse(windows));
  EXPECT_TRUE(parse(folder.read("pem")));
}

TEST(PrivateKeys, AWrongPassphraseIsASetupFailureThatNamesTheKey) {
  Folder folder;
  make_key(folder, "new", "ed25519", "open sesame");
  make_key(folder, "pem", "rsa", "open sesame", "-m PEM -b 2048");
  for (const char* name : {"new", "pem"}) {
    auto wrong = parse(folder.read(name), "open barley");
    ASSERT_FALSE(wrong) << name;
    EXPECT_EQ(wrong.error().failure_class, FailureClass::setup);
    EXPECT_EQ(wrong.error().reason, "private key core/backup: wrong passphrase");
    auto none = parse(folder.read(name));
    ASSERT_FALSE(none) << name;
    EXPECT_EQ(none.error().reason, "private key core/backup: it is encrypted and no passphrase is stored");
    EXPECT_TRUE(parse(folder.read(name), "open sesame")) << name;
  }
}

TEST(PrivateKeys, AnythingElseIsUnreadable) {
  Folder folder;
  make_key(folder, "plain", "ed25519");
  for (const std::string& text :
       {std::string(), std::string("hello"), folder.read("plain.pub"), folder.read("plain").substr(0, 120)}) {
    auto key = parse(text);
    ASSERT_FALSE(key) << text;
    EXPECT_EQ(key.error().failure_class, FailureClass::setup);
    EXPECT_THAT(key.error().reason, StartsWith("private key core/backup: unreadable"));
  }
}

TEST(RsaBits, AreCountedFromThePublicKey) {
  Folder folder;
  make_key(folder, "rsa", "rsa", "", "-b 1032");
  make_key(folder, "ed25519", "ed25519");
  auto blob = [&](const char* name) {
    std::string line = folder.read(name);
    auto from = line.find(' ') + 1;
    return line.substr(from, line.find(' ', from) - from);
  };
  EXPECT_EQ(rsa_bits(blob("rsa.pub")), 1032);
  EXPECT_EQ(rsa_bits(blob("ed25519.pub")), std::nullopt);
  EXPECT_EQ(rsa_bits("AAAA"), std::nullopt);
  EXPECT_EQ(rsa_bits(""), std::nullopt);
}

TEST(Offers, APinnedRsaKeyPutsItsSignaturesFirst) {
  Offer made = offer(Algorithms::legacy, HostKey{"ssh-rsa", "SHA256:x"});
  EXPECT_THAT(made.host_keys, StartsWith("rsa-sha2-512,rsa-sha2-256,ssh-rsa,ssh-ed25519"));
}

TEST(Offers, TheModernSetHoldsNoSha1AndNoCbc) {
  Offer made = offer(Algorithms::modern, std::nullopt);
  for (const std::string& list :
       {made.key_exchange, made.host_keys, made.user_keys, made.ciphers, made.macs}) {
    EXPECT_EQ(list.find("sha1"), std::string::npos);
    EXPECT_EQ(list.find("cbc"), std::string::npos);
    EXPECT_EQ((list + ",").find("ssh-rsa,"), std::string::npos);
  }
}

}  // namespace
}  // namespace nightjar::ssh::testing
