// One night from its seed: an estate, a daemon that is killed and started again, commands beside it,
// operators and faults; then a quiet time in which everything has to come to its end.
#pragma once
#include "simulation/process.hpp"

#include <nightjar/store/database.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace nightjar::simulation {

class Night {
 public:
  Night(const Equipment& equipment, std::uint64_t seed, std::filesystem::path folder, bool aloud);

  // Throws Broken, or what a bug threw.
  void run();
  const Account& account() const { return world_.account; }

 private:
  void furnish();
  void add_customer();
  void add_credential(std::optional<CustomerId> customer);
  void add_device();
  void add_listener(std::optional<CustomerId> customer);
  void set_alerts();
  orchestrator::Limits draw_limits();

  // One operator or fault, drawn by lot.
  void happen();
  void happen_to_processes();
  void happen_to_devices();
  void edit();
  void edit_retry();
  void edit_schedule();
  void edit_limits();
  void rerun();
  void cancel();
  void back_up_by_hand();
  void in_foreground();
  void jump();
  void credentials();
  template <template <template <class> class> class S>
  void set_fields(Levels& levels, const Fields& fields, int platform_percent);

  bool operate(const std::function<Result<void>(store::Database&)>& job);  // as a command beside the daemon
  void later(Milliseconds after, std::function<void()> act);
  void kill(std::size_t process);
  void bury();  // processes that are over or whose disk has failed them
  void start_daemon();
  void quieten();
  void step(MonoTime until);

  World world_;
  Estate estate_;
  Guard guard_;
  Almanac almanac_;
  Audience audience_;
  Witness witness_;
  std::optional<store::Database> operator_db_;
  std::vector<std::unique_ptr<Process>> processes_;
  int next_number_ = 1;
  int names_ = 0;
  bool quiet_ = false;

  struct Planned {
    MonoTime at{};
    std::function<void()> act;
  };
  std::vector<Planned> planned_;  // few, in the order of planning
};

}  // namespace nightjar::simulation
