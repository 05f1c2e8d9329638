#include <nightjar/api/metrics.hpp>

#include <fmt/format.h>

#include <initializer_list>
#include <iterator>
#include <set>

namespace nightjar::api {
namespace {

using orchestrator::Counters;
using orchestrator::Status;
using series::End;
using series::Outcome;
using series::State;

struct Label {
  std::string_view name;
  std::string_view value;
};

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

// The exposition as it grows: a family is opened, then its samples follow.
class Exposition {
 public:
  void counter(std::string_view name, std::string_view help) { family(name, help, "counter"); }
  void gauge(std::string_view name, std::string_view help) { family(name, help, "gauge"); }
  void histogram(std::string_view name, std::string_view help) { family(name, help, "histogram"); }

  // `suffix` is _bucket, _sum or _count in a histogram.
  template <class Number>
  void sample(Number value, std::initializer_list<Label> labels = {}, std::string_view suffix = {}) {
    text_ += family_;
    text_ += suffix;
    char before = '{';
    for (const Label& label : labels) {
      fmt::format_to(std::back_inserter(text_), "{}{}=\"{}\"", before, label.name, escaped(label.value));
      before = ',';
    }
    if (before == ',') text_ += '}';
    fmt::format_to(std::back_inserter(text_), " {}\n", value);
  }

  std::string take() { return std::move(text_); }

 private:
  void family(std::string_view name, std::string_view help, std::string_view type) {
    family_ = name;
    fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  }

  std::string_view family_;
  std::string text_;
};

double seconds(Milliseconds span) {
  return std::chrono::duration<double>(span).count();
}

// Whole seconds without a fraction, and never in powers of ten: 1795996831.5.
std::string timestamp(UtcTime time) {
  const auto since = time.time_since_epoch().count();
  return since % 1000 == 0 ? fmt::format("{}", since / 1000)
                           : fmt::format("{:.3f}", static_cast<double>(since) / 1000);
}

template <class Kind>
std::string_view name_of(const std::optional<Kind>& some) {
  return some ? to_text(*some) : std::string_view();
}

void append_process(Exposition& to, const Status& status) {
  to.gauge("nightjar_build_info", "The version that runs, as a label.");
  to.sample(1, {{"version", NIGHTJAR_VERSION}});
  to.gauge("nightjar_start_time_seconds", "When the process started, in seconds since 1970.");
  to.sample(timestamp(status.started_at));
}

void append_attempts(Exposition& to, const Counters& counters) {
  auto attempts = counters.attempts;
  attempts.try_emplace({Outcome::success, std::nullopt});
  for (const FailureClass c : all_failure_classes) attempts.try_emplace({Outcome::failure, c});
  to.counter("nightjar_attempts_total", "Attempts that ended, by outcome and class of failure.");
  for (const auto& [kind, count] : attempts)
    to.sample(count, {{"outcome", to_text(kind.first)}, {"class", name_of(kind.second)}});
}

void append_series(Exposition& to, const Status& status) {
  auto ended = status.counters.series_ended;
  for (const State state : {State::succeeded, State::cancelled, State::missed})
    ended.try_emplace({state, std::nullopt});
  for (const End end : {End::exhausted, End::permanent, End::overtaken})
    ended.try_emplace({State::failed, end});
  to.counter("nightjar_series_ended_total", "Series that ended, by state and, of failed ones, by end.");
  for (const auto& [kind, count] : ended)
    to.sample(count, {{"state", to_text(kind.first)}, {"end", name_of(kind.second)}});
  to.counter("nightjar_series_opened_total", "Series that were opened.");
  to.sample(status.counters.series_opened);

  to.gauge("nightjar_series", "Open series, by state.");
  to.sample(status.standing.pending, {{"state", to_text(State::pending)}});
  to.sample(status.standing.running, {{"state", to_text(State::running)}});
  to.sample(status.standing.retry_wait, {{"state", to_text(State::retry_wait)}});
}

void append_queue(Exposition& to, const Status& status) {
  const auto& oldest = status.standing.oldest_due;
  const Milliseconds age = oldest && *oldest < status.at ? status.at - *oldest : Milliseconds{0};
  to.gauge("nightjar_due_series", "Series whose time has come and that wait for a slot.");
  to.sample(status.standing.due);
  to.gauge("nightjar_oldest_due_age_seconds", "How long the oldest of them has been due; 0 without one.");
  to.sample(seconds(age));
}

void append_breakers(Exposition& to, const Status& status) {
  std::set<std::string_view>
      customers;  // ordered, and each once: a sample that is there twice spoils the scrape
  for (const auto& breaker : status.standing.breakers) customers.insert(breaker.customer);
  to.gauge("nightjar_open_breakers", "Customers whose breaker is open.");
  to.sample(customers.size());
  if (!customers.empty())
    to.gauge("nightjar_customer_breaker_open", "1 while the customer's breaker is open.");
  for (const std::string_view customer : customers) to.sample(1, {{"customer", customer}});
  to.gauge("nightjar_tripped_credentials", "Credentials that are not tried until somebody looks at them.");
  to.sample(status.standing.credentials.size());
  to.counter("nightjar_retries_put_off_total", "Retries that the retry budget put off.");
  to.sample(status.counters.retries_put_off);
}

void append_runs(Exposition& to, const Status& status) {
  to.counter("nightjar_runs_total", "Firings of schedules; missed ones passed while nothing ran.");
  to.sample(status.counters.runs, {{"missed", "false"}});
  to.sample(status.counters.runs_missed, {{"missed", "true"}});
  if (!status.standing.next_run) return;
  to.gauge("nightjar_next_run_timestamp_seconds", "The next firing of any schedule, in seconds since 1970.");
  to.sample(timestamp(*status.standing.next_run));
}

void append_durations(Exposition& to, const orchestrator::Durations& durations) {
  to.histogram("nightjar_attempt_duration_seconds", "How long attempts took.");
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < durations.bounds.size(); ++i) {
    so_far += durations.counts.at(i);
    to.sample(so_far, {{"le", fmt::format("{}", durations.bounds.at(i))}}, "_bucket");
  }
  so_far += durations.counts.back();
  to.sample(so_far, {{"le", "+Inf"}}, "_bucket");
  to.sample(durations.sum_seconds, {}, "_sum");
  to.sample(so_far, {}, "_count");
}

}  // namespace

std::string prometheus(const Status& status) {
  Exposition exposition;
  append_process(exposition, status);
  append_attempts(exposition, status.counters);
  append_series(exposition, status);
  append_queue(exposition, status);
  append_breakers(exposition, status);
  append_runs(exposition, status);
  append_durations(exposition, status.counters.durations);
  return exposition.take();
}

Response metrics(const Status& status) {
  Response response;
  response.content_type = metrics_content_type;
  response.body = prometheus(status);
  return response;
}

}  // namespace nightjar::api
