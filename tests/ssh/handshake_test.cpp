#include "ssh/algorithms.hpp"
#include "ssh/doorman.hpp"
#include "ssh/visit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace nightjar::ssh::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

void expect_failure(const Failure& got, FailureClass what, Stage stage, const std::string& words) {
  EXPECT_EQ(to_text(got.failure_class), to_text(what)) << got.reason;
  EXPECT_EQ(to_text(got.stage), to_text(stage)) << got.reason;
  EXPECT_THAT(got.reason, HasSubstr(words));
}

House with_host_key(std::string type) {
  House house;
  house.host_key_type = std::move(type);
  return house;
}

TEST(Dial, AClosedPortIsUnreachableAndNamesThePeer) {
  ClosedPort closed;
  Visit visit(closed.port());
  expect_failure(run(visit.outcome()), FailureClass::unreachable, Stage::connect,
                 "connection refused by 127.0.0.1:" + std::to_string(closed.port()));
}

TEST(Dial, TheAddressesOfANameAreTriedInOrder) {
  Doorman doorman;
  Visit visit(doorman.port());
  visit.target.address = "localhost";  // ::1 first on many machines, and nobody listens there
  EXPECT_EQ(run(visit.outcome()).reason, "none");
}

TEST(Dial, ANameThatDoesNotExistIsASetupFailureUnlessDnsIsSilent) {
  Visit visit(22);
  visit.target.address = "core-01.example.invalid";
  Failure got = run(visit.outcome());
  EXPECT_EQ(got.stage, Stage::resolve);
  EXPECT_THAT(got.reason, HasSubstr("core-01.example.invalid"));
}

TEST(Dial, ADeadlineThatHasPassedEndsItAtOnce) {
  Doorman doorman;
  Visit visit(doorman.port());
  visit.within = Milliseconds(0);
  EXPECT_NE(run(visit.outcome()).reason, "none");
}

TEST(Dial, BeingOutOfDescriptorsIsOurOwnFault) {
  asio::io_context loop;
  ClosedPort closed;
  Visit visit(closed.port());
  auto warm_up = run(loop, visit.outcome());  // the loop's own descriptors exist from here on
  std::vector<int> taken;
  for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) taken.push_back(fd);
  Failure got = run(loop, visit.outcome());
  for (int fd : taken) ::close(fd);
  expect_failure(got, FailureClass::local, Stage::connect, "out of file descriptors");
}

TEST(Identification, APeerThatSaysNothingIsATimeout) {
  Peer silent(hear_until_closed);
  Visit visit(silent.port());
  visit.limits.identification = Seconds(1);
  expect_failure(run(visit.outcome()), FailureClass::timeout, Stage::handshake,
                 "no SSH identification from " + silent.name() + " within 1 s");
}

TEST(Identification, APeerThatSpeaksAnotherProtocolIsQuoted) {
  Peer mail([](int socket) {
    say(socket, "220 mail.example.net ready\r\n");
    hear_until_closed(socket);
  });
  Visit visit(mail.port());
  visit.limits.identification = Seconds(1);
  expect_failure(run(visit.outcome()), FailureClass::timeout, Stage::handshake,
                 "it said \"220 mail.example.net ready\"");
}

TEST(Identification, AFloodOfOtherTextIsNoSshServer) {
  Peer flood([](int socket) {
    for (int i = 0; i < 1000; ++i) say(socket, "\x01\x02 garbage without an end ");
    hear_until_closed(socket);
  });
  Visit visit(flood.port());
  expect_failure(run(visit.outcome()), FailureClass::negotiation, Stage::handshake, "is no SSH server");
}

TEST(Identification, TextBeforeTheIdentificationIsReadOver) {
  Doorman doorman;
  Peer talkative([&](int socket) {
    say(socket, "Authorized use only\r\nS\r\n");
    doorman.serve()(socket);
  });
  Visit visit(talkative.port());
  EXPECT_EQ(run(visit.outcome()).reason, "none");
}

TEST(Identification, ServersThatWaitForTheClientToSpeakAreSpokenTo) {
  Doorman doorman;
  std::atomic<bool> client_spoke{false};
  Peer shy([&](int socket) {
    char first[4];
    client_spoke = ::recv(socket, first, sizeof first, MSG_PEEK | MSG_WAITALL) == 4;
    doorman.serve()(socket);
  });
  Visit visit(shy.port());
  EXPECT_EQ(run(visit.outcome()).reason, "none");
  EXPECT_TRUE(client_spoke);
}

TEST(Identification, ARefusalForLackOfRoomIsBusy) {
  Peer full([](int socket) { say(socket, "Exceeded MaxStartups\r\n"); });
  Visit visit(full.port());
  expect_failure(run(visit.outcome()), FailureClass::busy, Stage::handshake,
                 "it said \"Exceeded MaxStartups\"");
}

TEST(Identification, AHangUpWithoutAWordIsDropped) {
  Peer rude([](int) {});
  Visit visit(rude.port());
  expect_failure(run(visit.outcome()), FailureClass::dropped, Stage::handshake,
                 "the connection before its SSH identification");  // closed or reset, as the timing has it
}

TEST(Identification, DrippedBytesDoNotExtendTheLimit) {
  Peer drip([](int socket) {
    pollfd peer{socket, POLLRDHUP, 0};
    say(socket, "SSH-2.0-");
    while (::poll(&peer, 1, 20) == 0) say(socket, "x");
  });
  Visit visit(drip.port());
  visit.limits.identification = Seconds(1);
  expect_failure(run(visit.outcome()), FailureClass::timeout, Stage::handshake, "no SSH identification");
}

TEST(Identification, Ssh1IsNotNegotiable) {
  Peer old([](int socket) {
    say(socket, "SSH-1.5-Cisco-1.25\n");
    hear_until_closed(socket);
  });
  Visit visit(old.port());
  expect_failure(run(visit.outcome()), FailureClass::negotiation, Stage::handshake, "does not speak SSH 2");
}

TEST(Handshake, APeerThatStopsAfterItsIdentificationIsATimeout) {
  Peer stuck([](int socket) {
    say(socket, "SSH-2.0-Stuck\r\n");
    hear_until_closed(socket);
  });
  Visit visit(stuck.port());
  visit.limits.handshake = Seconds(1);
  expect_failure(run(visit.outcome()), FailureClass::timeout, Stage::handshake, "no SSH handshake from");
}

TEST(Handshake, AResetInTheMiddleIsDropped) {
  Peer reset([](int socket) {
    say(socket, "SSH-2.0-Reset\r\n");
    hear(socket, 200);
    reset_when_closed(socket);
  });
  Visit visit(reset.port());
  expect_failure(run(visit.outcome()), FailureClass::dropped, Stage::handshake, reset.name());
}

struct Mismatch {
  const char* what;
  std::string ours;
  std::string packet;
};

class NoCommonAlgorithm : public ::testing::TestWithParam<std::tuple<int, Algorithms>> {};

TEST_P(NoCommonAlgorithm, IsANegotiationFailureThatShowsBothOffers) {
  auto [list, set] = GetParam();
  Offer ours = offer(set, std::nullopt);
  std::string fine_mac = "hmac-sha2-256";
  std::vector<Mismatch> lists{
      {"kex algos", ours.key_exchange, kexinit("none-such", "ssh-ed25519", "aes128-ctr", fine_mac)},
      {"server host key algo", ours.host_keys,
       kexinit("curve25519-sha256", "none-such", "aes128-ctr", fine_mac)},
      {"encryption client->server", ours.ciphers,
       kexinit("curve25519-sha256", "ssh-ed25519", "none-such", fine_mac)},
      {"mac algo client->server", ours.macs,
       kexinit("curve25519-sha256", "ssh-ed25519", "aes128-ctr", "none-such")}};
  const Mismatch& mismatch = lists[static_cast<std::size_t>(list)];
  Peer odd([&](int socket) {
    say(socket, "SSH-2.0-Odd\r\n" + mismatch.packet);
    hear_until_closed(socket);
  });
  Visit visit(odd.port());
  visit.target.algorithms = set;
  // The whole list as we meant it: an algorithm this libssh does not know would have vanished from it.
  expect_failure(run(visit.outcome()), FailureClass::negotiation, Stage::handshake,
                 std::string("no common ") + mismatch.what + " with " + odd.name() +
                     ": it offers none-such; we offer " + mismatch.ours);
}

INSTANTIATE_TEST_SUITE_P(EachList, NoCommonAlgorithm,
                         ::testing::Combine(::testing::Range(0, 4),
                                            ::testing::Values(Algorithms::modern, Algorithms::legacy)));

TEST(HostKeys, AnotherKeyThanThePinnedOneIsRefusedBeforeAnySecretIsSent) {
  Doorman doorman;
  Visit visit(doorman.port());
  visit.target.pinned = HostKey{"ssh-ed25519", "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
  Failure got = run(visit.outcome());
  expect_failure(
      got, FailureClass::host_key, Stage::host_key,
      "pinned ssh-ed25519 SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA, shown ssh-ed25519 SHA256:");
  EXPECT_THAT(doorman.passwords(), IsEmpty());
}

TEST(HostKeys, TheKeySeenAtFirstUseIsAcceptedWhenPinned) {
  Doorman doorman;
  Visit visit(doorman.port());
  asio::io_context loop;
  auto first = run(loop, visit.open());
  ASSERT_TRUE(first) << first.error().reason;
  EXPECT_EQ((*first)->host_key().type, "ssh-ed25519");
  EXPECT_THAT((*first)->host_key().fingerprint, StartsWith("SHA256:"));
  EXPECT_EQ((*first)->host_key().fingerprint.size(), 7u + 43u);
  EXPECT_EQ((*first)->peer(), doorman.name());
  visit.target.pinned = (*first)->host_key();
  EXPECT_EQ(run(visit.outcome()).reason, "none");
}

TEST(HostKeys, AnRsaKeyThatIsTooSmallIsRefusedWithItsBits) {
  Doorman doorman(with_host_key("rsa:800"));
  Visit visit(doorman.port());
  expect_failure(run(visit.outcome()), FailureClass::negotiation, Stage::handshake,
                 "has 800 bits, at least 1024 are asked for");
  EXPECT_THAT(doorman.passwords(), IsEmpty());
}

TEST(HostKeys, OldDevicesMayShowAShorterKey) {
  Doorman doorman(with_host_key("rsa:800"));
  Visit visit(doorman.port());
  visit.target.algorithms = Algorithms::legacy;
  EXPECT_EQ(run(visit.outcome()).reason, "none");
}

TEST(FallingBack, IsTriedInANewConnectionAndTheSetThatWorkedIsTold) {
  Doorman doorman(with_host_key("rsa:800"));
  Visit visit(doorman.port());
  visit.target.may_fall_back = true;
  asio::io_context loop;
  auto session = run(loop, visit.open());
  ASSERT_TRUE(session) << session.error().reason;
  EXPECT_EQ((*session)->algorithms(), Algorithms::legacy);
}

TEST(FallingBack, IsNotTriedWhenThePeerIsUnreachable) {
  Peer rude([](int) {});
  Visit visit(rude.port());
  visit.target.may_fall_back = true;
  EXPECT_EQ(run(visit.outcome()).failure_class, FailureClass::dropped);
  EXPECT_EQ(rude.connections(), 1);
}

}  // namespace
}  // namespace nightjar::ssh::testing
