// The sentences and phrases that text and mail have in common. All are printable.
#pragma once
#include <nightjar/report/model.hpp>

#include <string>
#include <vector>

namespace nightjar::report {

// Times on the report's clocks.
class Clock {
 public:
  explicit Clock(const Report& report) : zone_(report.zone), date_(report.night.date) {}
  std::string time(UtcTime) const;     // 02:03
  std::string seconds(UtcTime) const;  // 02:03:20
  std::string day(UtcTime) const;      // 30 Nov
  std::string moment(UtcTime) const;   // 02:03 on the report's date, else 29 Nov 02:03

 private:
  schedule::Zone zone_;
  Date date_;
};

std::string day_text(Date);             // 30 Nov
std::string long_date(Date);            // Monday 30 November 2026
std::string title(const Report&);       // Mon 30 Nov 2026, 07:30 Paris; so far, 03:12 Paris
std::string scope_text(const Report&);  // all customers, or the customer's name

std::string class_of(const std::optional<Failure>&);
std::string reason_of(const FailedDevice&);
std::string tries(const FailedDevice&);                     // 3 of 3; 1 of 3, not retried
std::string since(const Report&, const FailedDevice&);      // since 11 Nov, 20 nights; new tonight
std::string last_good(const Report&, const FailedDevice&);  // last good 1 d 3 h
std::string next_try(const Report&, const Retrying&);       // try 4 of 5 at 07:36:32

// Of a shared cause.
std::string who(const SharedCause&);  // Northgate Retail
std::string class_of(const SharedCause&);
std::string reason_of(const Report&, const SharedCause&);
std::string details(const Report&, const SharedCause&);  // 3 of 3; new tonight
std::string last_good(const Report&, const SharedCause&);

std::string missed_text(const Report&, const MissedRun&);
std::string caught_up_text(const Report&, const CaughtUpRun&);
std::string stale_text(const Report&, const StaleCopy&);  // 31 d, schedule disabled
std::string cancelled_text(const Report&, const CancelledSeries&);
std::string under_way(const Report&);  // 3 running, 40 pending; "" when there is none

// Devices about which the same is to be said: names, customer, what.
struct Group {
  std::vector<std::string> names;
  std::string customer_name;
  std::string what;
};
std::vector<Group> never_groups(const Report&);
std::vector<Group> disabled_groups(const Report&);

// Nothing else is shown of rows beyond so many; the whole is in JSON and CSV.
inline constexpr std::size_t most_rows = 200;
std::string more_text(std::size_t left_out);  // and 1,234 more: in the report as CSV or JSON

}  // namespace nightjar::report
