// What the morning report is made of, read from indexes: counts for the many series that went well, rows for
// those that did not. It says which night is meant and what was in it; what that means is said by `report`.
#pragma once
#include <nightjar/base/id.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/report/model.hpp>
#include <nightjar/store/database.hpp>

#include <optional>

namespace nightjar::store {

inline constexpr int nights_of_trend = 30;

class NightBook {
 public:
  explicit NightBook(Database& db) : db_(db) {}

  // Of a customer, or of the platform when none is named, in its report's time and its schedule's zone. A
  // night that has not begun is empty. The work grows with the series of one night, the failures of thirty,
  // and the devices.
  Result<report::Input> input(std::optional<CustomerId>, report::Date, UtcTime now);

  // The date of the report that is meant when none is named: today's; before its time that is the night so
  // far. When nothing was due in it and something has been since, the one that is to come.
  Result<report::Date> newest(std::optional<CustomerId>, UtcTime now);

 private:
  Database& db_;
};

}  // namespace nightjar::store
