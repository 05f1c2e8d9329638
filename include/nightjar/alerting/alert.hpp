// What a message about failed or recovered series says: plain values, and their rendering as a subject, a
// text and a document for mail. Who gets it and when is decided elsewhere.
#pragma once
#include <nightjar/alerting/event.hpp>
#include <nightjar/base/failure.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/schedule/zone.hpp>
#include <nightjar/series/series.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::alerting {

struct Attempt {
  int number = 0;
  UtcTime started_at{};
  Milliseconds duration{0};
  std::optional<Failure> failure;  // none: it succeeded, or it was interrupted or cancelled
  series::Outcome outcome = series::Outcome::failure;
};

struct RuleField {
  std::string name, value, origin;  // origin: "built-in", "platform", "customer acme", "device core-1"
};

// One series.
struct Item {
  SeriesId series;
  std::string device, address, driver;  // address with its port
  UtcTime scheduled_for{}, ended_at{};
  std::optional<series::End> end;  // of a failed one
  std::optional<Failure> failure;  // the last one; of a recovery, what had failed
  std::string transport;
  int counted = 0;  // attempts against the rule
  std::vector<Attempt> attempts;
  std::optional<UtcTime> last_good;  // backup before the failure
  std::vector<RuleField> rule;
  std::string
      cause;  // shared with others: "breaker open since ...", "credential acme/net rejected by 3 devices"
};

struct Alert {
  Event event = Event::series_failed;
  std::string customer;
  schedule::Zone zone;  // of the times that people read
  UtcTime at{};         // when the message was completed
  std::vector<Item> items;
  std::string base_url;  // of the pages, "" when there are none to link to
};

// Items of one cause, and those with none of their own.
struct Group {
  std::string cause;  // "": each for itself
  std::vector<const Item*> items;
};
// Shared causes first, the larger ones before; then the rest, by device. Points into the alert.
std::vector<Group> grouped(const Alert&);
std::vector<Group> grouped(Alert&&) = delete;

std::string subject(const Alert&);
// One sentence: what happened to how many devices.
std::string headline(const Alert&);
// A line each for what happened, for chat rooms and the head of mails; at most `most`, the last one "and N
// more".
std::vector<std::string> lines(const Alert&, std::size_t most);
std::string text(const Alert&);
std::string html(const Alert&);
std::string link(const Alert&, const Item&);  // "" when there is no page

}  // namespace nightjar::alerting
