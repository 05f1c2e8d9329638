// Looks at the database after every transaction and holds each step of each series against the rules, by a
// reckoning of its own. What only the simulation knows (an operator's word, a process's answer) it is told.
#pragma once
#include "simulation/almanac.hpp"
#include "simulation/audience.hpp"
#include "simulation/estate.hpp"
#include "simulation/facts.hpp"
#include "simulation/guard.hpp"
#include "simulation/world.hpp"

#include <nightjar/store/database.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nightjar::simulation {

class Witness {
 public:
  Witness(World&, const Estate&, Guard&, Almanac&, Audience&);
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness();

  // Every connection that writes is watched, from its opening on.
  void watch(store::Database&);

  // An attempt's end that its own process has written just now; in the order of writing.
  struct Told {
    AttemptId attempt;
    std::optional<UtcTime> let_in_at;
  };
  void look(const std::vector<Told>& = {});

  // Said just before the look at what came of it.
  void reran(SeriesId id) { reran_.insert(id); }
  void cancelled(SeriesId id) { cancelled_.insert(id); }
  // A listener was told that the series has ended.
  void heard_end(SeriesId);
  // An attempt of which its process says that it runs.
  void heard_start(SeriesId, AttemptId);

  std::vector<SeriesId> open() const;
  std::vector<SeriesId> ended() const;
  const SeriesFact* find(SeriesId) const;

  // Messages that are neither delivered nor dead.
  std::size_t undelivered();

  // At the end of all: nothing is open but what a living owner holds.
  void finish();

 private:
  struct Model {
    SeriesFact fact;
    std::vector<AttemptFact> attempts;
    int heard_ends = 0;  // in this life
    bool told = false;   // of its end, in this life
  };
  struct Fresh {  // what stands in the store now
    SeriesFact fact;
    std::vector<AttemptFact> attempts;
  };
  using Freshes = std::map<SeriesId, Fresh>;

  Freshes read();
  void check_ends(const Freshes&, const std::vector<Told>&);
  void check_new(const Freshes&);
  void check_starts(const Freshes&);
  void end(Model&, const AttemptFact&, const Told*);
  void fail(Model&, const AttemptFact&, const std::string& failure_class, const RuleInWords&);
  void start(Model&, const AttemptFact&, const Fresh&);
  void appear(const SeriesFact&, const Freshes&);
  void overtaken_by(const SeriesFact&, const Freshes&);
  void apply_word_of_operators();
  const RuleInWords& rule(std::int64_t id);
  bool is_probe(SeriesId, CustomerId);

  World& world_;
  const Estate& estate_;
  Guard& guard_;
  Almanac& almanac_;
  Audience& audience_;
  std::unique_ptr<store::Database> db_;
  std::map<SeriesId, Model> models_;
  std::set<SeriesId> open_;
  bool something_changed_ = false;
  std::set<SeriesId> touched_;
  std::set<AttemptId> touched_attempts_;
  std::set<SeriesId> reran_, cancelled_;
  std::map<std::int64_t, RuleInWords> rules_;
};

}  // namespace nightjar::simulation
