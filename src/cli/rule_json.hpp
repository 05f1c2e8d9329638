// Retry rules and decisions as scripts and people see them.
#pragma once
#include "cli/listing.hpp"

#include <nightjar/rules/retry.hpp>
#include <nightjar/store/inventory.hpp>
#include <nightjar/store/series_book.hpp>

#include <string>
#include <string_view>

namespace nightjar::cli {

// {"attempts":{"value":5,"origin":"customer","origin_name":"acme"}, ...}: numbers as numbers, retry_on as a
// list of names, no limit as "none", no name as null.
Json to_json(const store::RuleInForce& rule);
Listing rule_listing(const store::RuleInForce& rule);  // for people

Json to_json(const rules::Timetable& timetable, const std::vector<std::string>& warnings);
Listing timetable_listing(const rules::Timetable& timetable);  // for people

Json to_json(const store::DecisionRow& decision);

// "built-in", "customer acme"
std::string origin_text(const store::RuleInForce& rule, rules::Level level);

}  // namespace nightjar::cli
