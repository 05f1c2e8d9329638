// One attempt: one device, once. Connects, logs in, reads the sections, verifies, and hands back a whole text
// or one failure. It stores nothing and decides nothing about retries. Every path ends with the session
// closed.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/base/secret.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/config/driver.hpp>
#include <nightjar/dialogue/transcript.hpp>
#include <nightjar/revision/text.hpp>
#include <nightjar/runtime/asio.hpp>
#include <nightjar/ssh/session.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace nightjar::backup {

// Everything one attempt needs, secrets unsealed. The driver outlives the attempt.
struct Plan {
  ssh::Target target;
  ssh::Credential credential;
  Secret enable_password;  // empty: none is known
  const config::Driver* driver = nullptr;
  std::optional<revision::LastGood> last_good;
  ssh::Limits limits;
  MonoTime deadline = MonoTime::max();  // of the whole attempt, logout excluded
  std::size_t transcript_limit = 0;     // of Report::transcript; 0: none, a failure has its tail all the same
};

struct Report {
  std::optional<Failure> failure;        // none: `text` is a good copy
  std::string text;                      // composed, verified, exact bytes to keep
  std::string evidence;                  // with an incomplete failure: what had come
  std::optional<ssh::HostKey> host_key;  // seen, as soon as the handshake was over
  ssh::Algorithms algorithms = ssh::Algorithms::modern;
  std::string_view transport = "ssh";
  std::optional<MonoTime> let_in_at;  // when the first command could be typed: the credential was accepted
  std::string transcript;             // secrets masked, at most Plan::transcript_limit
};

// Called at each step with words for people: "connected to 192.0.2.10:22, ssh-ed25519 SHA256:...".
using Progress = std::function<void(Stage stage, std::string_view words)>;

Task<Report> attempt(Plan plan, Progress progress = {});

}  // namespace nightjar::backup
