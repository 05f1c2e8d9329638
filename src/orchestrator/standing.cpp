#include <nightjar/orchestrator/daemon.hpp>
#include <nightjar/schedule/times.hpp>
#include <nightjar/store/breakers.hpp>
#include <nightjar/store/runs.hpp>
#include <nightjar/store/series_book.hpp>

#include <algorithm>

namespace nightjar::orchestrator {
namespace {

// When a customer's schedule, or that of a device with its own, fires next.
Result<std::optional<UtcTime>> next_run(store::Database& db, UtcTime now) {
  auto handled = store::RunBook{db}.handled();  // the schedules in use
  if (!handled) return std::move(handled).error();
  std::optional<UtcTime> next;
  for (const auto& mark : *handled) {
    auto cron = schedule::Cron::parse(mark.schedule.cron);
    auto zone = schedule::Zone::find(mark.schedule.timezone);
    if (!cron || !zone) continue;
    const auto time = schedule::next_time(*cron, *zone, std::max(now, mark.until));
    if (time && (!next || *time < *next)) next = time;
  }
  return next;
}

}  // namespace

Result<Standing> standing(store::Database& db, UtcTime now) {
  auto counted = store::SeriesBook{db}.count_open_by_state(now);
  if (!counted) return std::move(counted).error();
  Standing out;
  out.pending = counted->pending;
  out.running = counted->running;
  out.retry_wait = counted->retry_wait;
  out.due = counted->due;
  out.oldest_due = counted->oldest_due;
  auto next = next_run(db, now);
  if (!next) return std::move(next).error();
  out.next_run = *next;

  store::BreakerBook breakers{db};
  auto open = breakers.open_breakers();
  if (!open) return std::move(open).error();
  for (auto& row : *open) {
    auto held = store::SeriesBook{db}.count_due(row.customer, now);
    if (!held) return std::move(held).error();
    out.breakers.push_back(
        {std::move(row.customer_name), *row.breaker.opened_at, row.breaker.probe_at, *held});
  }
  auto tripped = breakers.tripped();
  if (!tripped) return std::move(tripped).error();
  for (auto& row : *tripped)
    out.credentials.push_back({std::move(row.name), *row.breaker.tripped_at, row.breaker.refused});
  return out;
}

}  // namespace nightjar::orchestrator
