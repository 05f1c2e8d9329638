#include <nightjar/alerting/event.hpp>

#include <fmt/format.h>

namespace nightjar::alerting {

std::string_view to_text(Event event) {
  switch (event) {
    case Event::series_failed:
      return "series.failed";
    case Event::series_recovered:
      return "series.recovered";
    case Event::report_daily:
      return "report.daily";
    case Event::platform_fault:
      return "platform.fault";
    case Event::test:
      return "test";
  }
  return "test";
}

std::optional<Event> parse_event(std::string_view text) {
  for (const Event event : all_events)
    if (to_text(event) == text) return event;
  return std::nullopt;
}

Events Events::all() {
  Events events;
  for (const Event event : all_events)
    if (event != Event::test) events = events.with(event);
  return events;
}

Events Events::with(Event event) const {
  Events more = *this;
  more.bits_ = static_cast<std::uint8_t>(bits_ | 1u << static_cast<unsigned>(event));
  return more;
}

Result<Events> Events::parse(std::string_view text) {
  Events events;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto name = text.substr(0, comma);
    const auto event = parse_event(name);
    if (!event || *event == Event::test)
      return failure(FailureClass::setup, Stage::none,
                     fmt::format("'{}' is not an event; events are {}", name, all().text()));
    events = events.with(*event);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  if (events == Events{})
    return failure(FailureClass::setup, Stage::none,
                   fmt::format("no event is named; events are {}", all().text()));
  return events;
}

std::string Events::text() const {
  std::string list;
  for (const Event event : all_events)
    if (contains(event)) list.append(list.empty() ? "" : ",").append(to_text(event));
  return list;
}

}  // namespace nightjar::alerting
