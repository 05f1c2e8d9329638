// What /healthz and /readyz answer. Healthy is a process whose loop turns, which the answer itself proves;
// ready is one that starts backups when they are due.
#pragma once
#include <nightjar/api/message.hpp>

#include <optional>
#include <string>

namespace nightjar::api {

struct Readiness {
  bool ready = false;
  std::optional<std::string> why_not{};  // one sentence for people; looked at when not ready
};

Response healthz();                   // 200 "ok"
Response readyz(const Readiness& r);  // 200 "ready", or 503 "not ready: WHY NOT"

}  // namespace nightjar::api
