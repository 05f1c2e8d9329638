#include "simulation/audience.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nightjar::simulation {

using namespace std::chrono_literals;
using store::Columns;
using store::Statement;

Audience::Word Audience::first_of(SeriesId id) {
  Word word;
  word.series = id;
  return word;
}

void Audience::ended(const SeriesFact& fact, store::Database::Connection& c) {
  auto& standing = standing_[fact.device];
  if (fact.state == "succeeded") {
    for (const auto& [to, words] : std::exchange(standing, {}))
      if (recoveries && !words.empty())
        owed_.insert_or_assign({fact.id, to, false, fact.attempts}, Owed{fact.device, ++order_});
  } else if (fact.state == "failed") {
    const auto unit = estate_.devices.find(fact.device);
    if (unit == estate_.devices.end() || !unit->second.enabled) return compare(fact.id, c);
    for (const Listener& listener : listeners) {
      if (listener.customer && *listener.customer != fact.customer) continue;
      const Word word{fact.id, listener.id, true, fact.attempts};
      if (owed_.contains(word)) continue;  // rerun and overtaken without another attempt: the same end
      owed_.insert_or_assign(word, Owed{fact.device, ++order_});
      standing[listener.id].insert(word);
    }
  }
  compare(fact.id, c);
}

std::set<Audience::Word> Audience::written(SeriesId id, store::Database::Connection& c) const {
  std::set<Word> words;
  Statement row(
      c, "SELECT destination_id, event = 'series.failed', attempts FROM notification WHERE series_id = ?1",
      id);
  while (row.step()) {
    Columns columns(row);
    Word word = first_of(id);
    word.to = columns.next<DestinationId>();
    word.failure = columns.next<bool>();
    word.attempts = columns.next<int>();
    words.insert(word);
  }
  return words;
}

void Audience::reran(SeriesId id, store::Database::Connection& c) {
  const auto left = written(id, c);
  for (auto it = owed_.lower_bound(first_of(id)); it != owed_.end() && it->first.series == id;) {
    if (left.contains(it->first)) {
      ++it;
      continue;
    }
    hold(it->first.failure, "the recovery that series {} was is taken back", id.value);
    hold(!heard_.contains(it->first), "what was told of series {} is taken back", id.value);
    standing_[it->second.device][it->first.to].erase(it->first);
    it = owed_.erase(it);
  }
}

void Audience::gone(SeriesId id) {
  for (auto it = owed_.lower_bound(first_of(id)); it != owed_.end() && it->first.series == id;) {
    standing_.erase(it->second.device);
    it = owed_.erase(it);
  }
}

void Audience::compare(SeriesId id, store::Database::Connection& c) const {
  std::set<Word> owed;
  for (auto it = owed_.lower_bound(first_of(id)); it != owed_.end() && it->first.series == id; ++it)
    owed.insert(it->first);
  const auto have = written(id, c);
  hold(have == owed, "{} are to be told of series {}, {} should be", have.size(), id.value, owed.size());
}

Audience::Reply Audience::reply() {
  auto& random = world_.random;
  Reply reply;
  const auto die = reliable ? 1 : random.between(1, 100);
  auto& answer = reply.answer;
  reply.heard = die <= 80;
  answer.verdict = delivery::Verdict::deferred;
  if (die <= 72) {
    answer.verdict = delivery::Verdict::delivered;
    answer.status = 204;
  } else if (die > 97) {
    answer.verdict = delivery::Verdict::refused;
    answer.status = 400;
  } else if (die > 90) {
    answer.status = 503;
    answer.retry_after = Seconds{random.between(1, 3600)};
  }  // else: no answer, and it was heard or not
  answer.detail = fmt::format("made up, status {}", answer.status);
  return reply;
}

void Audience::hear(DestinationId to, const std::string& event_id, const std::string& body,
                    store::Database::Connection& c) {
  world_.account.note("destination {} hears {}", to.value, event_id);
  const auto known = bodies_.emplace(event_id, body).first;
  hold(known->second == body, "message {} says something else at another try", event_id);
  const auto json = nlohmann::json::parse(body);
  const bool failure = json.at("type") == "series.failed";
  hold(failure || json.at("type") == "series.recovered", "a message of a kind nobody wants");
  for (const auto& one : json.at("data").at("series")) {
    const Word word{SeriesId{one.at("id").get<std::int64_t>()}, to, failure,
                    static_cast<int>(one.at("attempt_list").size())};
    if (!owed_.contains(word)) {  // its device was removed after the message was written
      Statement there(c, "SELECT 1 FROM series WHERE id = ?1", word.series);
      hold(!there.step(), "series {} is told after {} attempts, which is owed to nobody", word.series.value,
           word.attempts);
      continue;
    }
    const auto before = heard_.emplace(word, event_id).first;
    hold(before->second == event_id, "series {} is told by message {} and by {}", word.series.value,
         before->second, event_id);
    if (!failure) hear_recovery(word, c);
  }
}

void Audience::hear_recovery(const Word& recovery, store::Database::Connection& c) const {
  const Owed& now = owed_.at(recovery);
  for (const auto& [word, owed] : owed_)
    if (word.failure && word.to == recovery.to && owed.device == now.device && owed.order < now.order)
      hold(heard_.contains(word) || is_over(word, c, true),
           "the recovery of device {} is told before its failure in series {}", now.device.value,
           word.series.value);
}

// The message that tells it was refused, or given up after a day.
bool Audience::is_over(const Word& word, store::Database::Connection& c, bool dead_alone) const {
  Statement row(
      c,
      "SELECT m.state, m.status, m.ended_ms - m.first_try_ms FROM notification n JOIN message m ON m.id = "
      "n.message_id WHERE n.series_id = ?1 AND n.destination_id = ?2 AND n.event = ?3 AND n.attempts = ?4",
      word.series, word.to, word.failure ? "series.failed" : "series.recovered", word.attempts);
  if (!row.step()) return false;
  Columns columns(row);
  const auto state = columns.next<std::string>();
  const auto status = columns.next<int>();
  const auto took = columns.next<std::optional<std::int64_t>>();
  if (state != "dead") return false;
  return dead_alone || status == 400 || Milliseconds{took.value_or(0)} > 20h;
}

void Audience::finish(store::Database::Connection& c) const {
  for (const auto& [word, owed] : owed_)
    hold(heard_.contains(word) || is_over(word, c, false),
         "destination {} never hears of the {} of series {}", word.to.value,
         word.failure ? "failure" : "recovery", word.series.value);
}

}  // namespace nightjar::simulation
