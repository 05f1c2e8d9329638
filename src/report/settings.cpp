#include <nightjar/report/settings.hpp>
#include <nightjar/rules/assign.hpp>

namespace nightjar::rules {

using report::ReportFields;
using report::ReportLayer;
using report::ReportSettings;
using schedule::Cron;

ReportSettings Describe<ReportFields>::built_in() {
  return {.cron = Cron::parse("30 7 * * *").value(), .enabled = true, .stale_after_days = 14};
}

// As in the settings of `schedule`.
template <>
struct Writing<Cron> {
  static Result<Cron> read(std::string_view text, const Unbounded&) { return Cron::parse(text); }
};

template Result<void> assign<ReportFields>(ReportLayer&, std::string_view, std::string_view);

}  // namespace nightjar::rules
