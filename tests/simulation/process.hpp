// One process that drives series, without its threads: the daemon, or a command in the foreground. The desk,
// the timekeeper and the recovery are the product's; what the dispatcher and the store's worker do around
// them on their loop and thread is done here in turns, each at one moment of virtual time.
#pragma once
#include "orchestrator/desk.hpp"
#include "orchestrator/outgoing.hpp"
#include "orchestrator/timekeeper.hpp"
#include "simulation/audience.hpp"
#include "simulation/estate.hpp"
#include "simulation/witness.hpp"
#include "simulation/world.hpp"

#include <nightjar/store/owner_lock.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nightjar::simulation {

class Process {
 public:
  struct Scene {  // what the processes of a night share
    World& world;
    Estate& estate;
    Guard& guard;
    Almanac& almanac;
    Witness& witness;
    Audience& audience;
  };
  // Empty when it could not start (the disk is full); the daemon prepares itself and is ready.
  static std::unique_ptr<Process> start(Scene scene, int number, bool daemon, orchestrator::Limits limits,
                                        std::size_t opened_at_once);
  ~Process();  // as kill -9 does it: the locks are gone, all it knew is forgotten
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const std::string& owner() const { return owner_; }
  int number() const { return number_; }
  bool is_daemon() const { return daemon_; }
  bool is_over() const { return over_; }
  std::size_t running() const { return underway_.size(); }

  // One transaction of its own, on its connection; false when nothing of it stands.
  bool write(const std::function<Result<void>(store::Database&)>& job);

  MonoTime next() const;  // when it has something to do
  void turn();
  void wake(Milliseconds within);  // another process has written, or the clock was set
  void recover_soon();             // somebody died
  void stop(Milliseconds grace);
  void use(orchestrator::Limits limits);

 private:
  struct Underway {
    AttemptId attempt;
    orchestrator::Ended end;
    MonoTime ends{};
    int tries = 0;
    bool cancelled = false;
  };
  struct Round {
    orchestrator::Batch batch;
    orchestrator::Timekeeper::Step step;
    std::vector<SeriesId> cancelled;
  };
  struct Sending {
    store::Message message;
    UtcTime first_try{};
    std::string body;
    Audience::Reply reply;
    bool heard_at_once = false;
    MonoTime ends{};
  };
  struct Ending {
    SeriesId series;
    std::optional<Result<orchestrator::Finished>> finished;
  };

  Process(Scene scene, int number, bool daemon, orchestrator::Limits limits, std::size_t opened_at_once,
          store::Database db, store::OwnerLock lock, std::string owner);
  bool prepare();
  void chores();

  // As the worker does it: several jobs, each in a savepoint, share one disk transaction. The failure of
  // that.
  std::optional<Failure> batch(const std::vector<std::function<void(store::Database&)>>& jobs);
  Result<Round> round(store::Database& db, const std::vector<SeriesId>& over);
  void begin(Round& round);
  void launch(orchestrator::Started started);
  void settle(Ending& ending, const std::optional<Failure>& lost);
  void give_up();
  MonoTime next_look(const Round& round);
  void post(MonoTime now);
  void post_soon();
  void collect(MonoTime now);
  void send(orchestrator::Ready ready);
  void answered(DestinationId to);

  Scene scene_;
  int number_;
  bool daemon_;
  std::size_t opened_at_once_;
  std::string owner_;
  store::Database db_;
  std::optional<store::OwnerLock> lock_;
  orchestrator::Limits limits_;
  Random random_;
  orchestrator::Desk desk_;
  orchestrator::Timekeeper keeper_;
  std::optional<std::int64_t> data_version_;
  bool commit_lost_ = false;
  std::optional<orchestrator::Limits> new_limits_;

  std::map<SeriesId, Underway> underway_;
  std::vector<SeriesId> ended_;  // and written, the desk does not know yet
  MonoTime look_at_{};
  std::optional<MonoTime> chores_at_;
  std::optional<MonoTime> stop_at_;
  std::map<DestinationId, Sending> sending_;
  MonoTime collect_at_ = MonoTime::max();  // never by a command
  Milliseconds post_patience_{0};
  Milliseconds patience_{0};  // between looks at what is held back
  bool given_up_ = false, failed_ = false, over_ = false;
};

}  // namespace nightjar::simulation
