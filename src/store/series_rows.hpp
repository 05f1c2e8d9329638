// Rows of series and attempts, as the parts of the book read and write them. All functions throw
// DatabaseFault.
#pragma once
#include "store/connection.hpp"

#include <nightjar/store/series_book.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::store {

// A SELECT of whole SeriesRows; `rest` goes on with WHERE over series `s`, its device `d` and customer `c`.
std::string select_series(std::string_view rest);
SeriesRow read_series(const Statement& row);

// Where a series stands now, before anything is changed.
struct Standing {
  DeviceId device;
  series::State state = series::State::pending;
  std::string owner;
};
std::optional<Standing> standing(Database::Connection& connection, SeriesId id);

// Writes the machine of a series, all but its scheduled time, which never changes and stands in indexes. One
// that has ended loses its claim and gets `now` as its end; one that waits loses it unless it is kept.
// `claimed_by`: one that nobody held and that runs from now on.
struct Claim {
  std::string_view owner;
  UtcTime until{};
};
void write_series(Database::Connection& connection, SeriesId id, const series::Series& machine, UtcTime now,
                  bool keep_claim = true, std::optional<Claim> claimed_by = std::nullopt);

// "" is nobody.
std::optional<std::string_view> owner_or_null(std::string_view owner);

std::vector<AttemptRow> read_attempts(Database::Connection& connection, SeriesId id);

Failure unknown_series(SeriesId id);

}  // namespace nightjar::store
