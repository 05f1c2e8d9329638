// The report as the HTML part of a mail: inline styles, tables for layout, 600 px wide and narrower on a
// phone, no script, no image, nothing fetched. All text from devices and names is escaped.
#pragma once
#include <nightjar/report/model.hpp>
#include <nightjar/report/text.hpp>

#include <string>

namespace nightjar::report {

// A whole document. `why` is the last line: why this reader gets it, "" for nobody in particular.
std::string to_html(const Report&, const Links& = {}, const std::string& why = "");

}  // namespace nightjar::report
