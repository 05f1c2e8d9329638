#include <nightjar/vault/vault.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>

namespace nightjar::vault {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class VaultTest : public ::testing::Test {
 protected:
  VaultTest() {
    std::string pattern = (fs::temp_directory_path() / "nightjar-vault-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~VaultTest() override { fs::remove_all(folder_); }

  fs::path file(const char* name) const { return folder_ / name; }

  Vault fresh(const char* name) const {
    EXPECT_TRUE(Vault::create_key_file(file(name)));
    return std::move(Vault::open(file(name))).value();
  }

  fs::path write(const char* name, const std::string& content, ::mode_t mode = 0600) const {
    std::ofstream(file(name), std::ios::binary) << content;
    ::chmod(file(name).c_str(), mode);
    return file(name);
  }

  static std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

TEST_F(VaultTest, WhatIsSealedComesBackUnderTheSameKeyAndRecord) {
  const Vault vault = fresh("key");
  const std::string bytes{"p\0ss\xff w\xc3\xb6rd", 11};
  const auto plain =
      vault.unseal(vault.seal(Secret{bytes}, "credential/1/password"), "credential/1/password");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->reveal(), bytes);
}

TEST_F(VaultTest, AnEmptySecretComesBackEmpty) {
  const Vault vault = fresh("key");
  const auto plain = vault.unseal(vault.seal(Secret{}, "r"), "r");
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->empty());
}

TEST_F(VaultTest, AKeyFileOpenedAgainUnsealsWhatWasSealedBefore) {
  const std::string sealed = fresh("key").seal(Secret{"enable-1"}, "r");
  const auto plain = Vault::open(file("key")).value().unseal(sealed, "r");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->reveal(), "enable-1");
}

TEST_F(VaultTest, SealingTheSameTwiceGivesDifferentBytes) {
  const Vault vault = fresh("key");
  EXPECT_NE(vault.seal(Secret{"same"}, "r"), vault.seal(Secret{"same"}, "r"));
}

TEST_F(VaultTest, TheSealedBytesDoNotHoldThePlainText) {
  const Vault vault = fresh("key");
  EXPECT_EQ(vault.seal(Secret{"correct horse"}, "r").find("correct horse"), std::string::npos);
}

TEST_F(VaultTest, AnotherKeyIsRefusedNamingTheRecord) {
  const std::string sealed = fresh("one").seal(Secret{"s"}, "credential/7/enable");
  const auto plain = fresh("two").unseal(sealed, "credential/7/enable");
  ASSERT_FALSE(plain);
  EXPECT_EQ(plain.error().failure_class, FailureClass::setup);
  EXPECT_EQ(plain.error().reason,
            "cannot unseal credential/7/enable: the key file does not fit this database");
}

TEST_F(VaultTest, ASealedValueMovedToAnotherRecordIsRefused) {
  const Vault vault = fresh("key");
  const auto plain = vault.unseal(vault.seal(Secret{"s"}, "credential/1/password"), "credential/2/password");
  ASSERT_FALSE(plain);
  EXPECT_EQ(plain.error().failure_class, FailureClass::setup);
}

TEST_F(VaultTest, EveryFlippedByteIsNoticed) {
  const Vault vault = fresh("key");
  const std::string sealed = vault.seal(Secret{"secret"}, "r");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(vault.unseal(changed, "r")) << "byte " << i;
  }
}

TEST_F(VaultTest, EveryShortenedValueIsRefused) {
  const Vault vault = fresh("key");
  const std::string sealed = vault.seal(Secret{"secret"}, "r");
  for (std::size_t size = 0; size < sealed.size(); ++size)
    EXPECT_FALSE(vault.unseal(std::string_view{sealed}.substr(0, size), "r")) << size << " bytes";
}

TEST_F(VaultTest, ANewKeyFileIsForItsOwnerAloneWhateverTheUmask) {
  for (const ::mode_t mask : {0000, 0777}) {
    const ::mode_t before = ::umask(mask);
    const auto made = Vault::create_key_file(file("key"));
    ::umask(before);
    ASSERT_TRUE(made) << made.error().reason;
    struct ::stat status {};
    ASSERT_EQ(::stat(file("key").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600u);
    EXPECT_EQ(status.st_size, 32);
    fs::remove(file("key"));
  }
}

TEST_F(VaultTest, AnExistingFileIsNotOverwritten) {
  write("key", "precious");
  const auto made = Vault::create_key_file(file("key"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().failure_class, FailureClass::setup);
  EXPECT_THAT(made.error().reason, HasSubstr("exists already"));
  EXPECT_EQ(content(file("key")), "precious");
}

TEST_F(VaultTest, AFolderThatIsMissingIsOurFaultNamingTheFile) {
  const auto made = Vault::create_key_file(folder_ / "none" / "key");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().failure_class, FailureClass::local);
  EXPECT_THAT(made.error().reason, HasSubstr("none/key"));
}

struct Unusable {
  const char* what;
  std::string content;
  ::mode_t mode;
  const char* reason;
};

TEST_F(VaultTest, AKeyFileThatCannotBeTrustedIsRefusedSayingWhy) {
  const Unusable unusable[] = {
      {"group may read", std::string(32, 'k'), 0640, "mode 0640"},
      {"others may read", std::string(32, 'k'), 0604, "mode 0604"},
      {"others may write", std::string(32, 'k'), 0602, "mode 0602"},
      {"short", std::string(31, 'k'), 0600, "31 bytes instead of 32"},
      {"long", std::string(33, 'k'), 0600, "33 bytes instead of 32"},
      {"empty", "", 0600, "0 bytes instead of 32"},
  };
  for (const Unusable& u : unusable) {
    const auto vault = Vault::open(write("key", u.content, u.mode));
    ASSERT_FALSE(vault) << u.what;
    EXPECT_EQ(vault.error().failure_class, FailureClass::setup) << u.what;
    EXPECT_THAT(vault.error().reason, HasSubstr(u.reason)) << u.what;
    EXPECT_THAT(vault.error().reason, HasSubstr(file("key").string())) << u.what;
  }
}

TEST_F(VaultTest, AMissingKeyFileIsClassSetup) {
  const auto vault = Vault::open(file("key"));
  ASSERT_FALSE(vault);
  EXPECT_EQ(vault.error().failure_class, FailureClass::setup);
  EXPECT_EQ(vault.error().reason, "key file " + file("key").string() + " does not exist");
}

TEST_F(VaultTest, AFolderOrAFifoIsNotAKeyFile) {
  ASSERT_EQ(::mkfifo(file("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(Vault::open(file("fifo")));
  EXPECT_FALSE(Vault::open(folder_));
}

}  // namespace
}  // namespace nightjar::vault
