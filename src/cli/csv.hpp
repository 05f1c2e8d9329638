// Comma-separated values as RFC 4180 has them. Reading accepts a byte order mark and any of CRLF, LF, CR as
// line end; writing never hands a spreadsheet a formula.
#pragma once
#include <nightjar/base/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nightjar::cli {

struct CsvRow {
  std::size_t line = 1;  // where the row begins; a quoted field may span lines
  std::vector<std::string> fields;
};

// Lines without a character are left out. A quote that is never closed, or that stands inside an unquoted
// field, is class setup: "NAME:17: ...", NAME being what the text is called.
Result<std::vector<CsvRow>> read_csv(std::string_view text, std::string_view name);

// One field, quoted where it needs to be. A text that a spreadsheet would take for a formula (it begins with
// = + - @, tab or carriage return) gets an apostrophe in front.
std::string csv_text(std::string_view field);

}  // namespace nightjar::cli
