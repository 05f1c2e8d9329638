// After a process died: its claims are released and its running attempts recorded as interrupted, so that
// nothing is lost and nothing counts that was not tried. Cheap when nobody died; called before anything reads
// or drives series.
#pragma once
#include <nightjar/base/dice.hpp>
#include <nightjar/base/result.hpp>
#include <nightjar/base/time.hpp>
#include <nightjar/store/database.hpp>

#include <cstddef>
#include <filesystem>

namespace nightjar::orchestrator {

// How many running attempts were recorded as interrupted.
Result<std::size_t> recover_dead_owners(store::Database& db, const std::filesystem::path& data_folder,
                                        UtcTime now, const Dice& dice);

}  // namespace nightjar::orchestrator
