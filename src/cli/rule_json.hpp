// Timetables and decisions of the retry rule as scripts and people see them.
#pragma once
#include "cli/settings_json.hpp"

#include <nightjar/rules/retry.hpp>
#include <nightjar/store/series_book.hpp>

namespace nightjar::cli {

Json to_json(const rules::Timetable& timetable);
Listing timetable_listing(const rules::Timetable& timetable);  // for people

Json to_json(const store::DecisionRow& decision);

}  // namespace nightjar::cli
