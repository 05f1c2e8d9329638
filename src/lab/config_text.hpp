// The material of made-up configurations: a growing text, a deterministic stream of choices, and the date
// forms of each kind.
#pragma once
#include <nightjar/lab/device.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace nightjar::lab {

// Choices that depend on the device alone (FNV-1a of its name, then an LCG): the same name draws the same
// configuration.
class Choices {
 public:
  explicit Choices(std::string_view name);
  unsigned below(unsigned bound);
  template <std::size_t n>
  std::string_view of(const std::string_view (&words)[n]) {
    return words[below(n)];
  }
  std::string hex(std::size_t digits);

 private:
  std::uint64_t state_;
};

// One configuration on its way.
struct Draft {
  const Device& device;
  int changes;
  int reading;
  Choices choose;
  std::string text;

  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<T>(values)...);
    text += '\n';
  }
  bool wants_more() const { return text.size() < device.config_bytes; }
  std::string_view purpose();                        // "uplink", "printer", ...
  std::string changed_at(const char* format) const;  // strftime form, moves with every change
  std::string read_at(const char* format) const;     // moves with every reading
};

// The part that is long in any configuration: stanzas until the wanted size is reached.
void write_ios(Draft&);
void write_eos(Draft&);
void write_nxos(Draft&);
void write_junos(Draft&);
void write_fortios(Draft&);
void write_frr(Draft&);
void write_linux(Draft&);

}  // namespace nightjar::lab
