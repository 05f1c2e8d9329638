// What a command answers, once: columns and cells that become a table for people, a JSON array or CSV. JSON
// stays valid whatever bytes are in it.
#pragma once
#include <nightjar/base/time.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nightjar::cli {

using Json = nlohmann::ordered_json;

Json json_time(std::optional<UtcTime> time);
Json json_seconds(Milliseconds span);        // 90, 0.5
Json json_or_null(const std::string& text);  // "" is null
std::string to_text(const Json& json, int indent = -1);

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string key;     // in JSON and CSV; "": for people only
  std::string header;  // in tables; "": for scripts only
  Align align = Align::left;
};

enum class Tone : std::uint8_t { normal, bad, waiting };

struct Cell {
  Cell(Json plain);  // the text is the value's own: - for null, yes and no for booleans
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_convertible_v<T, std::string_view>) Cell(const T& plain)
      : Cell(Json(plain)) {}
  Cell(Json plain, std::string words);  // scripts get the value, people the text
  Cell(UtcTime time);
  Cell(std::optional<UtcTime> time);
  Cell&& toned(Tone t) &&;
  Json value;
  std::string text;  // printable
  Tone tone = Tone::normal;
};

class Listing {
 public:
  explicit Listing(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row);  // one cell a column
  bool empty() const { return rows_.empty(); }

  std::string as_table(bool colour) const;
  std::string as_csv() const;
  Json as_json() const;

  // Of the first row: `header  value` lines, or one JSON object.
  std::string as_record_text() const;
  Json as_record_json() const;

 private:
  Json object(const std::vector<Cell>& row) const;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace nightjar::cli
