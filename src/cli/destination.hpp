// `destination` is two files: what there is and what becomes of it, and how one is made and changed.
#pragma once
#include "cli/command.hpp"

#include <nightjar/store/destinations.hpp>

#include <functional>
#include <string>

namespace nightjar::cli {

void declare_destination_edit(Commands& commands, CLI::App& noun);  // add, set, rotate

void declare_destination_id(CLI::App& app, std::string& id);
Result<store::Destination> find_destination(store::Database& db, const std::string& id);
// Reads, changes and writes it in one transaction; the daemon may disable it at the same moment.
Result<store::Destination> change_destination(store::Database& db, const std::string& id,
                                              const std::function<Result<void>(store::Destination&)>& change);
// One object, as `destination list` has it. No secret is in it, and of a URL only the host.
Json destination_json(const store::Destination& destination);
// "destination 3 (https://hooks.example.net/...)"
std::string destination_text(const store::Destination& destination);

}  // namespace nightjar::cli
