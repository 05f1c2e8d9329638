#include "ssh/wire.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

namespace nightjar::ssh::testing {
namespace {

namespace error = boost::asio::error;

FailureClass class_of(std::string_view complaint, Stage stage = Stage::handshake) {
  return session_failure("192.0.2.10:22", stage, complaint).failure_class;
}

TEST(ResolveFailures, TellANameThatDoesNotExistFromASilentDns) {
  Failure none = resolve_failure("core-01", error::host_not_found);
  EXPECT_EQ(none.failure_class, FailureClass::setup);
  EXPECT_EQ(none.reason, "no host is named core-01");
  EXPECT_EQ(resolve_failure("core-01", error::host_not_found_try_again).failure_class,
            FailureClass::unreachable);
}

TEST(ConnectFailures, NameThePeerAndTheCause) {
  EXPECT_EQ(connect_failure("192.0.2.10:22", error::connection_refused).reason,
            "connection refused by 192.0.2.10:22");
  EXPECT_EQ(connect_failure("192.0.2.10:22", error::host_unreachable).reason, "no route to 192.0.2.10:22");
  EXPECT_EQ(connect_failure("192.0.2.10:22", error::network_unreachable).failure_class,
            FailureClass::unreachable);
  EXPECT_EQ(connect_failure("192.0.2.10:22", error::timed_out).reason, "no answer from 192.0.2.10:22");
  EXPECT_EQ(connect_failure("192.0.2.10:22", error::no_descriptors).failure_class, FailureClass::local);
}

TEST(ConnectFailures, AResetOfAnAcceptedConnectionIsADrop) {
  Failure reset = connect_failure("192.0.2.10:22", error::connection_reset);
  EXPECT_EQ(reset.failure_class, FailureClass::dropped);
  EXPECT_EQ(reset.stage, Stage::handshake);
}

TEST(SessionFailures, ADisconnectIsJudgedByItsCodeAndWords) {
  EXPECT_EQ(class_of("Received SSH_MSG_DISCONNECT: 12:no more sessions"), FailureClass::busy);
  EXPECT_EQ(class_of("Received SSH_MSG_DISCONNECT: 2:Too many authentication failures", Stage::auth),
            FailureClass::auth);
  EXPECT_EQ(class_of("Received SSH_MSG_DISCONNECT: 14:no more methods", Stage::auth), FailureClass::auth);
  EXPECT_EQ(class_of("Received SSH_MSG_DISCONNECT: 2:All VTYs in use, try again later"), FailureClass::busy);
  EXPECT_EQ(class_of("Received SSH_MSG_DISCONNECT: 11:bye", Stage::command), FailureClass::dropped);
  EXPECT_EQ(class_of("Received SSH_MSG_DISCONNECT: 3:no matching cipher"), FailureClass::negotiation);
}

TEST(SessionFailures, AGroupOutOfRangeSaysItsBits) {
  Failure got = session_failure("192.0.2.10:22", Stage::handshake,
                                "Invalid dh group parameter p: 1024 not in [2048:8192]");
  EXPECT_EQ(got.failure_class, FailureClass::negotiation);
  EXPECT_NE(got.reason.find("1024 bits"), std::string::npos);
}

TEST(SessionFailures, ALostConnectionIsDropped) {
  EXPECT_EQ(session_failure("192.0.2.10:22", Stage::command, "Socket error: disconnected").reason,
            "192.0.2.10:22 closed the connection");
  EXPECT_EQ(class_of("Socket error: Connection reset by peer"), FailureClass::dropped);
  EXPECT_EQ(class_of(""), FailureClass::dropped);
}

TEST(OneLine, KeepsControlBytesOutOfReasons) {
  EXPECT_EQ(one_line("\x1b[31m no\r\n free \t line\x07"), "[31m no free line");
  EXPECT_EQ(one_line("abcdef", 3), "abc");
  EXPECT_EQ(one_line("\r\n"), "");
}

}  // namespace
}  // namespace nightjar::ssh::testing
