// The rules of load, reckoned a second time: limits, pace, retry budget, the breaker of a customer and that
// of a credential. It is told what starts and what ends, and compares with what the product has written.
#pragma once
#include "simulation/estate.hpp"
#include "simulation/facts.hpp"
#include "simulation/world.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace nightjar::simulation {

// A process that drives series, as the guard has to know it.
struct Claimant {
  orchestrator::Limits limits;
  bool alive = true;
  std::deque<MonoTime> starts;           // of the last second
  std::deque<MonoTime> firsts, retries;  // of the last minute
};

class Guard {
 public:
  Guard(World& world, const Estate& estate) : world_(world), estate_(estate) {}

  std::map<std::string, Claimant> claimants;  // by owner

  struct Start {
    const SeriesFact& before;
    const AttemptFact& attempt;
    std::string owner;
    int running = 0, running_of_customer = 0;  // of this owner, this one included
    bool probe = false;                        // the store says that it is the probe now
  };
  void starts(const Start&);
  // A tripped credential did not let it start.
  void refused(const SeriesFact& before, const AttemptFact&);
  // `told`: its own process said how it ended, in an answer of the device; otherwise nobody knows.
  void ends(const SeriesFact&, const AttemptFact&, bool told, std::optional<UtcTime> let_in_at);

  void reset(CredentialId);
  void reset(CustomerId);
  void forget_probes();  // the daemon starts
  void removed(DeviceId);
  void gone(SeriesId);  // with its device

  bool is_tripped(CredentialId id) { return credentials_[id].tripped; }
  void compare(store::Database::Connection&);

 private:
  enum class Contact : std::uint8_t { reached, lost, unreachable, none };
  static Contact contact_of(const AttemptFact&);

  struct Breaker {
    int unreachable = 0;
    bool open = false;
    UtcTime probe_at{};
    SeriesId probe{};
  };
  struct Rejected {
    DeviceId device;
    UtcTime at{};
  };
  struct CredentialState {
    std::vector<Rejected> in_a_row;
    bool tripped = false;
    std::int64_t edition = 0;
  };
  struct Carried {  // by a running attempt
    CredentialId credential;
    std::int64_t edition = 0;
  };
  void compare(store::Database::Connection&, CredentialId, CredentialState&);
  void check_breaker(const Start&);
  void check_pace(const Start&, Claimant&);
  void answer(Carried, DeviceId, const AttemptFact&, std::optional<UtcTime> let_in_at);

  World& world_;
  const Estate& estate_;
  std::map<CustomerId, Breaker> breakers_;
  std::map<CredentialId, CredentialState> credentials_;
  std::map<AttemptId, Carried> carried_;
};

}  // namespace nightjar::simulation
