#include "api/caught_log.hpp"
#include "api/server.hpp"

#include <nightjar/api/http.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

namespace nightjar::api {
namespace {

using testing::Answer;
using testing::CaughtLog;
using testing::Client;
using testing::get;
using ::testing::HasSubstr;
using testing::Server;

// Says back what was asked.
Task<Response> echo(Request request) {
  std::string said = request.method + ' ' + request.path + " ?" + request.query + '\n';
  for (const auto& [name, value] : request.headers) said += name + '=' + value + '\n';
  Response response;
  response.body = std::move(said) + request.body;
  co_return response;
}

Task<Response> empty(Request) {
  Response response;
  response.status = 204;
  co_return response;
}

Task<Response> fail(Request) {
  throw std::runtime_error("the store is on fire");
  co_return Response{};
}

Task<Response> split(Request) {
  Response response;
  response.headers.emplace("Location", "/\r\nSet-Cookie: forged=1");
  co_return response;
}

Task<Response> cacheable(Request) {
  Response response;
  response.content_type = "text/css";
  response.headers.emplace("Cache-Control", "max-age=3600");
  co_return response;
}

Answer ask(const Server& server, std::string_view bytes) {
  Client client(server);
  client.send(bytes);
  return client.answer();
}

TEST(Listener, HandsOverWhatWasAskedAndSendsTheAnswer) {
  const Server server(echo);
  const Answer answer =
      ask(server, "GET /series/12?all=1&x=%20 HTTP/1.1\r\nHost: nightjar.example\r\nX-Trace: 7\r\n\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "GET /series/12 ?all=1&x=%20\nHost=nightjar.example\nX-Trace=7\n");
  EXPECT_TRUE(answer.says("Content-Type: text/plain; charset=utf-8\r\n"));
}

TEST(Listener, HandsOverTheBodyOfARequest) {
  const Server server(echo);
  const Answer answer = ask(server, "GET / HTTP/1.1\r\nHost: n\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_THAT(answer.body, HasSubstr("hello"));
}

TEST(Listener, EveryAnswerForbidsGuessingAndKeeping) {
  const Server server(routes({{"/", echo}}));
  for (const auto* target : {"/", "/nowhere"}) {
    const Answer answer = ask(server, get(target));
    EXPECT_TRUE(answer.says("X-Content-Type-Options: nosniff\r\n")) << target;
    EXPECT_TRUE(answer.says("Cache-Control: no-store\r\n")) << target;
  }
}

TEST(Listener, AHandlerMaySayThatItsAnswerKeeps) {
  const Server server(cacheable);
  const Answer answer = ask(server, get("/"));
  EXPECT_TRUE(answer.says("Cache-Control: max-age=3600\r\n"));
  EXPECT_FALSE(answer.says("no-store"));
}

TEST(Listener, AConnectionCarriesOneRequestAfterAnother) {
  const Server server(echo);
  Client client(server);
  for (const auto* target : {"/one", "/two", "/three"}) {
    client.send(get(target));
    EXPECT_THAT(client.answer().body, HasSubstr(target));
  }
}

TEST(Listener, RequestsSentAtOnceAreAnsweredInOrder) {
  const Server server(echo);
  Client client(server);
  client.send(get("/one") + get("/two"));
  EXPECT_THAT(client.answer().body, HasSubstr("/one"));
  EXPECT_THAT(client.answer().body, HasSubstr("/two"));
}

TEST(Listener, AClientThatWantsNoMoreIsTakenAtItsWord) {
  const Server server(echo);
  Client asks_to_close(server);
  asks_to_close.send("GET / HTTP/1.1\r\nHost: n\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(asks_to_close.answer().says("Connection: close\r\n"));
  EXPECT_TRUE(asks_to_close.at_end());
  Client old(server);
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.answer().status, 200);
  EXPECT_TRUE(old.at_end());
}

TEST(Listener, AClientThatStopsSendingStillGetsItsAnswer) {
  const Server server(echo);
  Client client(server);
  client.send(get("/"));
  client.shut_down_sending();
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_TRUE(client.at_end());
}

TEST(Listener, HeadIsAnsweredWithTheLengthAndWithoutTheBody) {
  const Server server(echo);
  Client client(server);
  client.send("HEAD /metrics HTTP/1.1\r\nHost: n\r\n\r\n");
  const Answer answer = client.answer(true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.says("Content-Length: 23\r\n"));
  client.send(get("/next"));
  EXPECT_THAT(client.answer().body, HasSubstr("/next"));
}

TEST(Listener, AnAnswerWithoutContentHasNoLength) {
  const Server server(empty);
  const Answer answer = ask(server, get("/"));
  EXPECT_EQ(answer.status, 204);
  EXPECT_FALSE(answer.says("Content-Length"));
}

TEST(Routes, AreExactAndWhateverElseIsNotFound) {
  const Server server(routes({{"/healthz", echo}}));
  EXPECT_EQ(ask(server, get("/healthz?verbose")).status, 200);
  EXPECT_EQ(ask(server, get("/healthz/")).status, 404);
  EXPECT_EQ(ask(server, get("/")).status, 404);
  EXPECT_EQ(ask(server, get("//healthz")).status, 404);
}

TEST(Listener, OtherMethodsAreNotAllowed) {
  const Server server(echo);
  for (const auto* method : {"POST", "DELETE", "OPTIONS", "CONNECT", "BREW"}) {
    const Answer answer = ask(server, std::string(method) + " / HTTP/1.1\r\nHost: n\r\n\r\n");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_TRUE(answer.says("Allow: GET, HEAD\r\n")) << method;
  }
}

TEST(Listener, WhatIsNoRequestIsABadOne) {
  const Server server(echo);
  const std::vector<std::string> bad{
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9) + "\r\n\r\n",  // a TLS hello
      "hello\r\n\r\n",
      "GET / HTTP/9.7\r\nHost: n\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: n\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: n\r\nContent-Length: many\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",                            // no Host
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",      // two
      "GET http://192.0.2.1/ HTTP/1.1\r\nHost: n\r\n\r\n"  // for a proxy
  };
  for (const std::string& bytes : bad) {
    Client client(server);
    client.send(bytes);
    EXPECT_EQ(client.answer().status, 400) << bytes;
    EXPECT_TRUE(client.at_end()) << bytes;
  }
}

TEST(Listener, AHeaderThatIsTooLargeIsRefusedAndTheRefusalArrives) {
  const Server server(echo);
  Client client(server);
  client.send("GET / HTTP/1.1\r\nHost: n\r\nX-Long: " + std::string(100'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.answer().status, 431);
}

TEST(Listener, AHeaderOfEightKibibytesIsNotTooLarge) {
  const Server server(echo);
  const std::string start = "GET / HTTP/1.1\r\nHost: n\r\nX-Long: ";
  EXPECT_EQ(ask(server, start + std::string(8192 - start.size() - 4, 'x') + "\r\n\r\n").status, 200);
  EXPECT_EQ(ask(server, start + std::string(9216 - start.size() - 4, 'x') + "\r\n\r\n").status, 431);
}

TEST(Listener, ABodyThatIsTooLargeIsRefusedHoweverItComes) {
  const Server server(echo);
  EXPECT_EQ(ask(server, "GET / HTTP/1.1\r\nHost: n\r\nContent-Length: 65537\r\n\r\n").status, 413);
  EXPECT_EQ(ask(server, "GET / HTTP/1.1\r\nHost: n\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n" +
                            std::string(65537, 'x') + "\r\n0\r\n\r\n")
                .status,
            413);
}

TEST(Listener, AHandlersExceptionIsFiveHundredAndLogged) {
  const CaughtLog log;
  {
    const Server server(routes({{"/bad", fail}, {"/good", echo}}));
    Client client(server);
    client.send(get("/bad"));
    EXPECT_EQ(client.answer().status, 500);
    client.send(get("/good"));
    EXPECT_EQ(client.answer().status, 200);
  }
  EXPECT_THAT(log.text(), HasSubstr("GET /bad ended by an exception: the store is on fire"));
}

TEST(Listener, AHeaderThatWouldSplitTheResponseIsFiveHundred) {
  const CaughtLog log;
  {
    const Server server(split);
    const Answer answer = ask(server, get("/"));
    EXPECT_EQ(answer.status, 500);
    EXPECT_FALSE(answer.says("forged"));
  }
  EXPECT_THAT(log.text(), HasSubstr("the response's header Location holds a control byte"));
}

TEST(Listener, AClientThatHangsUpInTheMiddleLeavesTheOthersAlone) {
  const CaughtLog log;
  {
    const Server server(echo);
    Client(server).send("GET / HT");
    Client(server).send("GET / HTTP/1.1\r\nHost: n\r\nContent-Length: 500\r\n\r\nhalf");
    { const Client silent(server); }
    EXPECT_EQ(ask(server, get("/")).status, 200);
  }
  EXPECT_EQ(log.text(), "");
}

TEST(Listener, ASlowClientIsDroppedWhenItsTimeIsUp) {
  Limits limits;
  limits.request_time = Milliseconds{50};
  const Server server(echo, limits);
  Client half(server);
  half.send("GET / HTTP/1.1\r\nHost:");
  EXPECT_TRUE(half.at_end());
  Client idle(server);
  EXPECT_TRUE(idle.at_end());
}

// Never answers; `began` is told when it runs, and what it saw of its cancellation when that comes.
class Stuck {
 public:
  Task<Response> operator()(Request) {
    began.set_value();
    asio::steady_timer timer(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    auto [error] = co_await timer.async_wait(as_result);
    cancelled.set_value(error == asio::error::operation_aborted);
    co_return Response{};
  }
  std::promise<void> began;
  std::promise<bool> cancelled;
};

TEST(Listener, ARequestThatTakesTooLongIsCancelledAndItsClientDropped) {
  Limits limits;
  limits.request_time = Milliseconds{50};
  Stuck stuck;
  const Server server([&](Request request) { return stuck(std::move(request)); }, limits);
  Client client(server);
  client.send(get("/"));
  EXPECT_TRUE(client.at_end());
  EXPECT_TRUE(stuck.cancelled.get_future().get());
}

TEST(Listener, ClosingCancelsARequestThatRunsAndLeavesNoTask) {
  const CaughtLog log;
  Stuck stuck;
  {
    Server server([&](Request request) { return stuck(std::move(request)); });
    Client client(server);
    client.send(get("/"));
    stuck.began.get_future().wait();
    server.close();
    EXPECT_TRUE(client.at_end());
    EXPECT_TRUE(stuck.cancelled.get_future().get());
  }
  EXPECT_EQ(log.text(), "");
}

TEST(Listener, ClosingDropsIdleConnectionsAndTakesNoNewOnes) {
  Server server(echo);
  Client client(server);
  client.send(get("/"));
  EXPECT_EQ(client.answer().status, 200);
  server.close();
  EXPECT_TRUE(client.at_end());
  EXPECT_THROW(Client another(server), boost::system::system_error);
}

TEST(Listener, AHundredClientsAtOnceAreAllAnswered) {
  const Server server(echo);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(std::make_unique<Client>(server));
  for (const auto& client : clients) client->send(get("/"));
  int answered = 0;
  for (auto& client : clients) {
    answered += client->answer().status == 200 ? 1 : 0;
    client.reset();
  }
  EXPECT_EQ(answered, 100);
}

TEST(Listener, AFullHouseSendsItsGuestsAwayAfterTheirAnswer) {
  Limits limits;
  limits.connections = 2;
  const Server server(echo, limits);
  Client first(server);
  auto second = std::make_unique<Client>(server);
  Client waiting(server);
  second->send(get("/"));  // let in in their order: by now both are
  EXPECT_TRUE(second->answer().says("Connection: close\r\n"));
  EXPECT_TRUE(second->at_end());
  second.reset();
  waiting.send(get("/"));
  EXPECT_EQ(waiting.answer().status, 200);
}

Failure refused(const std::string& address, std::uint16_t port) {
  asio::io_context loop;
  const auto opened = Listener::open(loop.get_executor(), address, port, echo);
  return opened ? Failure{} : opened.error();
}

TEST(Listener, APortInUseIsASetupFailureThatNamesIt) {
  const Server server(echo);
  EXPECT_EQ(
      refused("127.0.0.1", server.port()),
      failure(FailureClass::setup, Stage::none,
              "cannot listen on 127.0.0.1:" + std::to_string(server.port()) + ": address already in use"));
}

TEST(Listener, AnAddressThatIsNoneOrNotOursIsASetupFailureThatNamesIt) {
  EXPECT_EQ(refused("localhost", 9300),
            failure(FailureClass::setup, Stage::none, "cannot listen on localhost:9300: not an IP address"));
  EXPECT_EQ(refused("192.0.2.1", 9300).reason,
            "cannot listen on 192.0.2.1:9300: cannot assign requested address");
  EXPECT_THAT(refused("2001:db8::1", 9300).reason, HasSubstr("cannot listen on [2001:db8::1]:9300: "));
}

TEST(Listener, OneThatIsGoneBeforeItsLoopRanLeavesNothing) {
  asio::io_context loop;
  { const auto opened = Listener::open(loop.get_executor(), "127.0.0.1", 0, echo); }
  loop.run();
  EXPECT_TRUE(loop.stopped());
}

}  // namespace
}  // namespace nightjar::api
