// The document that html.cpp fills: src/report/report.mustache.
#pragma once
#include <string_view>

namespace nightjar::report {

std::string_view mail_template();

}  // namespace nightjar::report
