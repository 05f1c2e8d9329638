# Embeds src/report/report.mustache into nightjar_report as what src/report/template.hpp declares.
set(report_template_file ${CMAKE_CURRENT_LIST_DIR}/report.mustache)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${report_template_file})
file(READ ${report_template_file} report_template)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/report/template.cpp @ONLY CONTENT
[[// Generated from src/report/report.mustache.
#include "report/template.hpp"

namespace nightjar::report {

std::string_view mail_template() {
  return R"mail(@report_template@)mail";
}

}  // namespace nightjar::report
]])
target_sources(nightjar_report PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/report/template.cpp)
