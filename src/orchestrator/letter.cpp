#include <nightjar/orchestrator/letter.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace nightjar::orchestrator {
namespace {

Failure setup(std::string reason) {
  return failure(FailureClass::setup, Stage::none, std::move(reason));
}

std::optional<delivery::Security> parse_security(std::string_view text) {
  if (text == "none") return delivery::Security::none;
  if (text == "starttls") return delivery::Security::starttls;
  if (text == "tls") return delivery::Security::tls;
  return std::nullopt;
}

Result<delivery::MailServer> open(const store::MailServerRow& row, const vault::Vault& vault) {
  const auto security = parse_security(row.security);
  if (!security)
    return setup(
        fmt::format("the mail server's security is \"{}\": none, starttls or tls are known", row.security));
  delivery::MailServer server;
  server.host = row.host;
  server.port = row.port;
  server.security = *security;
  server.username = row.username;
  server.ca_file = row.ca_file;
  if (!row.sealed_password.empty()) {
    auto password = vault.unseal(row.sealed_password, store::mail_password_record);
    if (!password) return std::move(password).error();
    server.password = std::move(*password);
  }
  return server;
}

std::vector<std::string> recipients(std::string_view addresses) {
  std::vector<std::string> all;
  while (!addresses.empty()) {
    const std::size_t end = std::min(addresses.find(','), addresses.size());
    if (end > 0) all.emplace_back(addresses.substr(0, end));
    addresses.remove_prefix(std::min(end + 1, addresses.size()));
  }
  return all;
}

std::string message_id(std::string_view event_id, std::string_view sender) {
  if (event_id.empty()) return {};
  return fmt::format("{}@{}", event_id, sender.substr(sender.rfind('@') + 1));
}

delivery::Mail mail(const store::Destination& destination, const store::Content& content,
                    std::string_view event_id, const std::string& sender, UtcTime now) {
  delivery::Mail mail;
  mail.from = sender;
  mail.to = recipients(destination.address);
  mail.subject = content.subject;
  mail.text = content.text;
  mail.html = content.html;
  mail.message_id = message_id(event_id, sender);
  mail.in_reply_to = message_id(content.in_reply_to, sender);
  mail.date = now;
  return mail;
}

// The current one first.
Result<std::vector<Secret>> signing_secrets(const store::Destination& destination,
                                            const vault::Vault& vault) {
  std::vector<Secret> secrets;
  const auto open = [&](const std::string& sealed, std::string_view part) -> Result<void> {
    if (sealed.empty()) return {};
    auto secret = vault.unseal(sealed, store::destination_record(destination.id, part));
    if (!secret) return std::move(secret).error();
    secrets.push_back(std::move(*secret));
    return {};
  };
  if (const auto r = open(destination.sealed_secret, secret_part); !r) return r.error();
  if (const auto r = open(destination.sealed_previous_secret, previous_secret_part); !r) return r.error();
  return secrets;
}

Result<delivery::Post> post(const store::Destination& destination, const store::Content& content,
                            std::string_view event_id, const vault::Vault& vault, UtcTime now) {
  const auto secrets = signing_secrets(destination, vault);
  if (!secrets) return secrets.error();
  auto headers = delivery::webhook_headers(event_id, now, content.body, *secrets);
  if (!headers) return std::move(headers).error();
  delivery::Post post;
  post.url = destination.address;
  post.headers = std::move(*headers);
  post.body = content.body;
  post.allow_link_local = destination.allow_link_local;
  return post;
}

}  // namespace

Result<Letter> letter(const store::Destination& destination, const store::Content& content,
                      std::string_view event_id, const std::optional<store::MailServerRow>& mail_server,
                      const vault::Vault& vault, UtcTime now) {
  if (destination.kind == store::DestinationKind::webhook) {
    auto form = post(destination, content, event_id, vault, now);
    if (!form) return std::move(form).error();
    return Letter{std::move(*form), std::nullopt};
  }
  if (!mail_server) return setup("no mail server is set: `nightjar mail set` names one");
  auto server = open(*mail_server, vault);
  if (!server) return std::move(server).error();
  return Letter{mail(destination, content, event_id, mail_server->sender, now), std::move(*server)};
}

Task<delivery::Answer> send(delivery::Courier& courier, Letter letter) {
  if (auto* post = std::get_if<delivery::Post>(&letter.form)) {
    auto answer = co_await courier.post(std::move(*post));
    co_return answer;
  }
  auto mail = std::get<delivery::Mail>(std::move(letter.form));
  auto server = letter.server.value_or(delivery::MailServer{});
  auto answer = co_await courier.send(std::move(server), std::move(mail));
  co_return answer;
}

}  // namespace nightjar::orchestrator
