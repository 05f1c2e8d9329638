// What happens in a night, by lot: faults of machines, networks and clocks, and operators at work.
#include "simulation/night.hpp"

#include <nightjar/orchestrator/daemon.hpp>
#include <nightjar/orchestrator/runner.hpp>
#include <nightjar/store/breakers.hpp>

#include <algorithm>
#include <array>
#include <iterator>

namespace nightjar::simulation {

using namespace std::chrono_literals;

namespace {

constexpr std::array manners{Manner::fine,  Manner::fine,           Manner::flaky,
                             Manner::dead,  Manner::hangs,          Manner::lies,
                             Manner::drops, Manner::wrong_password, Manner::other_host_key};

template <class Map>
auto lot(Random& random, Map& map) {
  return std::next(map.begin(), random.between(0, static_cast<std::int64_t>(map.size()) - 1));
}

}  // namespace

void Night::happen() {
  const auto die = world_.random.between(1, 100);
  if (die <= 32) return happen_to_processes();
  if (die <= 55) return happen_to_devices();
  if (die <= 72) return edit();
  if (die <= 79) return rerun();
  if (die <= 86) return cancel();
  if (die <= 92) return back_up_by_hand();
  in_foreground();
}

void Night::happen_to_processes() {
  auto& random = world_.random;
  const auto die = random.between(1, 100);
  if (processes_.empty() || die <= 20) return jump();
  const auto index =
      static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(processes_.size()) - 1));
  Process& process = *processes_[index];
  if (die <= 40) {
    kill(index);
  } else if (die <= 70) {
    const auto writes = static_cast<int>(random.between(0, 120));
    world_.account.note("process {} dies after {} writes", process.number(), writes);
    world_.disk.die_after(process.number(), writes);
  } else if (die <= 80) {
    const auto grace = random.between(Milliseconds{0}, Milliseconds{60s});
    world_.account.note("process {} is told to stop", process.number());
    process.stop(grace);
  } else if (die <= 90) {
    world_.account.note("the disk is full");
    world_.disk.full = true;
    later(random.between(Milliseconds{1s}, Milliseconds{5min}), [this] {
      world_.account.note("the disk has room again");
      world_.disk.full = false;
    });
  } else if (process.is_daemon()) {
    world_.account.note("process {} reads its limits again", process.number());
    process.use(draw_limits());
  }
}

void Night::jump() {
  auto& random = world_.random;
  const Milliseconds by = random.chance(60)   ? random.between(Milliseconds{-10min}, Milliseconds{10min})
                          : random.chance(70) ? random.between(Milliseconds{-5h}, Milliseconds{8h})
                                              : random.between(Milliseconds{-24h}, Milliseconds{36h});
  world_.clock.jump(by);
  world_.account.note("the clock was set by {} s", by.count() / 1000);
  for (auto& process : processes_) process->wake(Milliseconds{250});
}

void Night::happen_to_devices() {
  auto& random = world_.random;
  if (estate_.devices.empty()) return add_device();
  const auto die = random.between(1, 100);
  if (die <= 25) {
    const CustomerId customer = random.pick(estate_.customers);
    world_.account.note("customer {} is cut off", customer.value);
    estate_.cut_off.insert(customer);
    later(random.between(Milliseconds{1min}, Milliseconds{90min}), [this, customer] {
      world_.account.note("customer {} is back", customer.value);
      estate_.cut_off.erase(customer);
    });
  } else if (die <= 50) {
    Unit& unit = lot(random, estate_.devices)->second;
    unit.manner = random.pick(manners);
    unit.fails = static_cast<int>(random.between(1, 4));
    unit.failed = 0;
  } else if (die <= 70) {
    credentials();
  } else if (die <= 80) {
    add_device();
  } else if (die <= 88 && estate_.devices.size() > 1) {
    const auto gone = lot(random, estate_.devices);
    const DeviceId id = gone->first;
    if (!operate([&](store::Database& db) { return store::Inventory{db}.remove_device(id); })) return;
    world_.account.note("device {} is removed", id.value);
    estate_.devices.erase(gone);
    estate_.retry.devices.erase(id);
    estate_.schedule.devices.erase(id);
    guard_.removed(id);
    almanac_.edited();
  } else {
    const auto toggled = lot(random, estate_.devices);
    Unit& unit = toggled->second;
    if (!operate([&](store::Database& db) -> Result<void> {
          store::Inventory inventory{db};
          auto device = inventory.device(toggled->first);
          if (!device) return std::move(device).error();
          device->enabled = !unit.enabled;
          return inventory.update_device(*device);
        }))
      return;
    unit.enabled = !unit.enabled;
    world_.account.note("device {} is {}", toggled->first.value, unit.enabled ? "enabled" : "disabled");
    almanac_.edited();
  }
}

// A password is changed on the devices; some time later somebody tells Nightjar, or says that all is well.
void Night::credentials() {
  auto& random = world_.random;
  const CredentialId id = lot(random, estate_.credentials)->first;
  const auto die = random.between(1, 100);
  if (die <= 50) {
    world_.account.note("the password of credential {} is changed on the devices", id.value);
    estate_.changed_on_site.insert(id);
    return;
  }
  const bool edits = die <= 80;
  const bool done = operate([&](store::Database& db) -> Result<void> {
    store::Inventory inventory{db};
    if (!edits) {
      auto reset = store::BreakerBook{db}.reset(id);
      return reset ? Result<void>{} : reset.error();
    }
    auto credential = inventory.credential(id);
    if (!credential) return std::move(credential).error();
    credential->sealed_password =
        world_.equipment.vault.seal(Secret{"newly made up"}, store::credential_record(id, "password"));
    return inventory.update_credential(*credential);
  });
  if (!done) return;
  world_.account.note("credential {} is {}", id.value, edits ? "edited" : "reset");
  guard_.reset(id);
  if (edits) estate_.changed_on_site.erase(id);
}

void Night::edit() {
  const auto die = world_.random.between(1, 100);
  if (die <= 50) return edit_retry();
  if (die <= 70) return edit_schedule();
  if (die <= 90) return edit_limits();
  const CustomerId customer = world_.random.pick(estate_.customers);
  if (!operate([&](store::Database& db) -> Result<void> {
        auto reset = store::BreakerBook{db}.reset(customer);
        return reset ? Result<void>{} : reset.error();
      }))
    return;
  world_.account.note("the breaker of customer {} is reset", customer.value);
  guard_.reset(customer);
}

void Night::rerun() {
  const auto ended = witness_.ended();
  if (ended.empty()) return;
  const SeriesId id = world_.random.pick(ended);
  if (!operate([&](store::Database& db) -> Result<void> {
        auto device = orchestrator::reopen(db, id, world_.clock.now());
        return device ? Result<void>{} : device.error();
      }))
    return;
  world_.account.note("series {} is rerun", id.value);
  witness_.reran(id);
}

// As the command does it.
void Night::cancel() {
  const auto open = witness_.open();
  if (open.empty()) return;
  const SeriesId id = world_.random.pick(open);
  if (!operate([&](store::Database& db) -> Result<void> {
        store::SeriesBook book{db};
        const UtcTime now = world_.clock.now();
        auto row = book.find(id);
        if (!row) return std::move(row).error();
        auto rule = store::Inventory{db}.retry_rule({rules::Level::device, row->customer, row->device});
        if (!rule) return std::move(rule).error();
        const auto step = series::step(row->machine, series::event::Cancel{}, rules::values(rule->rule), now,
                                       [] { return 0.0; });
        if (!step) return step.error();
        return book.update(id, step->series, now);
      }))
    return;
  world_.account.note("series {} is cancelled", id.value);
  witness_.cancelled(id);
}

void Night::back_up_by_hand() {
  if (estate_.devices.empty()) return;
  std::vector<DeviceId> devices;
  const auto count = world_.random.between(1, 4);
  for (std::int64_t i = 0; i < count; ++i) devices.push_back(lot(world_.random, estate_.devices)->first);
  const bool opened = operate([&](store::Database& db) -> Result<void> {
    auto series = store::SeriesBook{db}.open(devices, series::Trigger::manual, world_.clock.now(), "", {});
    return series ? Result<void>{} : series.error();
  });
  if (opened) world_.account.note("{} devices are backed up by hand", devices.size());
}

// A command that drives its own series until they have ended: a backup, a resume or a rerun.
void Night::in_foreground() {
  constexpr std::size_t most_processes = 4;
  if (processes_.size() >= most_processes || estate_.devices.empty()) return;
  auto& random = world_.random;
  const int number = next_number_++;
  auto process = Process::start({world_, estate_, guard_, almanac_, witness_, audience_}, number, false,
                                draw_limits(), 500);
  if (!process) return;
  std::vector<DeviceId> devices;
  const auto count = random.between(1, 8);
  for (std::int64_t i = 0; i < count; ++i) devices.push_back(lot(random, estate_.devices)->first);
  const UtcTime now = world_.clock.now();
  const auto lease = now + 24h;
  const auto die = random.between(1, 100);
  const auto ended = witness_.ended();
  std::optional<SeriesId> rerun;
  if (die > 80 && !ended.empty()) rerun = random.pick(ended);
  const bool ready = process->write([&](store::Database& db) -> Result<void> {
    store::SeriesBook book{db};
    if (rerun) {
      return db.atomically([&]() -> Result<void> {
        auto device = orchestrator::reopen(db, *rerun, now);
        if (!device) return std::move(device).error();
        auto adopted = book.adopt({*device}, process->owner(), lease);
        return adopted ? Result<void>{} : adopted.error();
      });
    }
    if (die > 60) {
      auto adopted = book.adopt(devices, process->owner(), lease);
      return adopted ? Result<void>{} : adopted.error();
    }
    auto opened = book.open(devices, series::Trigger::manual, now, process->owner(), lease);
    return opened ? Result<void>{} : opened.error();
  });
  world_.account.note("process {} {}{}", number,
                      rerun      ? "reruns"
                      : die > 60 ? "resumes"
                                 : "backs up",
                      ready ? "" : ", in vain");
  if (ready && rerun) witness_.reran(*rerun);
  for (auto& other : processes_) other->wake(Milliseconds{250});
  if (ready) {
    processes_.push_back(std::move(process));
    return;
  }
  process.reset();
  for (auto& other : processes_) other->recover_soon();
}

}  // namespace nightjar::simulation
