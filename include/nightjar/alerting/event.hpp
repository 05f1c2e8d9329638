// The events that people can be told about, and sets of them as a destination wants them.
#pragma once
#include <nightjar/base/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nightjar::alerting {

enum class Event : std::uint8_t {
  series_failed,     // series.failed
  series_recovered,  // series.recovered
  report_daily,      // report.daily
  platform_fault,    // platform.fault: a failure of class local, which is ours and no device's
  test,              // test: asked for by a person
};
inline constexpr std::array all_events{Event::series_failed, Event::series_recovered, Event::report_daily,
                                       Event::platform_fault, Event::test};
std::string_view to_text(Event);
std::optional<Event> parse_event(std::string_view);

class Events {
 public:
  Events() = default;
  // Of names separated by commas; an unknown one, `test` (which is sent to whom it names) and an empty set
  // are class setup, and the reason lists what there is.
  static Result<Events> parse(std::string_view text);
  static Events all();  // but test

  Events with(Event event) const;
  bool contains(Event event) const { return (bits_ >> static_cast<unsigned>(event) & 1u) != 0; }
  std::string text() const;  // "series.failed,series.recovered"
  bool operator==(const Events&) const = default;

 private:
  std::uint8_t bits_ = 0;
};

}  // namespace nightjar::alerting
