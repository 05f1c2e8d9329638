#include "cli/output.hpp"

#include "cli/text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace nightjar::cli {
Output::Output(Manner manner) : manner_(manner) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  colour_ =
      isatty(STDOUT_FILENO) == 1 && !(no_color && *no_color) && !(term && std::string_view{term} == "dumb");
}

bool Output::shows_progress() const {
  return manner_.progress && !manner_.quiet && isatty(STDERR_FILENO) == 1;
}

void Output::list(const Listing& listing) const {
  switch (manner_.format) {
    case Format::table:
      if (listing.empty())
        note("nothing to list");
      else
        put(listing.as_table(colour_));
      return;
    case Format::json:
      return json(listing.as_json());
    case Format::csv:
      return put(listing.as_csv());
  }
}

void Output::record(const Listing& one_row) const {
  switch (manner_.format) {
    case Format::table:
      return put(one_row.as_record_text());
    case Format::json:
      return json(one_row.as_record_json());
    case Format::csv:
      return put(one_row.as_csv());
  }
}

void Output::json(const Json& value) const {
  put(to_text(value, 2) + '\n');
}

void Output::json_line(const Json& value) const {
  put(to_text(value) + '\n');
  written(std::fflush(stdout) == 0);
}

void Output::line(std::string_view text) const {
  put(fmt::format("{}\n", text));
  written(std::fflush(stdout) == 0);
}

void Output::bytes(std::string_view exact) const {
  put(exact);
}

void Output::done(std::string_view sentence, const Json& object) const {
  switch (manner_.format) {
    case Format::table:
      return note(sentence);
    case Format::json:
      return json(object);
    case Format::csv: {
      std::vector<Column> columns;
      std::vector<Cell> row;
      for (const auto& [key, value] : object.items()) {
        columns.push_back({key, "", Align::left});
        row.emplace_back(value);
      }
      Listing listing(std::move(columns));
      listing.add(std::move(row));
      return put(listing.as_csv());
    }
  }
}

void Output::note(std::string_view sentence) const {
  if (!manner_.quiet) warn(sentence);
}

void Output::warn(std::string_view sentence) const {
  const std::string line = printable(sentence) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Output::put(std::string_view text) const {
  written(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void Output::written(bool whole) const {
  if (!whole && first_error_ == 0) first_error_ = errno ? errno : EIO;
}

int Output::flush() const {
  written(std::fflush(stdout) == 0);
  return first_error_;
}

}  // namespace nightjar::cli
