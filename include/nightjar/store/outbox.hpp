// The outbox: messages to destinations, each gathered, fixed, tried and ended. What belongs into one is
// decided by `alerting`, when it is tried again by its plan; here it is kept so that a crash neither loses
// nor doubles any.
#pragma once
#include <nightjar/alerting/decide.hpp>
#include <nightjar/alerting/event.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::store {

enum class MessageState : std::uint8_t { gathering, waiting, delivered, dead };
std::string_view to_text(MessageState);

struct Message {
  MessageId id;
  std::string event_id;
  DestinationId destination;
  std::string destination_address;
  std::optional<CustomerId> customer;
  std::string customer_name;  // "": the platform
  alerting::Event event = alerting::Event::series_failed;
  MessageState state = MessageState::gathering;
  UtcTime opened_at{};
  UtcTime closes_at{};
  std::optional<UtcTime> due;  // the next try
  int tries = 0;
  std::optional<UtcTime> first_try, ended_at;
  int status = 0;  // of the newest answer
  std::string detail;
  std::size_t series = 0;  // that it tells of
};

struct Content {
  std::string subject, text, html, body;
  std::string in_reply_to;  // event id
};

struct Notification {
  DestinationId destination;
  DeviceId device;
  SeriesId series;
  int attempts = 0;
  alerting::Day day{};
  std::string cause;
};

class Outbox {
 public:
  explicit Outbox(Database& db) : db_(db) {}

  // Failures of a device that were told and not recovered from, one for each destination.
  Result<std::vector<alerting::Standing>> standing(DeviceId);

  // The message that gathers this event of this customer for this destination, opened now if there is none.
  // Telling the same end of a series twice does nothing.
  struct Gathering {
    MessageId message;
    UtcTime opened_at{};
    bool shared = false;  // one of its series has a shared cause
  };
  Result<Gathering> gather(alerting::Event, CustomerId, const Notification&, UtcTime now);
  Result<void> set_closes_at(MessageId, UtcTime);
  // The device has recovered: its failures stand no more.
  Result<void> settle(DeviceId);
  // The series goes on: what has not been sent about it yet is taken back.
  Result<void> take_back(SeriesId);
  // Failures of this customer with this class that are still being gathered and have no cause get one.
  Result<void> name_cause(CustomerId, CredentialId, std::string_view cause);

  // A message that gathers nothing: complete at once. False: there is one of this occasion already.
  Result<bool> add(alerting::Event, DestinationId, std::optional<CustomerId>, std::string_view occasion,
                   const Content&, UtcTime now);

  Result<bool> has(alerting::Event, DestinationId, std::string_view occasion);

  // Gathered messages whose time has come, the oldest first.
  Result<std::vector<Message>> complete(UtcTime now, std::size_t most);
  Result<std::vector<Notification>> notifications(MessageId);
  // The event id of the newest message about the failure of one of its devices, for a message about
  // recoveries.
  Result<std::string> told_before(MessageId);
  // What it says is fixed, and it waits for its first try now.
  Result<void> fix(MessageId, const Content&, UtcTime now);
  Result<void> drop(MessageId);  // nothing is left to tell

  // Waiting and due: the oldest of each destination. A message of recoveries waits for those that tell of the
  // failures before, of any of its devices.
  Result<std::vector<Message>> due(UtcTime now, std::size_t most);
  Result<std::optional<UtcTime>> next_at();  // when the next one is complete or due
  // Written before a try: until it is over, or its process has died, nobody else takes the message. `next`:
  // when it is due again if the try never ends. False: another process has taken it.
  Result<bool> begin_try(MessageId, std::string_view owner, UtcTime now, UtcTime next);
  Result<std::vector<std::string>> takers();                  // of messages that are being tried
  Result<void> release(std::string_view owner, UtcTime now);  // it died: what it tried is due
  Result<void> delivered(MessageId, int status, std::string_view detail, UtcTime now);
  Result<void> put_off(MessageId, int status, std::string_view detail, UtcTime next);
  Result<void> dead(MessageId, int status, std::string_view detail, UtcTime now);

  Result<Message> find(MessageId);
  Result<Content> content(MessageId);
  struct Query {
    std::optional<CustomerId> customer;
    bool undelivered = false;  // waiting or dead
    std::size_t limit = 100;
  };
  Result<std::vector<Message>> list(const Query&);  // the newest first
  // A dead one is tried again from now on, by a plan that starts afresh, with the id it had.
  Result<void> replay(MessageId, UtcTime now);

 private:
  Database& db_;
};

}  // namespace nightjar::store
