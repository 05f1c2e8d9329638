// Series, attempts and decisions as scripts and people see them.
#pragma once
#include "cli/listing.hpp"

#include <nightjar/store/series_book.hpp>

#include <string>

namespace nightjar::cli {

Listing series_listing();
void add_row(Listing& into, const store::SeriesRow& row);
Json to_json(const store::SeriesDetail& detail);
std::string to_people(const store::SeriesDetail& detail, bool with_transcripts);

}  // namespace nightjar::cli
