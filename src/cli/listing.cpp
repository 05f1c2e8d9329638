#include "cli/listing.hpp"

#include "cli/csv.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <string_view>

namespace nightjar::cli {
namespace {

std::string text_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "-";
    case Json::value_t::boolean:
      return value.get<bool>() ? "yes" : "no";
    case Json::value_t::string:
      return printable(value.get_ref<const std::string&>());
    case Json::value_t::array: {
      std::string joined;
      for (const Json& item : value) joined += (joined.empty() ? "" : ", ") + text_of(item);
      return joined.empty() ? "-" : joined;
    }
    default:
      return to_text(value);
  }
}

std::string csv_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "";
    case Json::value_t::string:
      return csv_text(value.get_ref<const std::string&>());
    case Json::value_t::array: {
      std::string joined;
      for (const Json& item : value)
        joined += (joined.empty() ? "" : ";") + (item.is_string() ? item.get<std::string>() : to_text(item));
      return csv_text(joined);
    }
    case Json::value_t::object:
      return csv_text(to_text(value));
    default:
      return to_text(value);
  }
}

std::string_view start_of(Tone tone) {
  switch (tone) {
    case Tone::normal:
      return "";
    case Tone::bad:
      return "\x1b[31m";
    case Tone::waiting:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

Json json_time(std::optional<UtcTime> time) {
  return time ? Json(to_rfc3339(*time)) : Json(nullptr);
}

Json json_seconds(Milliseconds span) {
  if (span.count() % 1000 == 0) return span.count() / 1000;
  return static_cast<double>(span.count()) / 1000.0;
}

Json json_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Cell::Cell(Json v) : value(std::move(v)), text(text_of(value)) {}
Cell::Cell(Json v, std::string t) : value(std::move(v)), text(printable(t)) {}
Cell::Cell(UtcTime time) : Cell(json_time(time), table_time(time)) {}
Cell::Cell(std::optional<UtcTime> time) : value(json_time(time)), text(time ? table_time(*time) : "-") {}

Cell&& Cell::toned(Tone t) && {
  tone = t;
  return std::move(*this);
}

void Listing::add(std::vector<Cell> row) {
  rows_.push_back(std::move(row));
}

std::string Listing::as_table(bool colour) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  std::size_t last = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].header.empty()) continue;
    last = c;
    widths[c] = columns(columns_[c].header);
    for (const auto& row : rows_) widths[c] = std::max(widths[c], columns(row[c].text));
  }
  std::string out;
  const auto put = [&](std::size_t c, const std::string& text, Tone tone) {
    const std::string gap(widths[c] - columns(text), ' ');
    const bool right = columns_[c].align == Align::right;
    if (right) out += gap;
    const bool painted = colour && tone != Tone::normal;
    if (painted) out += start_of(tone);
    out += text;
    if (painted) out += "\x1b[0m";
    if (c == last) return;
    if (!right) out += gap;
    out += "  ";
  };
  for (std::size_t c = 0; c <= last; ++c)
    if (!columns_[c].header.empty()) put(c, columns_[c].header, Tone::normal);
  out += '\n';
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c <= last; ++c)
      if (!columns_[c].header.empty()) put(c, row[c].text, row[c].tone);
    out += '\n';
  }
  return out;
}

std::string Listing::as_csv() const {
  std::string out;
  const auto line = [&](auto&& field) {
    bool first = true;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].key.empty()) continue;
      if (!first) out += ',';
      first = false;
      out += field(c);
    }
    out += "\r\n";
  };
  line([&](std::size_t c) { return csv_text(columns_[c].key); });
  for (const auto& row : rows_) line([&](std::size_t c) { return csv_of(row[c].value); });
  return out;
}

Json Listing::object(const std::vector<Cell>& row) const {
  Json object = Json::object();
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (!columns_[c].key.empty()) object[columns_[c].key] = row[c].value;
  return object;
}

Json Listing::as_json() const {
  Json array = Json::array();
  for (const auto& row : rows_) array.push_back(object(row));
  return array;
}

std::string Listing::as_record_text() const {
  std::size_t width = 0;
  for (const Column& column : columns_) width = std::max(width, columns(column.header));
  std::string out;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string& header = columns_[c].header;
    if (header.empty()) continue;
    out += header + std::string(width - columns(header) + 2, ' ') + rows_.front()[c].text + '\n';
  }
  return out;
}

Json Listing::as_record_json() const {
  return object(rows_.front());
}

}  // namespace nightjar::cli
