// The bodies of webhooks: one notice in the form that a kind of receiver wants. Names of devices and
// customers stand in them as they are, never as mark-up; what a service's limits do not hold is cut and
// counted. It neither signs nor sends.
#pragma once
#include <nightjar/base/time.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nightjar::delivery {

struct Notice {
  std::string id;
  std::string type;  // series.failed, series.recovered, report.daily, ...
  UtcTime at;
  std::string customer;
  std::string headline;            // one line
  std::vector<std::string> lines;  // one line each
  std::string link;                // http or https; empty: none
  nlohmann::json data;             // for programs; null: customer, headline, lines and link take its place
};

inline constexpr int schema_version = 1;

// {"type", "schema_version", "id", "timestamp", "data"}. Not cut.
std::string generic(const Notice& notice);

// Slack's incoming webhooks: `text` for the notification, Block Kit for the message. A section holds 3000
// characters.
std::string slack(const Notice& notice);

// Microsoft Teams' workflows ("when a webhook request is received"): an Adaptive Card 1.4, at most 28 KB in
// all.
std::string teams(const Notice& notice);

}  // namespace nightjar::delivery
