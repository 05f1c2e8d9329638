// How many series stand where: for status pages and metrics, which ask now and then.
#include "store/series_rows.hpp"

namespace nightjar::store {

using Connection = Database::Connection;

Result<SeriesBook::OpenCounts> SeriesBook::count_open_by_state(UtcTime now) {
  return reading(db_, [&](Connection& c) -> Result<OpenCounts> {
    OpenCounts counts;
    Statement row(c,
                  "SELECT state, count(*), coalesce(sum(due_ms <= ?1), 0), min(due_ms) FROM series "
                  "WHERE ended_ms IS NULL GROUP BY state",
                  now);
    while (row.step()) {
      Columns columns(row);
      const auto state = columns.next_named(series::parse_state);
      const auto count = columns.next<std::size_t>();
      counts.due += columns.next<std::size_t>();
      const auto oldest = columns.next<std::optional<UtcTime>>();
      if (state == series::State::pending) counts.pending = count;
      if (state == series::State::running) counts.running = count;
      if (state == series::State::retry_wait) counts.retry_wait = count;
      const bool earlier = oldest && *oldest <= now && (!counts.oldest_due || *oldest < *counts.oldest_due);
      if (earlier) counts.oldest_due = oldest;
    }
    return counts;
  });
}

Result<std::size_t> SeriesBook::count_due(CustomerId customer, UtcTime now) {
  return reading(db_, [&](Connection& c) -> Result<std::size_t> {
    std::size_t due = 0;
    for (const bool retries : {false, true}) {
      Statement row(
          c,
          "SELECT count(*) FROM series WHERE due_ms IS NOT NULL AND owner IS NULL AND customer_id = ?1 AND "
          "(attempts > 0) = ?2 AND due_ms <= ?3",
          customer, retries, now);
      if (row.step()) due += Columns(row).next<std::size_t>();
    }
    return due;
  });
}

}  // namespace nightjar::store
