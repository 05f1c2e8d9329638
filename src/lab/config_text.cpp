#include "lab/config_text.hpp"

#include <array>
#include <ctime>

namespace nightjar::lab {
namespace {

constexpr std::string_view purposes[] = {"uplink",    "office",       "printer", "camera", "access point",
                                         "telephone", "meeting room", "server",  "till",   "door control"};
constexpr std::int64_t changes_start = 1'767'225'600;  // 2026-01-01T00:00:00Z
constexpr std::int64_t readings_start = changes_start + 320 * 86'400;

std::string date(std::int64_t seconds, const char* format) {
  const std::time_t at = seconds;
  std::tm parts{};
  gmtime_r(&at, &parts);
  std::array<char, 96> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace

Choices::Choices(std::string_view name) : state_(0xcbf29ce484222325U) {
  for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
}

unsigned Choices::below(unsigned bound) {
  state_ = state_ * 6364136223846793005U + 1442695040888963407U;
  return static_cast<unsigned>(state_ >> 33U) % bound;
}

std::string Choices::hex(std::size_t digits) {
  std::string text;
  while (text.size() < digits) text += "0123456789ABCDEF"[below(16)];
  return text;
}

std::string_view Draft::purpose() {
  return choose.of(purposes);
}

std::string Draft::changed_at(const char* format) const {
  return date(changes_start + 86'400 * (1 + changes) + 417 * changes, format);
}

std::string Draft::read_at(const char* format) const {
  return date(readings_start + 61 * reading, format);
}

std::string running_config(const Device& device, int changes, int reading) {
  if (!device.config.empty()) return device.config;
  Draft draft{device, changes, reading, Choices(device.name), {}};
  draft.text.reserve(device.config_bytes + 4'096);
  switch (device.kind) {
    case Kind::ios:
      write_ios(draft);
      break;
    case Kind::eos:
      write_eos(draft);
      break;
    case Kind::nxos:
      write_nxos(draft);
      break;
    case Kind::junos:
      write_junos(draft);
      break;
    case Kind::fortios:
      write_fortios(draft);
      break;
    case Kind::frr:
      write_frr(draft);
      break;
    case Kind::linux_host:
      write_linux(draft);
      break;
  }
  return std::move(draft.text);
}

}  // namespace nightjar::lab
