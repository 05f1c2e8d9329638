#include "simulation/guard.hpp"

#include <algorithm>

namespace nightjar::simulation {
namespace {

using namespace std::chrono_literals;

Milliseconds seconds(const Valued& field) {
  return Seconds{number(field.value)};
}

bool is_connected(const std::string& stage) {
  return stage != "none" && stage != "resolve" && stage != "connect";
}

}  // namespace

Guard::Contact Guard::contact_of(const AttemptFact& attempt) {
  if (attempt.transport.empty()) return Contact::none;
  if (attempt.outcome == "success") return Contact::reached;
  if (attempt.outcome != "failure") return Contact::none;
  const std::string& c = attempt.failure_class;
  const bool connected = is_connected(attempt.stage);
  if (c == "unreachable") return Contact::unreachable;
  if (c == "timeout") return connected ? Contact::lost : Contact::unreachable;
  if (c == "dropped" || c == "local" || c == "internal") return connected ? Contact::lost : Contact::none;
  return connected ? Contact::reached : Contact::none;
}

void Guard::starts(const Start& start) {
  const auto found = claimants.find(start.owner);
  hold(found != claimants.end() && found->second.alive, "series {} runs for {}, who is not alive",
       start.before.id.value, start.owner);
  Claimant& claimant = found->second;
  hold(start.running <= claimant.limits.sessions, "{} sessions at once, {} are allowed", start.running,
       claimant.limits.sessions);
  const auto of_customer = estate_.limits.in_force("sessions", start.before.customer);
  const bool by_flag = claimant.limits.sessions_per_customer > 0 && of_customer.origin != "customer";
  const auto most =
      by_flag ? claimant.limits.sessions_per_customer : static_cast<int>(number(of_customer.value));
  hold(start.running_of_customer <= most, "{} sessions at once for customer {}, {} are allowed",
       start.running_of_customer, start.before.customer.value, most);
  check_pace(start, claimant);
  check_breaker(start);

  const auto unit = estate_.devices.find(start.before.device);
  const CredentialId credential = unit == estate_.devices.end() ? CredentialId{} : unit->second.credential;
  CredentialState& state = credentials_[credential];
  hold(!state.tripped, "series {} started with credential {}, which has tripped", start.before.id.value,
       credential.value);
  carried_[start.attempt.id] = {credential, state.edition};
}

void Guard::check_pace(const Start& start, Claimant& claimant) {
  const MonoTime now = world_.clock.mono();
  auto& starts = claimant.starts;
  starts.push_back(now);
  while (now - starts.front() >= 1s) starts.pop_front();
  hold(starts.size() <= static_cast<std::size_t>(claimant.limits.connections_per_second),
       "{} new connections in one second, {} are allowed", starts.size(),
       claimant.limits.connections_per_second);

  auto& line = start.before.attempts > 0 ? claimant.retries : claimant.firsts;
  line.push_back(now);
  const auto minute_ago = std::chrono::floor<Seconds>(now) - 59s;  // whole seconds, the running one included
  for (auto* times : {&claimant.firsts, &claimant.retries})
    while (!times->empty() && times->front() < minute_ago) times->pop_front();
  const auto allowed =
      60 * static_cast<std::size_t>(claimant.limits.retries.per_second) +
      claimant.firsts.size() * static_cast<std::size_t>(claimant.limits.retries.percent) / 100;
  hold(claimant.retries.size() <= allowed, "{} retries in a minute of {} first attempts",
       claimant.retries.size(), claimant.firsts.size());
}

// Behind an open breaker nothing starts but one probe at a time, and what has been held back long enough.
void Guard::check_breaker(const Start& start) {
  Breaker& breaker = breakers_[start.before.customer];
  if (!breaker.open) {
    hold(!start.probe, "series {} is a probe of customer {}, whose breaker is closed", start.before.id.value,
         start.before.customer.value);
    return;
  }
  const UtcTime now = start.attempt.started;
  if (start.probe && !breaker.probe) {
    const auto cooldown = seconds(estate_.limits.in_force("breaker_cooldown_seconds", start.before.customer));
    hold(now >= breaker.probe_at || breaker.probe_at - now > cooldown,
         "customer {} is probed before its cooldown is over", start.before.customer.value);
    breaker.probe = start.before.id;
    return;
  }
  const auto most =
      seconds(estate_.retry.in_force("max_delay_seconds", start.before.customer, start.before.device));
  const auto limit = *start.before.due + std::max(most - start.before.held, Milliseconds{0});
  hold(now >= limit, "series {} started through the open breaker of customer {}; its hold lasts until {}",
       start.before.id.value, start.before.customer.value, to_rfc3339(limit));
}

void Guard::refused(const SeriesFact& before, const AttemptFact& attempt) {
  const auto unit = estate_.devices.find(before.device);
  hold(unit != estate_.devices.end() && credentials_[unit->second.credential].tripped,
       "series {} was refused for a credential that has not tripped", before.id.value);
  hold(attempt.failure_class == "auth" && attempt.stage == "none", "a refusal of class {}",
       attempt.failure_class);
}

void Guard::ends(const SeriesFact& series, const AttemptFact& attempt, bool told,
                 std::optional<UtcTime> let_in_at) {
  Breaker& breaker = breakers_[series.customer];
  const auto contact = told ? contact_of(attempt) : Contact::none;
  const bool was_probe = breaker.probe == series.id;
  const auto cooldown = seconds(estate_.limits.in_force("breaker_cooldown_seconds", series.customer));
  if (was_probe) breaker.probe = {};
  if (contact == Contact::reached || (contact == Contact::lost && (was_probe || !breaker.open))) {
    breaker = {};
  } else if (contact == Contact::unreachable) {
    ++breaker.unreachable;
    const auto most = number(estate_.limits.in_force("breaker_failures", series.customer).value);
    const bool opens = !breaker.open && breaker.unreachable >= most;
    if (opens) breaker.open = true;
    if (opens || was_probe) breaker.probe_at = *attempt.ended + cooldown;
  }
  const auto carried = carried_.find(attempt.id);
  if (carried == carried_.end()) return;
  if (told && !attempt.transport.empty()) answer(carried->second, series.device, attempt, let_in_at);
  carried_.erase(carried);
}

void Guard::answer(Carried carried, DeviceId device, const AttemptFact& attempt,
                   std::optional<UtcTime> let_in_at) {
  if (attempt.outcome != "success" && attempt.outcome != "failure") return;
  CredentialState& state = credentials_[carried.credential];
  if (carried.edition != state.edition) return;
  const bool typed = attempt.stage == "command" || attempt.stage == "verify" || attempt.stage == "store";
  if (attempt.outcome == "success" || (attempt.failure_class != "auth" && typed)) {
    const UtcTime at = let_in_at.value_or(*attempt.ended);
    std::erase_if(state.in_a_row, [&](const Rejected& r) { return r.at <= at || r.at > *attempt.ended; });
    if (state.in_a_row.size() < 3) state.tripped = false;
  } else if (attempt.failure_class == "auth" && is_connected(attempt.stage)) {
    std::erase_if(state.in_a_row, [&](const Rejected& r) { return r.device == device; });
    if (estate_.devices.contains(device))
      state.in_a_row.push_back({device, let_in_at.value_or(*attempt.ended)});
    if (state.in_a_row.size() > 3) state.in_a_row.erase(state.in_a_row.begin());
    if (state.in_a_row.size() == 3) state.tripped = true;
  }
}

void Guard::reset(CredentialId id) {
  auto& state = credentials_[id];
  const auto edition = state.edition + 1;
  state = {};
  state.edition = edition;
}

void Guard::reset(CustomerId id) {
  if (breakers_[id].open) breakers_[id] = {};
}

void Guard::forget_probes() {
  for (auto& [customer, breaker] : breakers_) breaker.probe = {};
}

void Guard::removed(DeviceId device) {
  for (auto& [credential, state] : credentials_)
    std::erase_if(state.in_a_row, [&](const Rejected& r) { return r.device == device; });
}

void Guard::gone(SeriesId series) {
  for (auto& [customer, breaker] : breakers_)
    if (breaker.probe == series) breaker.probe = {};
}

void Guard::compare(store::Database::Connection& c) {
  for (const auto& [customer, breaker] : breakers_) {
    store::Statement row(
        c,
        "SELECT unreachable, opened_ms IS NOT NULL, coalesce((SELECT id FROM series WHERE id = probe AND "
        "state = 'running'), 0) FROM customer_breaker WHERE customer_id = ?1",
        customer);
    int unreachable = 0;
    bool open = false;
    SeriesId probe;
    if (row.step()) {
      store::Columns columns(row);
      unreachable = columns.next<int>();
      open = columns.next<bool>();
      probe = columns.next<SeriesId>();
    }
    hold(unreachable == breaker.unreachable && open == breaker.open,
         "the breaker of customer {} has counted {} and is {}, but {} in a row found nobody and it should be "
         "{}",
         customer.value, unreachable, open ? "open" : "closed", breaker.unreachable,
         breaker.open ? "open" : "closed");
    hold(probe == breaker.probe, "the breaker of customer {} takes series {} for its probe, which is {}",
         customer.value, probe.value, breaker.probe.value);
  }
  for (auto& [credential, state] : credentials_)
    if (credential) compare(c, credential, state);
}

void Guard::compare(store::Database::Connection& c, CredentialId credential, CredentialState& state) {
  bool tripped = false;
  std::int64_t edition = 0;
  std::vector<Rejected> in_a_row;
  {
    store::Statement row(
        c, "SELECT tripped_ms IS NOT NULL, edition FROM credential_breaker WHERE credential_id = ?1",
        credential);
    if (row.step()) {
      store::Columns columns(row);
      tripped = columns.next<bool>();
      edition = columns.next<std::int64_t>();
    }
  }
  store::Statement row(
      c,
      "SELECT device_id, at_ms FROM credential_rejection WHERE credential_id = ?1 ORDER BY at_ms, device_id",
      credential);
  while (row.step()) {
    store::Columns columns(row);
    Rejected& rejected = in_a_row.emplace_back();
    rejected.device = columns.next<DeviceId>();
    rejected.at = columns.next<UtcTime>();
  }
  hold(tripped == state.tripped && edition == state.edition && in_a_row.size() == state.in_a_row.size(),
       "credential {} stands in the store as edition {}, {} rejections, {}; it is edition {}, {}, {}",
       credential.value, edition, in_a_row.size(), tripped ? "tripped" : "good", state.edition,
       state.in_a_row.size(), state.tripped ? "tripped" : "good");
  // Which three of more are kept is not said anywhere when the clock went backwards between them.
  state.in_a_row = std::move(in_a_row);
}

}  // namespace nightjar::simulation
