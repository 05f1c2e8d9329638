// Rows of the database as the witness reads them, with SQL of its own.
#pragma once
#include "store/connection.hpp"

#include <nightjar/base/id.hpp>
#include <nightjar/base/time.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nightjar::simulation {

struct AttemptFact {
  AttemptId id;
  SeriesId series;
  int number = 0;
  std::string held_by;
  UtcTime started{};
  std::optional<UtcTime> ended;
  std::string outcome, failure_class, stage, reason, transport, action;
  Milliseconds wait{0};
  std::optional<UtcTime> next;
  std::int64_t rule = 0;
  std::size_t backups = 0;
  bool operator==(const AttemptFact&) const = default;
};

struct SeriesFact {
  SeriesId id;
  DeviceId device;
  CustomerId customer;
  std::optional<RunId> run;
  std::string cause, state, ended_as;
  UtcTime scheduled_for{}, window_start{};
  std::optional<UtcTime> due, ended;
  int attempts = 0, counted = 0, interruptions = 0;
  bool overtaken = false, cancel_requested = false;
  Milliseconds held{0};
  std::string owner;
  bool operator==(const SeriesFact&) const = default;

  bool open() const { return state == "pending" || state == "running" || state == "retry_wait"; }
};

std::optional<SeriesFact> read_series(store::Database::Connection&, SeriesId);
std::vector<AttemptFact> read_attempts(store::Database::Connection&, SeriesId, int from_number);
std::optional<SeriesId> series_of(store::Database::Connection&, AttemptId);

}  // namespace nightjar::simulation
