// A message as it goes on the wire: from a destination and what is to be said to it, to the mail or the post
// that a courier carries. Secrets are unsealed here and nowhere before. It decides neither who is told nor
// whether there is another try, and keeps nothing.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/delivery/courier.hpp>
#include <nightjar/store/destinations.hpp>
#include <nightjar/store/outbox.hpp>
#include <nightjar/vault/vault.hpp>

#include <optional>
#include <string_view>
#include <variant>

namespace nightjar::orchestrator {

struct Letter {
  std::variant<delivery::Mail, delivery::Post> form;
  std::optional<delivery::MailServer> server;  // of a mail
};

// Parts of a destination's record in the vault.
inline constexpr std::string_view secret_part = "secret";
inline constexpr std::string_view previous_secret_part = "previous_secret";

// `event_id` is the webhook-id and, with the sender's domain, the Message-ID: the same for each try. `now` is
// the time of this try. Class setup when there is no mail server, or a secret cannot be unsealed.
Result<Letter> letter(const store::Destination& destination, const store::Content& content,
                      std::string_view event_id, const std::optional<store::MailServerRow>& mail_server,
                      const vault::Vault& vault, UtcTime now);

// The courier outlives the task.
Task<delivery::Answer> send(delivery::Courier& courier, Letter letter);

}  // namespace nightjar::orchestrator
