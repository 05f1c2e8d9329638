// What the postman does to the outbox, each in one transaction: completing and taking what is to be sent now,
// and writing what became of a try. Nothing here sends or waits.
#pragma once
#include <nightjar/orchestrator/letter.hpp>
#include <nightjar/orchestrator/postman.hpp>
#include <nightjar/store/outbox.hpp>

#include <set>
#include <string>
#include <vector>

namespace nightjar::orchestrator {

struct Collection {
  UtcTime now{};
  UtcTime complete_until{};        // gathered messages that close by then get their words
  bool reports = false;            // those that are due are made
  std::set<DestinationId> busy{};  // one message at a time to each
  std::set<MessageId> left_out{};
};

struct Ready {  // taken in this process's name, its try is counted
  store::Message message;
  UtcTime first_try{};
  Result<Letter> letter;
};

struct Collected {
  std::vector<Ready> ready;
  bool more = false;  // messages to complete
  bool more_reports = false;
};

// `owner` is the name of this process's lock in the data folder; what dead ones had taken is released first.
Result<Collected> collect(store::Database&, const Collection&, const std::filesystem::path& data_folder,
                          const vault::Vault&, std::string_view owner);

// When a try that ended now with this answer is followed by another, if at all.
Delivered outcome_of(store::Message, UtcTime first_try, delivery::Answer, UtcTime now);
Result<void> write_outcome(store::Database&, const Delivered&, UtcTime now);

}  // namespace nightjar::orchestrator
