// Maintenance windows: spans of wall time, each recurring (a cron expression and how long) or once (from and
// to). They say when something is expected to be down; what follows from that is decided elsewhere.
#pragma once
#include <nightjar/base/result.hpp>
#include <nightjar/schedule/cron.hpp>
#include <nightjar/schedule/zone.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nightjar::schedule {

struct Recurring {
  Cron opens;
  Seconds length{0};  // 1 minute to 7 days
  bool operator==(const Recurring&) const = default;
};

struct Once {
  LocalMinute from{}, to{};  // to is after from, and outside
  bool operator==(const Once&) const = default;
};

class Windows {
 public:
  Windows() = default;  // none

  // `none`, or windows separated by ';': "0 22 * * sat for 6h; 2026-12-24 18:00 to 2026-12-27 06:00".
  // Anything else is class setup; the reason quotes the window and says what is wrong with it.
  static Result<Windows> parse(std::string_view text);
  std::string text() const;

  bool empty() const { return windows_.empty(); }
  // Whether one of them is open at `t`; its opening minute is inside, its closing minute outside.
  bool open_at(UtcTime t, const Zone&) const;

  bool operator==(const Windows&) const = default;

 private:
  std::vector<std::variant<Recurring, Once>> windows_;
};

std::string to_text(const Windows&);

}  // namespace nightjar::schedule
