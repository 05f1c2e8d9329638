// What most tests do: open a session to 127.0.0.1 with short limits and look at what came of it.
#pragma once
#include "ssh/loop.hpp"

#include <nightjar/ssh/session.hpp>

namespace nightjar::ssh::testing {

struct Visit {
  explicit Visit(std::uint16_t port) {
    target.address = "127.0.0.1";
    target.port = port;
    credential.name = "core/backup";
    credential.username = "backup";
    credential.password = Secret("right");
    limits.connect = limits.identification = limits.handshake = limits.auth = limits.channel = Seconds(10);
    limits.logout = Seconds(2);
  }

  Task<Result<std::unique_ptr<Session>>> open() {
    auto deadline = in(within);
    co_return co_await Session::open(target, credential, limits, deadline);
  }

  // Opens and closes. The failure, or one of class internal with the reason "none".
  Task<Failure> outcome() {
    auto session = co_await open();
    if (!session) co_return session.error();
    co_await (*session)->close();
    co_return failure(FailureClass::internal, Stage::none, "none");
  }

  Task<Result<ExecResult>> exec(std::string command, std::size_t most = 1 << 20) {
    auto session = co_await open();
    if (!session) co_return session.error();
    auto deadline = in(within);
    auto result = co_await (*session)->exec(std::move(command), most, deadline);
    co_await (*session)->close();
    co_return result;
  }

  Target target;
  Credential credential;
  Limits limits;
  Milliseconds within{20'000};
};

}  // namespace nightjar::ssh::testing
