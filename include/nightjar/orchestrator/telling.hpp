// From the end of a series to the outbox, in the transaction that ends it: who is told is decided by
// `alerting`, what is known of policy, destinations and earlier failures is read here. And from what a
// message has gathered to what it says.
#pragma once
#include <nightjar/base/failure.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>
#include <nightjar/store/destinations.hpp>
#include <nightjar/store/outbox.hpp>
#include <nightjar/store/series_book.hpp>

#include <optional>
#include <string_view>

namespace nightjar::orchestrator {

// `ended` as it stands now. Nothing is told of one that was cancelled, missed, or goes on.
Result<void> tell_end(store::Database& db, const store::SeriesRow& ended, UtcTime now);

// A failure of class local is ours: those of the platform who want to know are told once an hour.
Result<void> tell_fault(store::Database& db, const Failure& fault, UtcTime now);

// What the gathered message says, in the form its destination wants; empty when nothing is left to tell
// because all of its series go on.
Result<std::optional<store::Content>> compose(store::Database& db, const store::Message& message,
                                              const store::Destination& destination, UtcTime now);

// The JSON body of a message that tells something in words alone.
std::string plain_body(const store::Destination& destination, std::string_view event_id,
                       std::string_view event, std::string_view headline, std::string_view text, UtcTime now);

}  // namespace nightjar::orchestrator
