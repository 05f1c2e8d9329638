#include "ssh/doorman.hpp"
#include "ssh/visit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace nightjar::ssh::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

Task<Result<std::unique_ptr<Session>>> open_shell(Visit& visit) {
  auto session = co_await visit.open();
  if (!session) co_return session;
  auto deadline = in(visit.within);
  auto shell = co_await (*session)->open_shell(Pty{}, deadline);
  if (!shell) co_return shell.error();
  co_return session;
}

// Until the text ends with `mark`, or the far side closes.
Task<Result<std::string>> read_until(Session& session, std::string mark, MonoTime deadline) {
  std::string text;
  std::vector<char> buffer(16 * 1024);
  while (!text.ends_with(mark)) {
    auto got = co_await session.read_some(buffer, deadline);
    if (!got) co_return got.error();
    if (*got == 0) break;
    text.append(buffer.data(), *got);
  }
  co_return text;
}

Task<Result<std::string>> converse(Visit& visit, std::string say, std::string mark) {
  auto session = co_await open_shell(visit);
  if (!session) co_return session.error();
  auto deadline = in(visit.within);
  auto written = co_await (*session)->write(std::move(say), deadline);
  if (!written) co_return written.error();
  auto text = co_await read_until(**session, std::move(mark), deadline);
  co_await (*session)->close();
  co_return text;
}

TEST(Shell, WhatIsWrittenComesBackFromAnEchoingDevice) {
  Doorman doorman;
  Visit visit(doorman.port());
  EXPECT_EQ(run(converse(visit, "show version\n", "version\n")).value(), "show version\n");
}

TEST(Shell, AWriteThatFillsTheSocketGoesThrough) {
  Doorman doorman;
  Visit visit(doorman.port());
  std::string much(2 * 1024 * 1024, 'w');
  much += "end\n";
  EXPECT_EQ(run(converse(visit, much, "end\n")).value().size(), much.size());
}

TEST(Shell, TheEndOfTheFarSideReadsAsZeroBytes) {
  Doorman doorman;
  Visit visit(doorman.port());
  EXPECT_EQ(run(converse(visit, "bye\n", "never")).value(), "bye\n");
}

TEST(Shell, LastWordsBeforeADisconnectAreNotLost) {
  Doorman doorman;
  Visit visit(doorman.port());
  EXPECT_THAT(run(converse(visit, "vanish\n", "last words")).value(), EndsWith("last words"));
}

TEST(Shell, ADroppedConnectionIsNotAnEnd) {
  Doorman doorman;
  Visit visit(doorman.port());
  auto text = run(converse(visit, "vanish\n", "never"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().failure_class, FailureClass::dropped);
  EXPECT_EQ(text.error().stage, Stage::command);
}

Task<void> read_past_a_deadline(Visit& visit, bool& timed_out, std::string& later) {
  auto session = co_await open_shell(visit);
  if (!session) co_return;
  std::vector<char> buffer(64);
  auto soon = in(Milliseconds(50));
  auto nothing = co_await (*session)->read_some(buffer, soon);
  timed_out = !nothing && nothing.error().failure_class == FailureClass::timeout;
  auto deadline = in(visit.within);
  std::string line = "still here\n";
  co_await (*session)->write(line, deadline);
  auto text = co_await read_until(**session, "here\n", deadline);
  later = text.value();
}

Task<int> discard(Task<void> task) {
  co_await std::move(task);
  co_return 0;
}

TEST(Shell, StaysUsableAfterAReadThatTimedOut) {
  Doorman doorman;
  Visit visit(doorman.port());
  bool timed_out = false;
  std::string later;
  run(discard(read_past_a_deadline(visit, timed_out, later)));
  EXPECT_TRUE(timed_out);
  EXPECT_EQ(later, "still here\n");
}

TEST(Shell, IsBusyWhenTheDeviceOpensNoMoreSessions) {
  House house;
  house.opens_channels = false;
  Doorman doorman(house);
  Visit visit(doorman.port());
  auto text = run(converse(visit, "", "x"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().failure_class, FailureClass::busy);
  EXPECT_EQ(text.error().stage, Stage::login);
}

TEST(Exec, HandsOverOutputErrorsAndStatus) {
  Doorman doorman;
  Visit visit(doorman.port());
  auto said = run(visit.exec("say hello")).value();
  EXPECT_EQ(said.output, "hello");
  EXPECT_EQ(said.status, 0);
  auto failed = run(visit.exec("fail no such command")).value();
  EXPECT_EQ(failed.output, "");
  EXPECT_EQ(failed.errors, "no such command");
  EXPECT_EQ(failed.status, 3);
}

TEST(Exec, AnEndWithoutAStatusIsDropped) {
  Doorman doorman;
  Visit visit(doorman.port());
  auto cut = run(visit.exec("cut"));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().failure_class, FailureClass::dropped);
  EXPECT_THAT(cut.error().reason, HasSubstr("without an exit status"));
  auto vanished = run(visit.exec("vanish"));
  ASSERT_FALSE(vanished);
  EXPECT_EQ(vanished.error().failure_class, FailureClass::dropped);
}

TEST(Exec, MoreThanAskedForIsIncomplete) {
  Doorman doorman;
  Visit visit(doorman.port());
  EXPECT_EQ(run(visit.exec("big 100000", 100'000)).value().output.size(), 100'000u);
  auto over = run(visit.exec("big 100001", 100'000));
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().failure_class, FailureClass::incomplete);
}

TEST(Exec, ACommandThatHangsIsATimeout) {
  Doorman doorman;
  Visit visit(doorman.port());
  visit.within = Milliseconds(1000);
  auto hung = run(visit.exec("hang"));
  ASSERT_FALSE(hung);
  EXPECT_EQ(hung.error().failure_class, FailureClass::timeout);
}

TEST(Close, SaysGoodbyeAndMayBeCalledTwice) {
  int polite = 0;
  {
    Doorman doorman;
    Visit visit(doorman.port());
    auto twice = [](Visit& v) -> Task<int> {
      auto session = co_await open_shell(v);
      if (!session) co_return 0;
      co_await (*session)->close();
      co_await (*session)->close();
      co_return 1;
    };
    run(twice(visit));
    // The next login is served after the goodbye of the one before was read, on another thread: wait for it
    // by its count.
    while (doorman.polite_ends() == 0) std::this_thread::yield();
    polite = doorman.polite_ends();
  }
  EXPECT_EQ(polite, 1);
}

TEST(Close, DropsADeviceThatDoesNotAgree) {
  // The relay stops carrying anything once the shell is up.
  Doorman doorman;
  std::atomic<bool> frozen{false};
  Peer relay([&](int socket) {
    int far = connect_to(doorman.port());
    auto carry = [&](int from, int to) {
      char buffer[4096];
      ssize_t got = 0;
      while ((got = ::recv(from, buffer, sizeof buffer, 0)) > 0) {
        if (!frozen) say(to, {buffer, static_cast<std::size_t>(got)});
      }
      ::shutdown(to, SHUT_RDWR);
    };
    std::thread back([&] { carry(far, socket); });
    carry(socket, far);
    back.join();
    ::close(far);
  });
  Visit visit(relay.port());
  visit.limits.logout = Seconds(1);
  auto part = [&](Visit& v) -> Task<int> {
    auto session = co_await open_shell(v);
    if (!session) co_return 0;
    frozen = true;
    co_await (*session)->close();
    co_return 1;
  };
  EXPECT_EQ(run(part(visit)), 1);
}

TEST(Cancelling, EndsAWaitWithOperationAbortedAndLeavesTheSessionClosable) {
  Doorman doorman;
  Visit visit(doorman.port());
  asio::io_context loop;
  asio::cancellation_signal stop;
  bool aborted = false;
  bool closed = false;
  auto task = [&]() -> Task<void> {
    auto session = co_await open_shell(visit);
    if (!session) co_return;
    asio::post(loop, [&] { stop.emit(asio::cancellation_type::terminal); });
    try {
      std::vector<char> buffer(64);
      auto deadline = in(visit.within);
      co_await (*session)->read_some(buffer, deadline);
    } catch (const boost::system::system_error& e) {
      aborted = e.code() == asio::error::operation_aborted;
    }
    co_await (*session)->close();
    closed = true;
  };
  asio::co_spawn(loop, task(), asio::bind_cancellation_slot(stop.slot(), asio::detached));
  loop.run();
  EXPECT_TRUE(aborted);
  EXPECT_TRUE(closed);
}

Task<int> back_up(Visit& visit, std::size_t bytes) {
  auto session = co_await open_shell(visit);
  if (!session) co_return 0;
  std::vector<char> buffer(16 * 1024);
  auto deadline = in(visit.within);
  while (bytes > 0) {
    auto got = co_await (*session)->read_some(buffer, deadline);
    if (!got || *got == 0) co_return 0;
    bytes -= *got;
  }
  co_await (*session)->close();
  co_return 1;
}

TEST(ManySessions, AHundredAtOnceRunOnOneThread) {
  House house;
  house.shell_bytes = 20'000;
  Doorman doorman(house);
  Visit visit(doorman.port());
  visit.within = Milliseconds(60'000);
  visit.limits.connect = visit.limits.identification = visit.limits.handshake = visit.limits.auth =
      visit.limits.channel = Seconds(60);
  asio::io_context loop;
  int done = 0;
  for (int i = 0; i < 100; ++i) {
    asio::co_spawn(loop, back_up(visit, house.shell_bytes),
                   [&](const std::exception_ptr&, int one) { done += one; });
  }
  loop.run();
  EXPECT_EQ(done, 100);
}

TEST(Descriptors, NoneIsLeftAfterHangUpsAtRandomPlaces) {
  asio::io_context loop;
  {
    ClosedPort closed;
    Visit visit(closed.port());
    run(loop, visit.outcome());  // the loop's own descriptors exist from here on
  }
  int before = open_descriptors();
  int ended = 0;
  {
    House house;
    house.shell_bytes = 2'000;
    Doorman doorman(house);
    std::mt19937 dice(20261130);
    std::atomic<std::size_t> budget{0};
    std::atomic<bool> reset{false};
    Peer moody([&](int socket) {
      std::size_t left = budget;
      if (reset) reset_when_closed(socket);
      int far = connect_to(doorman.port());
      std::thread there([&] {
        char buffer[4096];
        ssize_t got = 0;
        while ((got = ::recv(socket, buffer, sizeof buffer, 0)) > 0)
          say(far, {buffer, static_cast<std::size_t>(got)});
      });
      char buffer[4096];
      ssize_t got = 0;
      while (left > 0 && (got = ::recv(far, buffer, std::min(left, sizeof buffer), 0)) > 0) {
        say(socket, {buffer, static_cast<std::size_t>(got)});
        left -= static_cast<std::size_t>(got);
      }
      ::shutdown(far, SHUT_RDWR);
      ::shutdown(socket, reset ? SHUT_RD : SHUT_RDWR);
      there.join();
      ::close(far);
    });
    Visit visit(moody.port());
    for (int i = 0; i < 200; ++i) {
      budget = std::uniform_int_distribution<std::size_t>(0, 5'000)(dice);
      reset = dice() % 2 == 0;
      run(loop, back_up(visit, house.shell_bytes));
      ++ended;
    }
  }
  EXPECT_EQ(ended, 200);
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace nightjar::ssh::testing
