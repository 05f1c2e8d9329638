// The report as plain text of 72 columns: for terminals and for the plain part of a mail. What comes from
// devices and names is made printable; nothing of it can start a line or move a terminal's cursor.
#pragma once
#include <nightjar/report/model.hpp>

#include <string>

namespace nightjar::report {

// Where the pages are, "https://nightjar.example"; "" when there are none to link to.
struct Links {
  std::string base{};
  std::string report(const Report&) const;  // "" without a base
  std::string series(SeriesId) const;
};

// A quiet night is one line; disabled devices have their own even then. Sections without an entry are left
// out.
std::string to_text(const Report&, const Links& = {});

}  // namespace nightjar::report
