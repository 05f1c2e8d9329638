#include <nightjar/rules/assign.hpp>
#include <nightjar/schedule/settings.hpp>

namespace nightjar::rules {

using schedule::Cron;
using schedule::Schedule;
using schedule::ScheduleFields;
using schedule::ScheduleLayer;
using schedule::Zone;

Schedule Describe<ScheduleFields>::built_in() {
  return {.cron = Cron::parse("0 2 * * *").value(),
          .timezone = Zone{},
          .enabled = true,
          .catch_up = std::chrono::hours{6}};
}

template <>
struct Writing<Cron> {
  static Result<Cron> read(std::string_view text, const Unbounded&) { return Cron::parse(text); }
};

template <>
struct Writing<Zone> {
  static Result<Zone> read(std::string_view text, const Unbounded&) { return Zone::find(text); }
};

template Result<void> assign<ScheduleFields>(ScheduleLayer&, std::string_view, std::string_view);

}  // namespace nightjar::rules
