// Reads Prometheus' text exposition format 0.0.4 line by line and throws at the first that is not well
// formed. It was written from the format's description and shares nothing with the code under test.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nightjar::api::testing {

struct Exposition {
  using Labels = std::map<std::string, std::string>;
  std::map<std::string, std::string> types;                       // family -> counter, gauge, histogram
  std::map<std::pair<std::string, Labels>, std::string> samples;  // -> the value as it is written

  std::optional<std::string> value(const std::string& name, const Labels& labels = {}) const {
    const auto found = samples.find({name, labels});
    return found == samples.end() ? std::nullopt : std::optional(found->second);
  }
};

class ExpositionReader {
 public:
  static Exposition read(const std::string& text) {
    if (text.empty() || text.back() != '\n') throw std::runtime_error("the last line is not ended");
    ExpositionReader reader;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) reader.line(line);
    return std::move(reader.read_);
  }

 private:
  [[noreturn]] static void bad(std::string_view line, const char* why) {
    throw std::runtime_error(std::string(why) + ": " + std::string(line));
  }

  static bool is_name_byte(char c, bool first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           (!first && c >= '0' && c <= '9');
  }

  static std::string take_name(std::string_view& rest, std::string_view line) {
    std::size_t length = 0;
    while (length < rest.size() && is_name_byte(rest[length], length == 0)) ++length;
    if (length == 0) bad(line, "no name");
    std::string name(rest.substr(0, length));
    rest.remove_prefix(length);
    return name;
  }

  static void take(std::string_view& rest, std::string_view expected, std::string_view line) {
    if (!rest.starts_with(expected)) bad(line, "something is missing");
    rest.remove_prefix(expected.size());
  }

  static std::string take_quoted(std::string_view& rest, std::string_view line) {
    take(rest, "\"", line);
    std::string value;
    while (!rest.empty() && rest.front() != '"') {
      char c = rest.front();
      rest.remove_prefix(1);
      if (c == '\\') {
        if (rest.empty()) break;
        c = rest.front() == 'n' ? '\n' : rest.front();
        if (c != '\n' && c != '\\' && c != '"') bad(line, "an escape that is none");
        rest.remove_prefix(1);
      }
      value += c;
    }
    take(rest, "\"", line);
    return value;
  }

  void line(std::string_view line) {
    if (line.starts_with("# HELP "))
      help(line);
    else if (line.starts_with("# TYPE "))
      type(line);
    else
      sample(line);
  }

  void help(std::string_view line) {
    std::string_view rest = line.substr(sizeof "# HELP " - 1);
    family_ = take_name(rest, line);
    if (!families_.insert(family_).second) bad(line, "a family that was there before");
    take(rest, " ", line);
    if (rest.empty() || rest.find('\\') != std::string_view::npos) bad(line, "no plain help");
  }

  void type(std::string_view line) {
    std::string_view rest = line.substr(sizeof "# TYPE " - 1);
    if (take_name(rest, line) != family_) bad(line, "the type of another family");
    take(rest, " ", line);
    if (rest != "counter" && rest != "gauge" && rest != "histogram") bad(line, "no type");
    read_.types[family_] = rest;
  }

  void sample(std::string_view line) {
    std::string_view rest = line;
    const std::string name = take_name(rest, line);
    const std::string suffix = name.starts_with(family_) ? name.substr(family_.size()) : "of another family";
    const bool fits = read_.types[family_] == "histogram"
                          ? suffix == "_bucket" || suffix == "_sum" || suffix == "_count"
                          : suffix.empty();
    if (!fits) bad(line, "a sample outside of its family");
    Exposition::Labels labels;
    if (rest.starts_with('{')) {
      do {
        rest.remove_prefix(1);
        const std::string label = take_name(rest, line);
        take(rest, "=", line);
        if (!labels.emplace(label, take_quoted(rest, line)).second) bad(line, "a label that is there twice");
      } while (rest.starts_with(','));
      take(rest, "}", line);
    }
    take(rest, " ", line);
    std::size_t read = 0;
    static_cast<void>(std::stod(std::string(rest), &read));
    if (read != rest.size()) bad(line, "no number");
    if (!read_.samples.emplace(std::pair(name, labels), rest).second)
      bad(line, "a sample that is there twice");
  }

  Exposition read_;
  std::string family_;
  std::set<std::string> families_;
};

}  // namespace nightjar::api::testing
