// Settings in force somewhere as scripts and people see them: each field with its value and the level it
// comes from. Defined for every settings struct that the store keeps.
#pragma once
#include "cli/listing.hpp"

#include <nightjar/store/settings.hpp>

#include <string>

namespace nightjar::cli {

// {"attempts":{"value":5,"origin":"customer","origin_name":"acme"}, ...}: numbers as numbers, retry_on as a
// list of names, no limit as "none", no name as null.
template <template <template <class> class> class S>
Json to_json(const store::InForce<S>& settings);

// The same as rows; people see what to type into `set`, and seconds in words.
template <template <template <class> class> class S>
Listing settings_listing(const store::InForce<S>& settings);

// "built-in", "customer acme"
template <template <template <class> class> class S>
std::string origin_text(const store::InForce<S>& settings, rules::Level level);

}  // namespace nightjar::cli
