// Where alerts and reports go: destinations of the platform and of customers, and the server that mail goes
// through. Secrets come and go sealed; whether an address makes sense is checked before it comes here.
#pragma once
#include <nightjar/alerting/event.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::store {

enum class DestinationKind : std::uint8_t { email, webhook };
std::string_view to_text(DestinationKind);
enum class Preset : std::uint8_t { generic, slack, teams };  // the form of a webhook's body
std::string_view to_text(Preset);
std::optional<Preset> parse_preset(std::string_view);

struct Destination {
  DestinationId id;
  std::optional<CustomerId> customer;  // none: the platform's
  std::string customer_name;           // "" for the platform's
  DestinationKind kind = DestinationKind::email;
  std::string address;  // a URL, or mail addresses separated by ","
  Preset preset = Preset::generic;
  alerting::Events events;
  bool allow_link_local = false;
  std::string sealed_secret, sealed_previous_secret;  // empty: none
  UtcTime created_at{};
  std::optional<UtcTime> disabled_at;
  std::string disabled_because;
};
// Record ids for the vault.
std::string destination_record(DestinationId, std::string_view part);
inline constexpr std::string_view mail_password_record = "mail/password";

struct MailServerRow {
  std::string host;
  std::uint16_t port = 587;
  std::string security;  // none, starttls or tls
  std::string sender;
  std::string username;  // "": no login
  std::string sealed_password;
  std::string ca_file;
  bool operator==(const MailServerRow&) const = default;
};

class Destinations {
 public:
  explicit Destinations(Database& db) : db_(db) {}

  Result<DestinationId> add(const Destination&);  // secrets empty: they need the id first
  Result<void> update(const Destination&);
  Result<void> remove(DestinationId);       // with the messages to it
  Result<Destination> find(DestinationId);  // unknown: class setup
  // Of one customer, or the platform's when none is named; `all`: everybody's.
  Result<std::vector<Destination>> list(std::optional<CustomerId>);
  Result<std::vector<Destination>> all();
  // Enabled ones that hear of a customer's events: its own and the platform's. The secrets are left out.
  Result<std::vector<Destination>> hearing_of(CustomerId);
  // From now on nothing goes there, and what waits for it is dead. `because` is shown.
  Result<void> disable(DestinationId, std::string_view because, UtcTime now);

  Result<std::optional<MailServerRow>> mail_server();
  Result<void> set_mail_server(const std::optional<MailServerRow>&);

 private:
  Database& db_;
};

}  // namespace nightjar::store
