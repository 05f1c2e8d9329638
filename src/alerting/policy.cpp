#include <nightjar/alerting/policy.hpp>
#include <nightjar/rules/assign.hpp>

namespace nightjar::alerting {

std::string_view to_text(Repeat repeat) {
  switch (repeat) {
    case Repeat::every:
      return "every";
    case Repeat::daily:
      return "daily";
    case Repeat::never:
      return "never";
  }
  return "daily";
}

}  // namespace nightjar::alerting

namespace nightjar::rules {

using alerting::AlertFields;
using alerting::Repeat;

alerting::Policy Describe<AlertFields>::built_in() {
  return {.repeat = Repeat::daily, .group = Seconds{120}, .recovered = true, .maintenance = {}};
}

template <>
struct Writing<Repeat> {
  static Result<Repeat> read(std::string_view text, const Unbounded&) {
    for (const Repeat repeat : {Repeat::every, Repeat::daily, Repeat::never})
      if (alerting::to_text(repeat) == text) return repeat;
    return not_wanted(text, "one of every, daily, never");
  }
};

template <>
struct Writing<schedule::Windows> {
  static Result<schedule::Windows> read(std::string_view text, const Unbounded&) {
    return schedule::Windows::parse(text);
  }
};

template Result<void> assign<AlertFields>(alerting::PolicyLayer&, std::string_view, std::string_view);

}  // namespace nightjar::rules
