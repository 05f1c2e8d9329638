// What a night begins with, and what operators add to it, change in it and take away.
#include "simulation/night.hpp"

#include <nightjar/orchestrator/daemon.hpp>

#include <algorithm>
#include <array>
#include <iterator>

namespace nightjar::simulation {

using namespace std::chrono_literals;
using rules::Level;

namespace {

constexpr std::array manners{Manner::fine,  Manner::fine,           Manner::fine,          Manner::fine,
                             Manner::fine,  Manner::fine,           Manner::flaky,         Manner::dead,
                             Manner::flaky, Manner::flaky,          Manner::lies,          Manner::hangs,
                             Manner::drops, Manner::wrong_password, Manner::other_host_key};

std::string seconds(Random& random, std::initializer_list<int> from) {
  return std::to_string(*(from.begin() + random.between(0, static_cast<std::int64_t>(from.size()) - 1)));
}

// Some of a rule's fields; each level sets some and leaves others.
Fields draw_rule(Random& random, int percent) {
  Fields fields;
  const auto set = [&](const char* field, std::string value) {
    if (random.chance(percent)) fields.emplace(field, std::move(value));
  };
  set("attempts", std::to_string(random.between(1, 5)));
  set("delay_seconds", seconds(random, {10, 30, 60, 300, 900}));
  set("backoff", random.chance(50) ? "2" : random.chance(50) ? "1" : "1.5");
  set("spacing", random.chance(60) ? "geometric" : "linear");
  set("max_delay_seconds", seconds(random, {60, 300, 900, 3600}));
  set("jitter", random.chance(60)   ? "none"
                : random.chance(50) ? "full"
                : random.chance(50) ? "equal"
                                    : "decorrelated");
  set("attempt_timeout_seconds", seconds(random, {30, 120, 300, 600}));
  set("give_up_after_seconds", random.chance(60) ? "none" : seconds(random, {600, 1800, 7200}));
  set("retry_on",
      random.chance(70) ? "unreachable,dropped,timeout,busy,incomplete,local" : "unreachable,auth,local");
  return fields;
}

Fields draw_schedule(Random& random, bool zone) {
  constexpr std::array<const char*, 8> nightly{"30 2 * * *", "0 2 * * *",     "@daily",     "15 3 * * 1-5",
                                               "45 1 * * *", "0 0-5/2 * * *", "0 23 * * *", "30 1 * * 0"};
  constexpr std::array<const char*, 3> often{"@hourly", "20 * * * *", "*/30 * * * *"};
  constexpr std::array<const char*, 6> zones{"UTC",          "Europe/Paris",        "America/New_York",
                                             "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Auckland"};
  Fields fields;
  fields["cron"] = random.chance(90) ? random.pick(nightly) : random.pick(often);
  if (zone) fields["timezone"] = random.pick(zones);
  if (random.chance(30)) fields["catch_up_seconds"] = random.chance(50) ? "0" : "1800";
  return fields;
}

Fields draw_limits_of(Random& random) {
  Fields fields;
  if (random.chance(60)) fields["sessions"] = std::to_string(random.between(1, 8));
  fields["breaker_failures"] = std::to_string(random.between(2, 8));
  fields["breaker_cooldown_seconds"] = seconds(random, {10, 30, 60, 600});
  return fields;
}

}  // namespace

// One level gets these fields and no others; the estate is told when it is written.
template <template <template <class> class> class S>
void Night::set_fields(Levels& levels, const Fields& fields, int platform_percent) {
  S<std::optional> layer;
  for (const auto& [field, value] : fields) {
    const auto assigned = rules::assign<S>(layer, field, value);
    hold(assigned.has_value(), "{} = {} is refused", field, value);
  }
  auto& random = world_.random;
  store::Scope scope;
  Fields* own = &levels.platform;
  if (!random.chance(platform_percent)) {
    const bool device = random.chance(30) && !estate_.devices.empty() &&
                        !std::is_same_v<S<std::optional>, admission::LimitLayer>;
    if (device) {
      auto unit = std::next(estate_.devices.begin(),
                            random.between(0, static_cast<std::int64_t>(estate_.devices.size()) - 1));
      scope = {Level::device, {}, unit->first};
      own = &levels.devices[unit->first];
    } else {
      const CustomerId customer = random.pick(estate_.customers);
      scope = {Level::customer, customer, {}};
      own = &levels.customers[customer];
    }
  }
  const bool written = operate([&](store::Database& db) -> Result<void> {
    if (auto set = store::Settings{db}.set_layer(scope, layer); !set) return set;
    return orchestrator::note_schedules(db, world_.clock.now());
  });
  if (!written) return;
  *own = fields;
  std::string words;
  for (const auto& [field, value] : fields) words += fmt::format(" {}={}", field, value);
  world_.account.note("the operator sets, at level {}{}:{}", rules::to_text(scope.level),
                      scope.level == Level::customer ? fmt::format(" {}", scope.customer.value)
                      : scope.level == Level::device ? fmt::format(" {}", scope.device.value)
                                                     : "",
                      words);
  almanac_.edited();
}

void Night::edit_retry() {
  set_fields<rules::RetryFields>(estate_.retry, draw_rule(world_.random, 40), 35);
}

void Night::edit_schedule() {
  auto fields = draw_schedule(world_.random, world_.random.chance(50));
  if (world_.random.chance(10)) fields["enabled"] = "false";
  set_fields<schedule::ScheduleFields>(estate_.schedule, fields, 15);
}

void Night::edit_limits() {
  set_fields<admission::LimitFields>(estate_.limits, draw_limits_of(world_.random), 40);
}

orchestrator::Limits Night::draw_limits() {
  auto& random = world_.random;
  orchestrator::Limits limits;
  limits.sessions = static_cast<int>(random.chance(50) ? random.between(1, 6) : random.between(10, 60));
  limits.sessions_per_customer = random.chance(30) ? static_cast<int>(random.between(1, 10)) : 0;
  limits.connections_per_second =
      static_cast<int>(random.chance(30) ? random.between(1, 3) : random.between(20, 60));
  limits.retries.per_second = static_cast<int>(random.chance(20) ? random.between(1, 2) : 10);
  return limits;
}

void Night::add_customer() {
  CustomerId id;
  const std::string name = fmt::format("customer-{}", ++names_);
  if (!operate([&](store::Database& db) -> Result<void> {
        auto added = store::Inventory{db}.add_customer({{}, name, ""});
        if (!added) return std::move(added).error();
        id = *added;
        return {};
      }))
    return;
  estate_.customers.push_back(id);
  if (world_.random.chance(60)) add_credential(id);
}

void Night::add_credential(std::optional<CustomerId> customer) {
  CredentialId id;
  const bool added = operate([&](store::Database& db) -> Result<void> {
    store::Inventory inventory{db};
    store::Credential credential;
    credential.customer = customer;
    credential.name = fmt::format("credential-{}", ++names_);
    credential.username = "backup";
    auto fresh = inventory.add_credential(credential);
    if (!fresh) return std::move(fresh).error();
    id = credential.id = *fresh;
    credential.sealed_password =
        world_.equipment.vault.seal(Secret{"made up"}, store::credential_record(id, "password"));
    return inventory.update_credential(credential);
  });
  if (!added) return;
  guard_.reset(id);
  estate_.credentials.emplace(id, customer);
}

void Night::add_device() {
  auto& random = world_.random;
  Unit unit;
  unit.customer = random.pick(estate_.customers);
  std::vector<CredentialId> may_use;
  for (const auto& [id, customer] : estate_.credentials)
    if (!customer || customer == unit.customer) may_use.push_back(id);
  unit.credential = random.pick(may_use);
  unit.name = fmt::format("sw-{}", ++names_);
  unit.manner = random.pick(manners);
  unit.fails = static_cast<int>(random.between(1, 4));
  DeviceId id;
  const bool added = operate([&](store::Database& db) -> Result<void> {
    store::Device device;
    device.customer = unit.customer;
    device.name = unit.name;
    device.address = "192.0.2.10";
    device.driver = "ios";
    device.credential = unit.credential;
    auto fresh = store::Inventory{db}.add_device(device);
    if (!fresh) return std::move(fresh).error();
    id = *fresh;
    return {};
  });
  if (!added) return;
  world_.account.note("device {} of customer {} is added", id.value, unit.customer.value);
  estate_.devices.emplace(id, std::move(unit));
  almanac_.edited();
}

void Night::add_listener(std::optional<CustomerId> customer) {
  DestinationId id;
  const bool added = operate([&](store::Database& db) -> Result<void> {
    store::Destination destination;
    destination.customer = customer;
    destination.kind = store::DestinationKind::webhook;
    destination.address = "https://203.0.113.9/hook";
    destination.events = alerting::Events{}.with(alerting::Event::series_failed);
    destination.created_at = world_.clock.now();
    auto fresh = store::Destinations{db}.add(destination);
    if (!fresh) return std::move(fresh).error();
    id = *fresh;
    return {};
  });
  if (added) audience_.listeners.push_back({id, customer});
}

// Every failure is told again: how often is the policy's to decide, and tested where it does.
void Night::set_alerts() {
  auto& random = world_.random;
  audience_.recoveries = random.chance(80);
  alerting::PolicyLayer layer;
  layer.repeat = alerting::Repeat::every;
  layer.recovered = audience_.recoveries;
  layer.group = Seconds{random.chance(40) ? 0 : random.between(1, 600)};
  hold(operate([&](store::Database& db) { return store::Settings{db}.set_layer({}, layer); }),
       "the alerts cannot be set");
}

void Night::furnish() {
  auto& random = world_.random;
  add_credential(std::nullopt);
  const auto customers = random.between(1, 6);
  for (std::int64_t i = 0; i < customers; ++i) add_customer();
  set_alerts();
  if (random.chance(90)) add_listener(std::nullopt);
  if (random.chance(50)) add_listener(random.pick(estate_.customers));
  const auto devices = random.chance(75)   ? random.between(2, 8)
                       : random.chance(80) ? random.between(8, 20)
                                           : random.between(20, 40);
  for (std::int64_t i = 0; i < devices; ++i) add_device();
  const auto settings = random.between(1, 4);
  for (std::int64_t i = 0; i < settings; ++i) {
    edit_retry();
    edit_schedule();
    edit_limits();
  }
  witness_.look();
}

}  // namespace nightjar::simulation
