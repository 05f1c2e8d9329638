// Those who are told: what each of them is owed by the ends of series, reckoned a second time, and what their
// servers have heard. A failure is owed once to each who wants it, a recovery to those who heard of a
// failure.
#pragma once
#include "simulation/estate.hpp"
#include "simulation/facts.hpp"
#include "simulation/world.hpp"

#include <nightjar/delivery/courier.hpp>

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nightjar::simulation {

class Audience {
 public:
  Audience(World& world, const Estate& estate) : world_(world), estate_(estate) {}

  struct Listener {
    DestinationId id;
    std::optional<CustomerId> customer;  // none: hears of all
  };
  std::vector<Listener> listeners;
  bool recoveries = true;  // the policy tells of them
  bool reliable = false;   // no server fails any more

  // A series has ended as this says; with the rows that tell of it written in the same transaction.
  void ended(const SeriesFact&, store::Database::Connection&);
  // It goes on: what nobody has been sent yet is taken back.
  void reran(SeriesId, store::Database::Connection&);
  void gone(SeriesId);
  void compare(SeriesId, store::Database::Connection&) const;

  // What the server says to a body, and whether it has taken it to heart.
  struct Reply {
    delivery::Answer answer;
    bool heard = false;
  };
  Reply reply();
  void hear(DestinationId, const std::string& event_id, const std::string& body,
            store::Database::Connection&);

  // At the end of all: each has heard what it was owed, once, or has refused it.
  void finish(store::Database::Connection&) const;

 private:
  struct Word {
    SeriesId series;
    DestinationId to;
    bool failure = true;
    int attempts = 0;
    auto operator<=>(const Word&) const = default;
  };
  static Word first_of(SeriesId);
  struct Owed {
    DeviceId device;
    std::uint64_t order = 0;
  };
  std::set<Word> written(SeriesId, store::Database::Connection&) const;
  bool is_over(const Word&, store::Database::Connection&, bool dead_alone) const;
  void hear_recovery(const Word&, store::Database::Connection&) const;

  World& world_;
  const Estate& estate_;
  std::map<Word, Owed> owed_;
  std::map<Word, std::string> heard_;  // under which id
  std::map<std::string, std::string> bodies_;
  std::map<DeviceId, std::map<DestinationId, std::set<Word>>> standing_;
  std::uint64_t order_ = 0;
};

}  // namespace nightjar::simulation
