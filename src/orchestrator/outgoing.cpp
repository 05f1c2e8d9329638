#include "orchestrator/outgoing.hpp"

#include "orchestrator/reporter.hpp"

#include <nightjar/delivery/retry.hpp>
#include <nightjar/orchestrator/telling.hpp>
#include <nightjar/store/owner_lock.hpp>

#include <utility>

namespace nightjar::orchestrator {
namespace {

// A try is over by then: the courier's own limits are shorter. Until then nobody else takes the message.
constexpr Seconds try_takes_at_most{90};
constexpr std::size_t completed_at_once = 20;
constexpr std::size_t looked_at_once = 200;
constexpr std::size_t under_way_at_once = 32;

Result<void> release_of_the_dead(store::Database& db, const std::filesystem::path& data_folder,
                                 std::string_view owner, UtcTime now) {
  store::Outbox outbox{db};
  auto takers = outbox.takers();
  if (!takers) return std::move(takers).error();
  for (const std::string& taker : *takers) {
    if (taker == owner || store::OwnerLock::is_alive(data_folder, taker)) continue;
    if (auto released = outbox.release(taker, now); !released) return released;
  }
  return {};
}

Result<bool> complete(store::Database& db, const Collection& round) {
  store::Outbox outbox{db};
  auto messages = outbox.complete(round.complete_until, completed_at_once);
  if (!messages) return std::move(messages).error();
  for (const auto& message : *messages) {
    auto destination = store::Destinations{db}.find(message.destination);
    if (!destination) return std::move(destination).error();
    auto content = compose(db, message, *destination, round.now);
    if (!content) return std::move(content).error();
    const auto written = *content ? outbox.fix(message.id, **content, round.now) : outbox.drop(message.id);
    if (!written) return written.error();
  }
  return messages->size() == completed_at_once;
}

Result<std::optional<Ready>> begin(store::Database& db, store::Message message, UtcTime now,
                                   const vault::Vault& vault, std::string_view owner) {
  store::Outbox outbox{db};
  auto begun = outbox.begin_try(message.id, owner, now, now + try_takes_at_most);
  if (!begun) return std::move(begun).error();
  if (!*begun) return std::optional<Ready>{};
  ++message.tries;
  store::Destinations destinations{db};
  auto destination = destinations.find(message.destination);
  if (!destination) return std::move(destination).error();
  auto content = outbox.content(message.id);
  if (!content) return std::move(content).error();
  auto server = destinations.mail_server();
  if (!server) return std::move(server).error();
  auto sealed = letter(*destination, *content, message.event_id, *server, vault, now);
  const UtcTime first = message.first_try.value_or(now);
  return std::optional<Ready>{Ready{std::move(message), first, std::move(sealed)}};
}

Result<void> take_due(store::Database& db, const Collection& round, const vault::Vault& vault,
                      std::string_view owner, std::vector<Ready>& ready) {
  auto due = store::Outbox{db}.due(round.now, looked_at_once);
  if (!due) return std::move(due).error();
  std::set<DestinationId> busy = round.busy;
  for (auto& message : *due) {
    if (busy.size() >= under_way_at_once) break;
    if (busy.contains(message.destination) || round.left_out.contains(message.id)) continue;
    auto one = begin(db, std::move(message), round.now, vault, owner);
    if (!one) return std::move(one).error();
    if (!*one) continue;
    busy.insert((*one)->message.destination);
    ready.push_back(std::move(**one));
  }
  return {};
}

}  // namespace

Result<Collected> collect(store::Database& db, const Collection& round,
                          const std::filesystem::path& data_folder, const vault::Vault& vault,
                          std::string_view owner) {
  Collected collected;
  const auto done = db.atomically([&]() -> Result<void> {
    if (auto released = release_of_the_dead(db, data_folder, owner, round.now); !released) return released;
    auto more = complete(db, round);
    if (!more) return std::move(more).error();
    collected.more = *more;
    if (round.reports) {
      auto one = report_one(db, round.now);
      if (!one) return std::move(one).error();
      collected.more_reports = *one;
    }
    return take_due(db, round, vault, owner, collected.ready);
  });
  if (!done) return done.error();
  return collected;
}

Delivered outcome_of(store::Message message, UtcTime first_try, delivery::Answer answer, UtcTime now) {
  Delivered tried{std::move(message), std::move(answer), std::nullopt};
  if (tried.answer.verdict == delivery::Verdict::deferred)
    tried.next_try = delivery::next_try(tried.message.tries, first_try, now, tried.answer.retry_after);
  return tried;
}

Result<void> write_outcome(store::Database& db, const Delivered& tried, UtcTime now) {
  store::Outbox outbox{db};
  const auto& [message, answer, next] = tried;
  return db.atomically([&]() -> Result<void> {
    switch (answer.verdict) {
      case delivery::Verdict::delivered:
        return outbox.delivered(message.id, answer.status, answer.detail, now);
      case delivery::Verdict::deferred:
        return next ? outbox.put_off(message.id, answer.status, answer.detail, *next)
                    : outbox.dead(message.id, answer.status, answer.detail, now);
      case delivery::Verdict::gone:
        if (auto dead = outbox.dead(message.id, answer.status, answer.detail, now); !dead) return dead;
        return store::Destinations{db}.disable(message.destination, answer.detail, now);
      case delivery::Verdict::refused:
        break;
    }
    return outbox.dead(message.id, answer.status, answer.detail, now);
  });
}

}  // namespace nightjar::orchestrator
