#include <nightjar/alerting/alert.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nightjar::alerting {
namespace {

std::string devices(std::size_t count) {
  return count == 1 ? "1 device" : fmt::format("{} devices", count);
}

// What stands in a header or a line of its own may break neither: control characters become blanks.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return line;
}

std::string why(const Item& item) {
  if (!item.failure) return {};
  return fmt::format("{}: {}", to_text(item.failure->failure_class), in_one_line(item.failure->reason));
}

std::string line_of(const Alert& alert, const Group& group) {
  if (!group.cause.empty())
    return fmt::format("{} of {}: {}", devices(group.items.size()), in_one_line(alert.customer),
                       in_one_line(group.cause));
  const Item& item = *group.items.front();
  const auto name = fmt::format("{}/{}", in_one_line(alert.customer), in_one_line(item.device));
  if (alert.event == Event::series_recovered) return name + " is backed up again";
  return fmt::format("{}: {}", name, why(item));
}

}  // namespace

std::vector<Group> grouped(const Alert& alert) {
  std::map<std::string_view, Group> shared;
  std::vector<Group> all;
  for (const Item& item : alert.items)
    if (!item.cause.empty()) {
      Group& group = shared[item.cause];
      group.cause = item.cause;
      group.items.push_back(&item);
    }
  for (auto& [cause, group] : shared) all.push_back(std::move(group));
  const auto by_device = [](const Item* a, const Item* b) { return a->device < b->device; };
  for (Group& group : all) std::ranges::sort(group.items, by_device);
  std::ranges::stable_sort(all,
                           [](const Group& a, const Group& b) { return a.items.size() > b.items.size(); });
  std::vector<const Item*> own;
  for (const Item& item : alert.items)
    if (item.cause.empty()) own.push_back(&item);
  std::ranges::sort(own, by_device);
  for (const Item* item : own) all.push_back({.cause = {}, .items = {item}});
  return all;
}

std::string headline(const Alert& alert) {
  const auto customer = in_one_line(alert.customer);
  const bool recovered = alert.event == Event::series_recovered;
  if (alert.items.size() == 1) {
    const auto device = in_one_line(alert.items.front().device);
    if (recovered) return fmt::format("{} of {} is backed up again", device, customer);
    const Item& item = alert.items.front();
    return fmt::format("{} of {} was not backed up: {} failed", device, customer,
                       item.counted == 1 ? "1 attempt" : fmt::format("{} attempts", item.counted));
  }
  if (recovered) return fmt::format("{} of {} are backed up again", devices(alert.items.size()), customer);
  return fmt::format("{} of {} were not backed up", devices(alert.items.size()), customer);
}

std::string subject(const Alert& alert) {
  if (alert.event == Event::series_recovered) return headline(alert);
  const auto groups = grouped(alert);
  if (alert.items.size() == 1)
    return fmt::format("{}/{} failed: {}", in_one_line(alert.customer),
                       in_one_line(alert.items.front().device), why(alert.items.front()));
  if (groups.size() == 1) return line_of(alert, groups.front());
  return headline(alert);
}

std::vector<std::string> lines(const Alert& alert, std::size_t most) {
  const auto groups = grouped(alert);
  std::vector<std::string> all;
  for (const Group& group : groups) {
    if (all.size() + 1 == most && groups.size() > most) {
      all.push_back(fmt::format("and {} more", groups.size() - all.size()));
      break;
    }
    all.push_back(line_of(alert, group));
  }
  return all;
}

std::string link(const Alert& alert, const Item& item) {
  return alert.base_url.empty() ? std::string{}
                                : fmt::format("{}/series/{}", alert.base_url, item.series.value);
}

}  // namespace nightjar::alerting
