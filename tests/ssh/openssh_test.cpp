// Against the servers people run: OpenSSH and Dropbear.
#include "ssh/machine.hpp"
#include "ssh/visit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightjar::ssh::testing {
namespace {

using ::testing::HasSubstr;

bool is_here(const char* program) {
  return std::filesystem::exists(program);
}

class OpenSsh : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_here("/usr/sbin/sshd")) GTEST_SKIP() << "openssh-server is not installed";
    make_key(folder, "host_ed25519", "ed25519");
    make_key(folder, "user", "ed25519");
    folder.write("authorized", folder.read("user.pub"));
  }

  Visit visitor(const Peer& server, std::string_view key = "user", std::string_view passphrase = "") {
    Visit visit(server.port());
    visit.credential.username = own_name();
    visit.credential.password = Secret();
    visit.credential.key = load_key(folder, key, passphrase);
    return visit;
  }

  Folder folder;
};

TEST_F(OpenSsh, RunsACommandForAnEd25519Key) {
  Peer server(openssh(folder, "host_ed25519", "authorized"));
  Visit visit = visitor(server);
  auto result = run(visit.exec("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(result) << result.error().reason << folder.read("sshd.log");
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_EQ(result->status, 7);
}

TEST_F(OpenSsh, ACommandKilledByASignalHasNoStatus) {
  Peer server(openssh(folder, "host_ed25519", "authorized"));
  Visit visit = visitor(server);
  auto result = run(visit.exec("echo half; kill -9 $$"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().failure_class, FailureClass::dropped);
}

TEST_F(OpenSsh, EveryKindOfKeyOpensTheDoorWithItsPassphrase) {
  make_key(folder, "rsa", "rsa", "", "-b 2048");
  make_key(folder, "ecdsa", "ecdsa", "", "-b 384");
  make_key(folder, "locked", "ed25519", "open sesame");
  make_key(folder, "pem", "rsa", "open sesame", "-b 2048 -m PEM");
  folder.write("authorized", folder.read("rsa.pub") + folder.read("ecdsa.pub") + folder.read("locked.pub") +
                                 folder.read("pem.pub"));
  Peer server(openssh(folder, "host_ed25519", "authorized"));
  for (const char* key : {"rsa", "ecdsa", "locked", "pem"}) {
    Visit visit = visitor(server, key, "open sesame");
    EXPECT_EQ(run(visit.outcome()).reason, "none") << key;
  }
}

TEST_F(OpenSsh, AKeyNobodyAuthorizedIsRejected) {
  make_key(folder, "stranger", "ed25519");
  Peer server(openssh(folder, "host_ed25519", "authorized"));
  Visit visit = visitor(server, "stranger");
  Failure got = run(visit.outcome());
  EXPECT_EQ(got.failure_class, FailureClass::auth);
  EXPECT_EQ(got.reason, "key rejected for " + own_name() + " (credential core/backup)");
}

TEST_F(OpenSsh, ThePinnedKeysTypeIsAskedForFirst) {
  make_key(folder, "host_rsa", "rsa", "", "-b 2048");
  Peer server(openssh(folder, "host_ed25519", "authorized", "HostKey " + folder.file("host_rsa")));
  Peer rsa_only(openssh(folder, "host_rsa", "authorized"));
  Visit first = visitor(rsa_only);
  asio::io_context loop;
  auto seen = run(loop, first.open());
  ASSERT_TRUE(seen) << seen.error().reason;
  EXPECT_EQ((*seen)->host_key().type, "ssh-rsa");
  Visit visit = visitor(server);
  visit.target.pinned = (*seen)->host_key();
  EXPECT_EQ(run(visit.outcome()).reason, "none");
}

TEST_F(OpenSsh, AnOldServerIsReachedByFallingBackOnly) {
  make_key(folder, "host_rsa", "rsa", "", "-b 2048");
  Peer server(openssh(folder, "host_rsa", "authorized",
                      "KexAlgorithms diffie-hellman-group14-sha1,diffie-hellman-group1-sha1\n"
                      "HostKeyAlgorithms ssh-rsa\nCiphers aes128-cbc,3des-cbc\nMACs hmac-sha1"));
  Visit visit = visitor(server);
  Failure refused = run(visit.outcome());
  EXPECT_EQ(refused.failure_class, FailureClass::negotiation);
  EXPECT_THAT(refused.reason, HasSubstr("it offers diffie-hellman-group14-sha1,diffie-hellman-group1-sha1"));
  visit.target.may_fall_back = true;
  asio::io_context loop;
  auto session = run(loop, visit.open());
  ASSERT_TRUE(session) << session.error().reason;
  EXPECT_EQ((*session)->algorithms(), Algorithms::legacy);
}

Task<Result<std::string>> talk(Visit& visit) {
  auto session = co_await visit.open();
  if (!session) co_return session.error();
  auto deadline = in(visit.within);
  auto shell = co_await (*session)->open_shell(Pty{}, deadline);
  if (!shell) co_return shell.error();
  std::string commands = "echo width $(stty size); exit\n";
  auto written = co_await (*session)->write(commands, deadline);
  if (!written) co_return written.error();
  std::string text;
  std::vector<char> buffer(16 * 1024);
  for (;;) {
    auto got = co_await (*session)->read_some(buffer, deadline);
    if (!got) co_return got.error();
    if (*got == 0) break;
    text.append(buffer.data(), *got);
  }
  co_await (*session)->close();
  co_return text;
}

TEST_F(OpenSsh, AShellHasAWideTerminalAndEndsWithTheDeviceClosingIt) {
  Peer server(openssh(folder, "host_ed25519", "authorized"));
  Visit visit = visitor(server);
  auto text = run(talk(visit));
  ASSERT_TRUE(text) << text.error().reason;
  EXPECT_THAT(*text, HasSubstr("width 100 511"));
}

TEST(Dropbear, ShowsItsHostKeyAndRefusesAKeyItDoesNotKnow) {
  if (!is_here("/usr/sbin/dropbear")) GTEST_SKIP() << "dropbear-bin is not installed";
  Folder folder;
  make_key(folder, "stranger", "ed25519");
  for (const char* type : {"ed25519", "rsa", "ecdsa"}) {
    Peer server(dropbear(folder, type));
    Visit visit(server.port());
    visit.credential.username = own_name();
    visit.credential.password = Secret();
    visit.credential.key = load_key(folder, "stranger");
    Failure got = run(visit.outcome());
    EXPECT_EQ(got.failure_class, FailureClass::auth) << got.reason;
    EXPECT_EQ(got.stage, Stage::auth) << got.reason;
    visit.target.pinned = HostKey{"ssh-ed25519", "SHA256:none"};
    got = run(visit.outcome());
    EXPECT_EQ(got.failure_class, FailureClass::host_key) << got.reason;
    EXPECT_THAT(got.reason, HasSubstr(type));
  }
}

}  // namespace
}  // namespace nightjar::ssh::testing
