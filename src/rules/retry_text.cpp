#include "rules/assign.hpp"

#include <nightjar/rules/retry.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace nightjar::rules {
namespace {

constexpr std::array all_spacings{Spacing::geometric, Spacing::linear};
constexpr std::array all_jitters{Jitter::none, Jitter::equal, Jitter::full, Jitter::decorrelated};
constexpr std::string_view none = "none";

template <class Number, class... Format>
std::optional<Number> number(std::string_view text, Format... format) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, format...);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

template <class Enum, std::size_t count>
std::optional<Enum> named(std::string_view text, const std::array<Enum, count>& all) {
  for (const Enum e : all)
    if (to_text(e) == text) return e;
  return std::nullopt;
}

template <class Enum, std::size_t count>
std::string one_of(const std::array<Enum, count>& all) {
  std::string names;
  for (const Enum e : all) names.append(names.empty() ? "" : ", ").append(to_text(e));
  return "one of " + names;
}

std::string range(const IntegerBounds& b) {
  return fmt::format("a whole number from {} to {}", b.least, b.most);
}

bool within(std::int64_t value, const IntegerBounds& b) {
  return value >= b.least && value <= b.most;
}

}  // namespace

std::string_view to_text(Spacing spacing) {
  switch (spacing) {
    case Spacing::geometric:
      return "geometric";
    case Spacing::linear:
      return "linear";
  }
  return "geometric";
}

std::string_view to_text(Jitter jitter) {
  switch (jitter) {
    case Jitter::none:
      return "none";
    case Jitter::equal:
      return "equal";
    case Jitter::full:
      return "full";
    case Jitter::decorrelated:
      return "decorrelated";
  }
  return "none";
}

std::string to_text(int value) {
  return std::to_string(value);
}

std::string to_text(Seconds value) {
  return std::to_string(value.count());
}

std::string to_text(double value) {
  std::array<char, 32>
      text;  // the shortest text that reads back as the same number has at most 24 characters
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::string{text.data(), end} : std::string{};
}

std::string to_text(GiveUpAfter value) {
  return value.limit ? to_text(*value.limit) : std::string{none};
}

std::string to_text(const FailureClasses& classes) {
  auto names = classes.to_text();
  return names.empty() ? std::string{none} : names;
}

template <>
std::optional<int> parse<int>(std::string_view text) {
  return number<int>(text);
}

template <>
std::optional<Seconds> parse<Seconds>(std::string_view text) {
  if (const auto count = number<std::int64_t>(text)) return Seconds{*count};
  return std::nullopt;
}

template <>
std::optional<double> parse<double>(std::string_view text) {
  return number<double>(text);
}

template <>
std::optional<Spacing> parse<Spacing>(std::string_view text) {
  return named(text, all_spacings);
}

template <>
std::optional<Jitter> parse<Jitter>(std::string_view text) {
  return named(text, all_jitters);
}

template <>
std::optional<GiveUpAfter> parse<GiveUpAfter>(std::string_view text) {
  if (text == none) return GiveUpAfter{};
  if (const auto limit = parse<Seconds>(text)) return GiveUpAfter{limit};
  return std::nullopt;
}

template <>
std::optional<FailureClasses> parse<FailureClasses>(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text == none ? FailureClasses{} : FailureClasses::parse(text);
}

template <>
struct Writing<int> {
  static std::optional<int> read(std::string_view text, const IntegerBounds& bounds) {
    const auto value = parse<int>(text);
    return value && within(*value, bounds) ? value : std::nullopt;
  }
  static std::string allowed(const IntegerBounds& bounds) { return range(bounds); }
};

template <>
struct Writing<Seconds> {
  static std::optional<Seconds> read(std::string_view text, const IntegerBounds& bounds) {
    const auto value = parse<Seconds>(text);
    return value && within(value->count(), bounds) ? value : std::nullopt;
  }
  static std::string allowed(const IntegerBounds& bounds) { return range(bounds); }
};

template <>
struct Writing<double> {
  static std::optional<double> read(std::string_view text, const DecimalBounds& bounds) {
    const auto value = parse<double>(text);
    return value && *value >= bounds.least && *value <= bounds.most ? value
                                                                    : std::nullopt;  // NaN is never within
  }
  static std::string allowed(const DecimalBounds& bounds) {
    return fmt::format("a number from {:.1f} to {:.1f}", bounds.least, bounds.most);
  }
};

template <>
struct Writing<Spacing> {
  static std::optional<Spacing> read(std::string_view text, const Unbounded&) { return parse<Spacing>(text); }
  static std::string allowed(const Unbounded&) { return one_of(all_spacings); }
};

template <>
struct Writing<Jitter> {
  static std::optional<Jitter> read(std::string_view text, const Unbounded&) { return parse<Jitter>(text); }
  static std::string allowed(const Unbounded&) { return one_of(all_jitters); }
};

template <>
struct Writing<GiveUpAfter> {
  static std::optional<GiveUpAfter> read(std::string_view text, const IntegerBounds& bounds) {
    const auto value = parse<GiveUpAfter>(text);
    return value && (!value->limit || within(value->limit->count(), bounds)) ? value : std::nullopt;
  }
  static std::string allowed(const IntegerBounds& bounds) { return "none or " + range(bounds); }
};

template <>
struct Writing<FailureClasses> {
  static std::optional<FailureClasses> read(std::string_view text, const Unbounded&) {
    return parse<FailureClasses>(text);
  }
  static std::string allowed(const Unbounded&) {
    std::string names;
    for (const FailureClass c : all_failure_classes)
      names.append(names.empty() ? "" : ", ").append(to_text(c));
    return "none or a comma-separated list of " + names;
  }
};

template Result<void> assign<RetryFields>(RetryLayer&, std::string_view, std::string_view);

}  // namespace nightjar::rules
