// Where breakers and the daemon's sign of life are kept, so that a restart forgets nothing and other
// processes can see them. What opens and closes a breaker is decided in `admission`.
#pragma once
#include <nightjar/admission/credential_breaker.hpp>
#include <nightjar/admission/customer_breaker.hpp>
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::store {

struct CustomerBreakerRow {
  admission::CustomerBreaker breaker;
  // The last time it was open and is no more; an attempt that was due meanwhile was held back by it.
  std::optional<UtcTime> was_open, closed_at;
  bool operator==(const CustomerBreakerRow&) const = default;
};

struct CredentialBreakerRow {
  CredentialId credential;
  std::string name;  // full name
  admission::CredentialBreaker breaker;
};

struct OpenBreakerRow {
  CustomerId customer;
  std::string customer_name;
  admission::CustomerBreaker breaker;
};

struct Daemon {
  std::string owner;  // of its OwnerLock: whether that is alive says whether this still holds
  std::int64_t pid = 0;
  UtcTime started_at{}, seen_at{};
  std::string address;  // of its listener, "" when it has none
  std::uint64_t retries_put_off = 0;
};

class BreakerBook {
 public:
  explicit BreakerBook(Database& db) : db_(db) {}

  // A customer or credential without a row has a closed breaker that counted nothing. Those that have been
  // removed get none: putting it writes nothing.
  Result<CustomerBreakerRow> of(CustomerId);
  Result<void> put(CustomerId, const CustomerBreakerRow&);
  Result<admission::CredentialBreaker> of(CredentialId);
  Result<void> put(CredentialId, const admission::CredentialBreaker&);

  Result<std::vector<OpenBreakerRow>> open_breakers();
  Result<std::vector<CredentialBreakerRow>> tripped();
  // An operator says that it is good. False: nothing was counted; a credential gets a new edition all the
  // same.
  Result<bool> reset(CredentialId);
  Result<bool> reset(CustomerId);

  Result<void> put(const Daemon&);
  Result<std::optional<Daemon>> daemon();

 private:
  Database& db_;
};

}  // namespace nightjar::store
