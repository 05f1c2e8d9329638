// The courier at a terminal: one JSON object a line in, one a line out, in the order in which they are done.
// What a test in another language drives.
//   {"n":1,"send":{"host":..,"port":..,..},"mail":{..}}   {"n":2,"post":{"url":..,..}}   {"stop":true}
//   -> {"n":1,"verdict":"delivered","status":250,"detail":..,"retry_after":null,"left_out":[]}
#include <nightjar/delivery/courier.hpp>
#include <nightjar/delivery/payload.hpp>
#include <nightjar/runtime/spawn.hpp>

#include <nlohmann/json.hpp>

#include <iostream>
#include <thread>

namespace nightjar::delivery {
namespace {

using Json = nlohmann::json;

Security security(const std::string& name) {
  return name == "tls" ? Security::tls : name == "starttls" ? Security::starttls : Security::none;
}

MailServer read_server(const Json& json) {
  MailServer server;
  server.host = json.value("host", "127.0.0.1");
  server.port = json.at("port").get<std::uint16_t>();
  server.security = security(json.value("security", "none"));
  server.username = json.value("username", "");
  server.password = Secret{json.value("password", "")};
  server.ca_file = json.value("ca_file", "");
  server.timeout = Seconds{json.value("timeout_seconds", 60)};
  return server;
}

Mail read_mail(const Json& json) {
  Mail mail;
  mail.from = json.value("from", "nightjar@example.net");
  mail.to = json.value("to", std::vector<std::string>{"noc@example.org"});
  mail.subject = json.value("subject", "");
  mail.text = json.value("text", "");
  mail.html = json.value("html", "");
  mail.message_id = json.value("message_id", "1@example.net");
  mail.in_reply_to = json.value("in_reply_to", "");
  mail.date = UtcTime{Seconds{json.value("date", 1'606'701'600)}};
  return mail;
}

// `secrets` signs the body; `headers` are added.
Post read_post(const Json& json, UtcTime now) {
  Post post;
  post.url = json.at("url");
  post.body = json.value("body", "{}");
  post.ca_file = json.value("ca_file", "");
  post.allow_link_local = json.value("allow_link_local", false);
  post.timeout = Seconds{json.value("timeout_seconds", 60)};
  std::vector<Secret> secrets;
  const Json texts = json.value("secrets", Json::array());
  for (const Json& text : texts) secrets.emplace_back(text.get<std::string>());
  post.headers = webhook_headers(json.value("id", "msg_1"), now, post.body, secrets).value();
  const Json headers = json.value("headers", Json::object());
  for (const auto& [name, value] : headers.items()) post.headers.emplace_back(name, value);
  return post;
}

void write(int n, const Answer& answer) {
  Json left_out = Json::array();
  for (const LeftOut& left : answer.left_out)
    left_out.push_back({{"address", left.address}, {"verdict", to_text(left.verdict)}, {"said", left.said}});
  Json line{{"n", n},
            {"verdict", to_text(answer.verdict)},
            {"status", answer.status},
            {"detail", answer.detail},
            {"retry_after", nullptr},
            {"left_out", std::move(left_out)}};
  if (answer.retry_after) line["retry_after"] = answer.retry_after->count();
  std::cout << line.dump() << std::endl;
}

Task<void> deliver(Courier& courier, int n, Json request, UtcTime now) {
  Answer answer;
  if (request.contains("post")) {
    auto post = read_post(request.at("post"), now);
    answer = co_await courier.post(std::move(post));
  } else {
    auto server = read_server(request.at("send"));
    auto mail = read_mail(request.at("mail"));
    answer = co_await courier.send(std::move(server), std::move(mail));
  }
  write(n, answer);
}

void run() {
  asio::io_context context;
  auto work = asio::make_work_guard(context);
  const runtime::SystemClock clock;
  Courier courier(clock);
  std::thread loop([&context] { context.run(); });
  for (std::string line; std::getline(std::cin, line);) {
    const Json request = Json::parse(line);
    if (request.contains("stop")) {
      courier.stop();
      continue;
    }
    runtime::spawn_logged(context.get_executor(), "delivery",
                          deliver(courier, request.at("n"), request, clock.now()));
  }
  courier.stop();
  work.reset();
  loop.join();
}

}  // namespace
}  // namespace nightjar::delivery

int main() {
  nightjar::delivery::run();
  return 0;
}
