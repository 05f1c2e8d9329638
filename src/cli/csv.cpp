#include "cli/csv.hpp"

#include "cli/exit_code.hpp"

#include <fmt/format.h>

namespace nightjar::cli {
namespace {

class Reader {
 public:
  Reader(std::string_view text, std::string_view name) : text_(text), name_(name) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  Result<std::vector<CsvRow>> read() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      if (skip_line_end()) continue;
      CsvRow row{.line = line_, .fields = {}};
      for (bool more = true; more;) {
        auto field = this->field();
        if (!field) return field.error();
        row.fields.push_back(std::move(*field));
        more = at_ < text_.size() && text_[at_] == ',';
        if (more) ++at_;
      }
      skip_line_end();
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  Result<std::string> field() {
    if (at_ >= text_.size() || text_[at_] != '"') return plain_field();
    const std::size_t opened = line_;
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        if (at_ >= text_.size() || text_[at_] != '"') return end_of_quoted(std::move(value));
      } else if (text_[at_] == '\n') {
        ++line_;
      }
      value += text_[at_];
    }
    return bad(opened, "a quoted field is never closed");
  }

  Result<std::string> plain_field() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    const std::string_view value = text_.substr(at_, end - at_);
    if (value.find('"') != std::string_view::npos)
      return bad(line_, "a quote inside an unquoted field (quote the field and double the quote)");
    at_ = end;
    return std::string{value};
  }

  Result<std::string> end_of_quoted(std::string value) const {
    if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\r' && text_[at_] != '\n')
      return bad(line_, "text after a closing quote");
    return value;
  }

  bool skip_line_end() {
    if (at_ >= text_.size() || (text_[at_] != '\r' && text_[at_] != '\n')) return false;
    at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
    ++line_;
    return true;
  }

  Failure bad(std::size_t line, std::string_view what) const {
    return usage(fmt::format("{}:{}: {}", name_, line, what));
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

Result<std::vector<CsvRow>> read_csv(std::string_view text, std::string_view name) {
  return Reader{text, name}.read();
}

std::string csv_text(std::string_view field) {
  const bool formula =
      !field.empty() && std::string_view{"=+-@\t\r"}.find(field.front()) != std::string_view::npos;
  if (!formula && field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{field};
  std::string out = formula ? "\"'" : "\"";
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace nightjar::cli
