// The breaker of one credential: after three devices in a row rejected it, nothing tries it any more, so that
// one changed AAA password does not lock an account out 10,000 times. A row of the store. It never closes by
// the passing of time.
#pragma once
#include <nightjar/admission/evidence.hpp>
#include <nightjar/base/failure.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nightjar::admission {

inline constexpr std::size_t devices_to_trip = 3;

struct Rejection {
  DeviceId device;
  UtcTime at{};
  bool operator==(const Rejection&) const = default;
};

struct CredentialBreaker {
  std::vector<Rejection> in_a_row{};    // the newest of each device, at most devices_to_trip, oldest first
  std::optional<UtcTime> tripped_at{};  // empty: the credential may be tried
  std::int64_t refused = 0;             // attempts not made since it tripped
  std::int64_t edition = 0;             // counts the resets; an attempt carries the one it started under
  bool operator==(const CredentialBreaker&) const = default;
};

bool is_tripped(const CredentialBreaker&);

enum class Admission : std::uint8_t {
  go,
  hold,    // ask again when the next answer is in
  refuse,  // the series gets a refusal, and its attempt is not made
};

// May an attempt with this credential start, while `unanswered` others are under way that no device has
// answered yet? Rejections come back in a second and backups take many, so of 200 attempts started together
// three wrong devices are heard first: nobody is refused before the answers under way are in.
Admission admit(const CredentialBreaker&, std::size_t unanswered);

// What a device said to the credential.
struct Answer {
  DeviceId device;
  Login login = Login::none;
  std::int64_t edition = 0;  // of the breaker when the attempt read the secret
  UtcTime at{};              // when the device said so: for an acceptance long before the backup ends
};

// - A rejection counts once per device, at its newest; the third device in a row trips the breaker.
// - An acceptance ends the row of what was rejected before it, also when the breaker has tripped. The rule
//   says "until edited or reset by an operator", and nothing new is tried before that; but an attempt that
//   was under way and is let in after all proves that the credential is not what is wrong.
// - What was rejected after the acceptance stays: a session that is still reading when the password is
//   changed proves nothing about the new one, however late it ends. Rejections that lie ahead of `now` are
//   from before the clock was set back.
// - An answer of another edition is about a secret that was replaced, or a state that an operator has put
//   right: it changes nothing.
// A device that is not stored yet (id 0) is not counted: two of them could not be told apart.
CredentialBreaker observe(CredentialBreaker, const Answer&, UtcTime now);

// An attempt was not made because the breaker is tripped.
CredentialBreaker count_refusal(CredentialBreaker);

// The credential was edited, or an operator says that it is good.
CredentialBreaker reset(const CredentialBreaker&);

// What the series gets whose attempt is not made: class auth, stage none, since the device was not asked.
// "credential NAME rejected by 3 devices; not tried on this one"
Failure refusal(std::string_view credential_name);

}  // namespace nightjar::admission
