// The morning reports that are due: made when their time has come, once for each destination that wants them,
// and put into the outbox. Sending is the postman's.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>

namespace nightjar::orchestrator {

// A report whose time passed while nothing ran is still sent when it is not older than this.
inline constexpr std::chrono::hours report_is_late_for{12};

// One report of the platform's or a customer's at most: making it takes up to a second at 100,000 devices.
// True: there may be more to do. A destination that is newer than the report's time waits for the next one.
Result<bool> report_one(store::Database& db, UtcTime now);

}  // namespace nightjar::orchestrator
