// The morning report as scripts see it.
#pragma once
#include "cli/listing.hpp"

#include <nightjar/report/model.hpp>

namespace nightjar::cli {

// All of it, nothing cut.
Json to_json(const report::Report& report);

// One row for each thing the report names: section, device, series, what and since when. Shared causes are a
// column, so that every device has its row.
Listing report_listing(const report::Report& report);

}  // namespace nightjar::cli
