#include <nightjar/rules/assign.hpp>
#include <nightjar/rules/retry.hpp>

#include <array>

namespace nightjar::rules {
namespace {

constexpr std::array all_spacings{Spacing::geometric, Spacing::linear};
constexpr std::array all_jitters{Jitter::none, Jitter::equal, Jitter::full, Jitter::decorrelated};
constexpr std::string_view none = "none";

template <class Enum, std::size_t count>
std::optional<Enum> named(std::string_view text, const std::array<Enum, count>& all) {
  for (const Enum e : all)
    if (to_text(e) == text) return e;
  return std::nullopt;
}

template <class Enum, std::size_t count>
std::string names(const std::array<Enum, count>& all) {
  std::string list;
  for (const Enum e : all) list.append(list.empty() ? "" : ", ").append(to_text(e));
  return list;
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

std::string to_text(GiveUpAfter value) {
  return value.limit ? to_text(*value.limit) : std::string{none};
}

std::string to_text(const FailureClasses& classes) {
  auto text = classes.to_text();
  return text.empty() ? std::string{none} : text;
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
struct Writing<Spacing> {
  static Result<Spacing> read(std::string_view text, const Unbounded&) {
    if (const auto value = parse<Spacing>(text)) return *value;
    return not_wanted(text, "one of " + names(all_spacings));
  }
};

template <>
struct Writing<Jitter> {
  static Result<Jitter> read(std::string_view text, const Unbounded&) {
    if (const auto value = parse<Jitter>(text)) return *value;
    return not_wanted(text, "one of " + names(all_jitters));
  }
};

template <>
struct Writing<GiveUpAfter> {
  static Result<GiveUpAfter> read(std::string_view text, const IntegerBounds& bounds) {
    if (text == none) return GiveUpAfter{};
    if (const auto limit = Writing<Seconds>::read(text, bounds)) return GiveUpAfter{*limit};
    return not_wanted(text, "none or " + range(bounds));
  }
};

template <>
struct Writing<FailureClasses> {
  static Result<FailureClasses> read(std::string_view text, const Unbounded&) {
    if (const auto value = parse<FailureClasses>(text)) return *value;
    return not_wanted(text, "none or a comma-separated list of " + names(all_failure_classes));
  }
};

template Result<void> assign<RetryFields>(RetryLayer&, std::string_view, std::string_view);

}  // namespace nightjar::rules
