// Why something failed. The class is set where the error is raised and never guessed from text higher up;
// whether a class is retried by default is a property of the class alone, written in one exhaustive switch.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nightjar {

enum class FailureClass : std::uint8_t {
  unreachable,  // refused, no route, connect timeout, temporary DNS failure
  dropped,      // reset or closed in the middle
  timeout,      // no prompt, no progress, attempt deadline
  busy,         // no free vty, session limit
  incomplete,   // empty, truncated, end mark missing, far smaller than the last good copy
  auth,         // password or key rejected, enable refused, password change required
  host_key,     // not the pinned one
  negotiation,  // no common algorithm, key too small
  unsupported,  // command rejected, no privilege, wrong driver
  setup,        // credential missing, unknown driver, bad address, wrong use by the caller
  local,        // disk full, database error, out of descriptors: our fault
  internal,     // a bug
};

inline constexpr std::array all_failure_classes{
    FailureClass::unreachable, FailureClass::dropped, FailureClass::timeout,  FailureClass::busy,
    FailureClass::incomplete,  FailureClass::auth,    FailureClass::host_key, FailureClass::negotiation,
    FailureClass::unsupported, FailureClass::setup,   FailureClass::local,    FailureClass::internal};

// Where in an attempt it happened. `none` is for failures outside of an attempt (a command's arguments, the
// store).
enum class Stage : std::uint8_t {
  none,
  resolve,
  connect,
  handshake,
  host_key,
  auth,
  login,
  command,
  verify,
  store
};

std::string_view to_text(FailureClass);
std::string_view to_text(Stage);  // "host key" is spelt host_key here and in JSON
std::optional<FailureClass> parse_failure_class(std::string_view);
std::optional<Stage> parse_stage(std::string_view);

bool is_retried_by_default(FailureClass);

// A set of classes, e.g. the field retry_on. Text form: comma-separated names in declaration order; empty
// set: "".
class FailureClasses {
 public:
  constexpr FailureClasses() = default;
  static FailureClasses retried_by_default();
  static std::optional<FailureClasses> parse(std::string_view names);
  void insert(FailureClass c) { bits_ = static_cast<std::uint16_t>(bits_ | bit(c)); }
  bool contains(FailureClass c) const { return (bits_ & bit(c)) != 0; }
  std::string to_text() const;
  bool operator==(const FailureClasses&) const = default;

 private:
  static constexpr std::uint16_t bit(FailureClass c) {
    return static_cast<std::uint16_t>(1u << static_cast<unsigned>(c));
  }
  std::uint16_t bits_ = 0;
};

struct Failure {
  FailureClass failure_class = FailureClass::internal;
  Stage stage = Stage::none;
  std::string reason;  // one sentence for people, no full stop: "connection refused by 192.0.2.10:22"
  std::string
      transcript_tail;  // last bytes of the dialogue, secrets masked, at most 4 KiB; empty outside a dialogue
  bool operator==(const Failure&) const = default;
};

Failure failure(FailureClass, Stage, std::string reason);

}  // namespace nightjar
