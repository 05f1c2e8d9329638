// The orchestrator's own work at scale: the real Desk, Timekeeper and store, driven as the dispatcher and the
// store's worker drive them, in virtual time; attempts take half a second of it and no network. The CPU that
// the work takes passes in virtual time too, so lateness has it in. Prints figures and ratios, judges none.
// Usage: queue_bench FOLDER [--history ATTEMPTS] [--scattered]
//   --scattered   retries fall due as full jitter would have it, not in the order of the first attempts
#include "orchestrator/desk.hpp"
#include "orchestrator/timekeeper.hpp"
#include "store/connection.hpp"

#include <nightjar/orchestrator/recovery.hpp>
#include <nightjar/store/owner_lock.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <queue>
#include <random>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace nightjar;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr UtcTime first_night = std::chrono::sys_days{std::chrono::year{2031} / 1 / 1} + 2h;
constexpr Milliseconds attempt_takes{500};
constexpr auto night = std::chrono::hours{24};
constexpr auto first_retry = 5min;

nanoseconds cpu() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds{spent.tv_sec} + nanoseconds{spent.tv_nsec};
}
double in_ms(nanoseconds span) {
  return std::chrono::duration<double, std::milli>(span).count();
}

class VirtualClock final : public runtime::Clock {
 public:
  explicit VirtualClock(UtcTime start) : start_(start) {}
  UtcTime now() const override { return start_ + std::chrono::floor<Milliseconds>(passed_); }
  MonoTime mono() const override { return MonoTime{1h} + passed_; }
  void advance_to(MonoTime to) { passed_ = std::max(passed_, nanoseconds{to - MonoTime{1h}}); }
  void advance_to(UtcTime to) { passed_ = std::max(passed_, nanoseconds{to - start_}); }
  void advance(nanoseconds by) { passed_ += by; }

 private:
  UtcTime start_;
  nanoseconds passed_{0};
};

struct Size {
  int customers = 0, devices_each = 0;
  int nights_before = 0;
  bool scattered = false;
  int devices() const { return customers * devices_each; }
};

template <class... Values>
void sql(store::Database& db, std::string_view text, const Values&... values) {
  db.connection().run(text, values...);
}

// Customers, devices with their pinned keys, and nights in which all of them were backed up, unchanged.
void fill(store::Database& db, const vault::Vault& vault, const Size& size) {
  sql(db, "PRAGMA cache_size = -1000000");
  store::Inventory inventory{db};
  for (int c = 0; c < size.customers; ++c) {
    const std::string name = fmt::format("customer-{:03}", c);
    const CustomerId customer = inventory.add_customer({{}, name, "UTC"}).value();
    store::Credential credential;
    credential.customer = customer;
    credential.name = "login";
    credential.username = "backup";
    credential.id = inventory.add_credential(credential).value();
    credential.sealed_password =
        vault.seal(Secret{"made-up"}, store::credential_record(credential.id, "password"));
    inventory.update_credential(credential).value();
  }
  db.connection().begin_batch();
  sql(db,
      "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1) "
      "INSERT INTO device (customer_id, name, address, port, driver, credential_id, enabled, created_ms) "
      "SELECT k.customer_id, printf('sw-%06d', i), '192.0.2.' || (i % 250 + 1), 22, 'ios', k.id, 1, 0 "
      "FROM credential k JOIN n",
      size.devices_each);
  sql(db, "INSERT INTO host_key SELECT id, 'ssh-ed25519', 'SHA256:made-up', 0, 0 FROM device");
  sql(db,
      "INSERT INTO revision (device_id, comparable, sha256, bytes, lines, first_seen_ms, last_seen_ms) "
      "SELECT id, zeroblob(32), zeroblob(32), 25000, 800, 0, 0 FROM device");
  sql(db, "INSERT INTO rule_in_force (id, rule) VALUES (1, '{}')");
  for (int n = size.nights_before; n > 0; --n) {
    const UtcTime at = first_night - n * night;
    sql(db,
        "INSERT INTO run (customer_id, scheduled_for_ms, created_ms, kind) "
        "SELECT id, ?1, ?1, 'on_time' FROM customer",
        at);
    sql(db,
        "INSERT INTO series (device_id, customer_id, run_id, cause, state, scheduled_for_ms, "
        "window_start_ms, "
        "attempts, counted, interruptions, previous_wait_ms, overtaken, cancel_requested, started_ms, "
        "ended_ms) SELECT d.id, d.customer_id, r.id, 'schedule', 'succeeded', ?1, ?1, 1, 1, 0, 0, 0, 0, ?1, "
        "?1 + 4000 FROM device d JOIN run r ON r.customer_id = d.customer_id AND r.scheduled_for_ms = ?1",
        at);
    sql(db,
        "INSERT INTO attempt (series_id, number, queued_ms, started_ms, ended_ms, outcome, transport, "
        "action, "
        "wait_ms, jitter_ms, rule_id) SELECT id, 1, 0, ?1, ?1 + 4000, 'success', 'ssh', 'end', 0, 0, 1 "
        "FROM series WHERE scheduled_for_ms = ?1",
        at);
    sql(db,
        "INSERT INTO backup (attempt_id, device_id, revision_id, taken_ms, changed) "
        "SELECT a.id, s.device_id, r.id, ?1 + 4000, 0 FROM series s JOIN attempt a ON a.series_id = s.id "
        "JOIN revision r ON r.device_id = s.device_id WHERE s.scheduled_for_ms = ?1",
        at);
  }
  db.connection().commit_batch();
  db.connection().end_batch();
}

// The first attempts of a night's run, in one go: every other device is backed up, the others wait for their
// second attempt, which falls due within `spread` after `due`. With a `dead` owner, whose process was killed,
// every 500th was under way.
void first_attempts(store::Database& db, const Size& size, UtcTime at, UtcTime due, Milliseconds spread,
                    std::string_view dead) {
  db.connection().begin_batch();
  // As a run was dealt: customer by customer, of each the devices in their order.
  sql(db,
      "UPDATE series SET state = 'retry_wait', attempts = 1, counted = 1, previous_wait_ms = 300000, "
      "started_ms = ?1, due_ms = ?2 + CASE WHEN ?4 THEN id * 7919 % ?3 "
      "ELSE ((device_id - 1) % ?5 * ?6 + customer_id - 1) * ?3 / (?5 * ?6) END "
      "WHERE scheduled_for_ms = ?1 AND device_id % 2 = 0",
      at, due, spread, size.scattered, size.devices_each, size.customers);
  if (!dead.empty())
    sql(db,
        "UPDATE series SET state = 'running', attempts = 1, counted = 1, due_ms = NULL, started_ms = ?1, "
        "owner = ?2, lease_until_ms = ?1 WHERE scheduled_for_ms = ?1 AND device_id % 500 = 1",
        at, dead);
  sql(db,
      "UPDATE series SET state = 'succeeded', attempts = 1, counted = 1, due_ms = NULL, started_ms = ?1, "
      "ended_ms = ?1 + 4000 WHERE scheduled_for_ms = ?1 AND state = 'pending'",
      at);
  sql(db,
      "INSERT INTO attempt (series_id, number, queued_ms, started_ms, ended_ms, outcome, failure_class, "
      "stage, "
      "reason, transport, action, wait_ms, jitter_ms, next_attempt_ms, rule_id) "
      "SELECT id, 1, 0, ?1, ?1 + 4000, 'failure', 'unreachable', 'connect', "
      "'connection refused by 192.0.2.10:22', 'ssh', 'retry', 300000, 0, due_ms, 1 "
      "FROM series WHERE scheduled_for_ms = ?1 AND state = 'retry_wait'",
      at);
  sql(db,
      "INSERT INTO attempt (series_id, number, queued_ms, started_ms, transport) "
      "SELECT id, 1, 0, ?1, '' FROM series WHERE scheduled_for_ms = ?1 AND state = 'running'",
      at);
  sql(db,
      "INSERT INTO attempt (series_id, number, queued_ms, started_ms, ended_ms, outcome, transport, action, "
      "wait_ms, jitter_ms, rule_id) SELECT id, 1, 0, ?1, ?1 + 4000, 'success', 'ssh', 'end', 0, 0, 1 "
      "FROM series WHERE scheduled_for_ms = ?1 AND state = 'succeeded'",
      at);
  sql(db,
      "INSERT INTO backup (attempt_id, device_id, revision_id, taken_ms, changed) "
      "SELECT a.id, s.device_id, r.id, ?1 + 4000, 0 FROM series s JOIN attempt a ON a.series_id = s.id "
      "JOIN revision r ON r.device_id = s.device_id WHERE s.scheduled_for_ms = ?1 AND s.state = 'succeeded'",
      at);
  db.connection().commit_batch();
  db.connection().end_batch();
}

// What does not depend on the fleet.
struct Equipment {
  std::filesystem::path folder;
  vault::Vault vault;
  config::Drivers drivers;
};

// The dispatcher's and the worker's part: which jobs share a transaction, when the next round is.
class Engine {
 public:
  Engine(const Equipment& with, const std::filesystem::path& file, UtcTime start)
      : clock_(start),
        db_(store::Database::open(file, store::Database::Access::create).value()),
        idle_(store::Database::open(with.folder / "idle.db", store::Database::Access::create).value()),
        lock_(store::OwnerLock::acquire(with.folder).value()),
        desk_({idle_, with.vault, with.drivers, clock_, with.folder}, limits(), {lock_.name(), true}, dice_),
        keeper_(dice_),
        look_at_(clock_.mono()) {}

  store::Database& db() { return db_; }
  VirtualClock& clock() { return clock_; }

  // Opens what is due by schedule, step by step; the CPU it took.
  nanoseconds open_run() {
    const auto before = cpu();
    for (bool more = true; more;) {
      db_.connection().begin_batch();
      more = keep_time().more;
      db_.connection().commit_batch();
      db_.connection().end_batch();
    }
    return cpu() - before;
  }

  // As the daemon starts: what a killed process left is recorded, then the first round.
  void start(const std::filesystem::path& folder) {
    db_.connection().begin_batch();
    orchestrator::recover_dead_owners(db_, folder, clock_.now(), dice_).value();
    db_.connection().commit_batch();
    db_.connection().end_batch();
    transaction();
  }

  struct Done {
    std::size_t attempts = 0, transactions = 0, rounds = 0;
    nanoseconds took{0};
  };
  // Until the clock shows `until`.
  Done drive(UtcTime until) {
    desk_.look_again();
    look_at_ = clock_.mono();
    done_ = {};
    const MonoTime end = clock_.mono() + (until - clock_.now());
    while (next() < end) transaction();
    clock_.advance_to(end);
    return done_;
  }

 private:
  struct Underway {
    MonoTime ends;
    SeriesId series;
    AttemptId attempt;
    bool operator>(const Underway& other) const { return ends > other.ends; }
  };

  static orchestrator::Limits limits() {
    return {.sessions = 2000,
            .sessions_per_customer = 2000,
            .connections_per_second = 2000,
            .retries = {.percent = 100, .per_second = 100'000}};
  }

  MonoTime next() const { return underway_.empty() ? look_at_ : std::min(look_at_, underway_.top().ends); }

  orchestrator::Timekeeper::Step keep_time() {
    orchestrator::Timekeeper::Step step;
    const auto kept = db_.atomically([&]() -> Result<void> {
      auto worked = keeper_.work(db_, clock_.now(), 2000);
      if (!worked) return std::move(worked).error();
      step = std::move(*worked);
      return {};
    });
    kept.value();
    return step;
  }

  // The time that the work since the last call took has passed.
  void charge() {
    const auto spent = cpu();
    clock_.advance(spent - charged_);
    done_.took += spent - charged_;
    charged_ = spent;
  }

  // The first job begins it; those that come soon after share it, as in store::Worker.
  void transaction() {
    clock_.advance_to(next());
    charged_ = cpu();
    const MonoTime until = clock_.mono() + 10ms;
    std::optional<orchestrator::Batch> batch;
    MonoTime round_began;
    bool more_to_open = false;
    std::vector<SeriesId> ended;
    auto& connection = db_.connection();
    connection.begin_batch();
    for (std::size_t jobs = 0; jobs < 64 && clock_.mono() < until;) {
      const bool end = !underway_.empty() && underway_.top().ends <= std::min(until, clock_.mono() + 4ms);
      const bool round = !batch && look_at_ <= std::min(until, clock_.mono() + 4ms);
      if (!end && !round) break;
      connection.run("SAVEPOINT job");
      if (round && (!end || look_at_ <= underway_.top().ends)) {
        clock_.advance_to(look_at_);
        round_began = clock_.mono();
        more_to_open = keep_time().more;
        batch = desk_.start_due(db_, std::exchange(over_, {})).value();
        ++done_.rounds;
      } else {
        const Underway over = underway_.top();
        underway_.pop();
        clock_.advance_to(over.ends);
        desk_.finish(db_, over.series, over.attempt, outcome()).value();
        ended.push_back(over.series);
        ++done_.attempts;
      }
      connection.run("RELEASE job");
      charge();
      ++jobs;
    }
    connection.commit_batch();
    connection.end_batch();
    charge();
    ++done_.transactions;
    over_.insert(over_.end(), ended.begin(), ended.end());
    if (batch) {
      for (const auto& started : batch->started)
        underway_.push({clock_.mono() + attempt_takes, started.series.id, started.attempt});
      earliest_look_ = round_began + 10ms;
      look_at_ = more_to_open ? clock_.mono() : next_look(*batch);
    }
    if (!ended.empty()) look_at_ = clock_.mono();
    look_at_ = std::max(look_at_, earliest_look_);
  }

  MonoTime next_look(const orchestrator::Batch& batch) {
    const MonoTime now = clock_.mono();
    if (batch.unfinished) return now;
    MonoTime next = now + 250ms;
    if (batch.next_due && *batch.next_due > clock_.now())
      next = std::min(next, now + (*batch.next_due - clock_.now()));
    if (batch.paced) next = std::min(next, desk_.next_start(now));
    return next;
  }

  // One of five fails once more.
  orchestrator::Ended outcome() {
    static const std::string tail(1500, '-');
    orchestrator::Ended ended;
    ended.transport = "ssh";
    ended.let_in_at = clock_.now();
    if (random_() % 5 == 0) {
      ended.failure = failure(FailureClass::dropped, Stage::command, "reset by 192.0.2.10:22");
      ended.failure->transcript_tail = tail;
    } else {
      ended.outcome = series::Outcome::success;
      ended.backup.emplace();  // its fingerprint is that of the revision all devices have
    }
    return ended;
  }

  VirtualClock clock_;
  std::mt19937 random_{1};  // NOLINT(cert-msc51-cpp): the same figures each time
  Dice dice_ = [this] { return std::uniform_real_distribution<>{}(random_); };
  store::Database db_;
  store::Worker idle_;  // a Site names one; nobody gives it a job
  store::OwnerLock lock_;
  orchestrator::Desk desk_;
  orchestrator::Timekeeper keeper_;
  std::priority_queue<Underway, std::vector<Underway>, std::greater<>> underway_;
  std::vector<SeriesId> over_;
  MonoTime look_at_, earliest_look_{};
  nanoseconds charged_{0};
  Done done_;
};

// In a process of its own, whose peak memory is that of this work.
template <class Work>
auto apart(Work&& work) {
  using Figures = std::invoke_result_t<Work>;
  static_assert(std::is_trivially_copyable_v<Figures>);
  void* const shared =
      ::mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) std::abort();
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const Figures figures = work();
    std::memcpy(shared, &figures, sizeof figures);
    ::_exit(0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) {
    fmt::print(stderr, "the benchmark broke off\n");
    std::exit(1);
  }
  Figures figures;
  std::memcpy(&figures, shared, sizeof figures);
  ::munmap(shared, sizeof figures);
  return figures;
}

// What was read before does not help the next process.
void forget_pages(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ::fsync(descriptor);
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  ::close(descriptor);
}

Milliseconds lateness(store::Database& db, UtcTime at, double share) {
  std::vector<Milliseconds> queued;
  store::Statement row(db.connection(),
                       "SELECT a.queued_ms FROM series s JOIN attempt a ON a.series_id = s.id "
                       "WHERE s.scheduled_for_ms = ?1 AND a.number = 2 ORDER BY a.queued_ms",
                       at);
  while (row.step()) queued.push_back(store::Columns(row).next<Milliseconds>());
  if (queued.empty()) std::abort();
  return queued[static_cast<std::size_t>(share * static_cast<double>(queued.size() - 1))];
}

struct Night {
  double opening_ms = 0, start_ms = 0, attempt_ms = 0;
  std::size_t attempts = 0, transactions = 0, rounds = 0;
  Milliseconds late_99{0}, late_most{0};
  long rss_kib = 0;
};

// A night whose daemon is killed after the first attempts and comes back when the retries fall due.
Night big_night(const Equipment& with, const Size& size) {
  const auto file = with.folder / "big.db";
  const UtcTime due = first_night + first_retry;
  const auto opening = apart([&] {
    {
      auto db = store::Database::open(file, store::Database::Access::create).value();
      fill(db, with.vault, size);
    }
    Engine engine{with, file, first_night - 1s};
    engine.open_run();  // notes the schedules
    engine.clock().advance_to(first_night);
    const auto took = engine.open_run();
    first_attempts(engine.db(), size, first_night, due, 1min, "killed");
    return took;
  });
  forget_pages(file);
  return apart([&] {
    Night figures;
    figures.opening_ms = in_ms(opening);
    const auto began = std::chrono::steady_clock::now();
    Engine engine{with, file, due - 1s};
    engine.start(with.folder);
    figures.start_ms = in_ms(std::chrono::steady_clock::now() - began);
    const auto done = engine.drive(due + 2min);
    figures.attempts = done.attempts;
    figures.transactions = done.transactions;
    figures.rounds = done.rounds;
    figures.attempt_ms = in_ms(done.took) / static_cast<double>(done.attempts);
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    figures.rss_kib = usage.ru_maxrss;
    figures.late_99 = lateness(engine.db(), first_night, 0.99);
    figures.late_most = lateness(engine.db(), first_night, 1);
    return figures;
  });
}

// Nights of a small fleet, whose retries fall due as fast after each other as those of the big one: what an
// attempt costs in CPU ms.
double small_nights(const Equipment& with, const Size& size, Milliseconds spread) {
  return apart([&] {
    const auto file = with.folder / fmt::format("small-{}.db", size.customers);
    {
      auto db = store::Database::open(file, store::Database::Access::create).value();
      fill(db, with.vault, size);
    }
    Engine engine{with, file, first_night - 1s};
    engine.open_run();
    Engine::Done all;
    for (int n = 0; n < 20; ++n) {
      const UtcTime at = first_night + n * night;
      engine.clock().advance_to(at);
      engine.open_run();
      first_attempts(engine.db(), size, at, at + first_retry, spread, "");
      engine.clock().advance_to(at + first_retry - 1s);
      const auto done = engine.drive(at + first_retry + 10s);
      all.attempts += done.attempts;
      all.took += done.took;
      engine.drive(at + 1h);  // the third attempts
    }
    return in_ms(all.took) / static_cast<double>(all.attempts);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path folder{argv[1]};
  int history = 300'000;
  bool scattered = false;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word{argv[i]};
    if (word == "--scattered")
      scattered = true;
    else if (word == "--history" && i + 1 < argc)
      history = std::atoi(argv[++i]);
    else
      return 2;
  }
  std::filesystem::create_directories(folder);
  vault::Vault::create_key_file(folder / "key").value();
  const Equipment with{folder, vault::Vault::open(folder / "key").value(), config::Drivers::load("").value()};

  const int nights = std::max(1, history / 100'000);
  const Size big{100, 1000, nights, scattered};
  const Night night = big_night(with, big);
  const Milliseconds spread{600};
  const double of_hundred = small_nights(with, {100, 10, nights, scattered}, spread);
  const double of_one = small_nights(with, {1, 1000, nights, scattered}, spread);

  fmt::print("{} devices of {} customers, {} attempts in the database:\n", big.devices(), big.customers,
             big.devices() * nights);
  fmt::print("  a run is opened in {:.2f} s CPU\n", night.opening_ms / 1000);
  fmt::print("  after a kill: {:.0f} ms from opening the file to the end of the first round\n",
             night.start_ms);
  fmt::print(
      "  {} retries within a minute: {:.3f} ms CPU an attempt; 99 % at most {} ms late, the last {} ms\n",
      night.attempts, night.attempt_ms, night.late_99.count(), night.late_most.count());
  fmt::print("  {:.0f} MiB at the peak; {} rounds, {} transactions\n",
             static_cast<double>(night.rss_kib) / 1024, night.rounds, night.transactions);
  fmt::print("1,000 devices: {:.3f} ms CPU an attempt when of 100 customers, {:.3f} ms when of one\n",
             of_hundred, of_one);
  fmt::print("ratio 100,000 : 1,000 devices: {:.2f} and {:.2f}\n", night.attempt_ms / of_hundred,
             night.attempt_ms / of_one);
}
