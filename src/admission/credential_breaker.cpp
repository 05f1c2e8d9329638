#include <nightjar/admission/credential_breaker.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace nightjar::admission {
namespace {

void accept(CredentialBreaker& breaker, UtcTime at, UtcTime now) {
  std::erase_if(breaker.in_a_row, [&](const Rejection& r) { return r.at <= at || r.at > now; });
  if (breaker.in_a_row.size() == devices_to_trip) return;
  breaker.tripped_at.reset();
  breaker.refused = 0;
}

void reject(CredentialBreaker& breaker, Rejection rejection) {
  auto& row = breaker.in_a_row;
  std::erase_if(row, [&](const Rejection& r) { return r.device == rejection.device; });
  row.push_back(rejection);
  if (row.size() > devices_to_trip) row.erase(row.begin());
  if (row.size() == devices_to_trip && !is_tripped(breaker)) breaker.tripped_at = rejection.at;
}

}  // namespace

bool is_tripped(const CredentialBreaker& breaker) {
  return breaker.tripped_at.has_value();
}

Admission admit(const CredentialBreaker& breaker, std::size_t unanswered) {
  if (!is_tripped(breaker)) return Admission::go;
  return unanswered > 0 ? Admission::hold : Admission::refuse;
}

CredentialBreaker observe(CredentialBreaker breaker, const Answer& answer, UtcTime now) {
  if (answer.edition != breaker.edition) return breaker;
  switch (answer.login) {
    case Login::accepted:
      accept(breaker, answer.at, now);
      break;
    case Login::rejected:
      if (answer.device) reject(breaker, {answer.device, answer.at});
      break;
    case Login::none:
      break;
  }
  return breaker;
}

CredentialBreaker count_refusal(CredentialBreaker breaker) {
  ++breaker.refused;
  return breaker;
}

CredentialBreaker reset(const CredentialBreaker& breaker) {
  return {.edition = breaker.edition + 1};
}

Failure refusal(std::string_view credential_name) {
  return failure(FailureClass::auth, Stage::none,
                 fmt::format("credential {} rejected by {} devices; not tried on this one", credential_name,
                             devices_to_trip));
}

}  // namespace nightjar::admission
