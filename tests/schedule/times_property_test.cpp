// The times of random expressions against a slow reckoning that shares nothing with the module but the tz
// database: it walks through UTC minute by minute, looks at what the clocks show, and fires when they show a
// matching minute, or have just passed one, that they never showed before.
#include "schedule/given.hpp"

#include <date/tz.h>

#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace nightjar::schedule {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;
using Random = std::mt19937;

int draw(Random& random, int least, int most) {
  return std::uniform_int_distribution{least, most}(random);
}

// A field as the set of its values, and a text for it.
struct RandomField {
  std::string text;
  std::set<int> values;
  bool star = false;
};

RandomField random_field(Random& random, int least, int most) {
  RandomField field;
  const int parts = draw(random, 1, 3);
  for (int part = 0; part < parts; ++part) {
    const int kind = draw(random, 0, 3);
    const int from = kind == 0 ? least : draw(random, least, most);
    const int to = kind == 0 ? most : kind == 1 ? from : draw(random, from, most);
    const int step = kind == 3 || (kind == 0 && draw(random, 0, 1) == 0) ? draw(random, 1, most - least) : 1;
    std::string text = kind == 0 ? "*" : std::to_string(from);
    if (kind >= 2) text += "-" + std::to_string(to);
    if (step > 1) text += "/" + std::to_string(step);
    if (part == 0) field.star = kind == 0;
    field.text += (part == 0 ? "" : ",") + text;
    for (int value = from; value <= to; value += step) field.values.insert(value);
    if (kind == 0 && step == 1 && draw(random, 0, 2) > 0) break;
  }
  return field;
}

struct RandomExpression {
  RandomField minute, hour, day, month, weekday;

  explicit RandomExpression(Random& random)
      : minute(random_field(random, 0, 59)),
        hour(random_field(random, 0, 23)),
        day(random_field(random, 1, 31)),
        month(random_field(random, 1, 12)),
        weekday(random_field(random, 0, 6)) {
    if (draw(random, 0, 1) == 0) month = {"*", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, true};
    if (draw(random, 0, 1) == 0) weekday = {"*", {0, 1, 2, 3, 4, 5, 6}, true};
  }

  std::string text() const {
    return minute.text + " " + hour.text + " " + day.text + " " + month.text + " " + weekday.text;
  }

  bool matches(date::local_seconds time) const {
    const auto today = date::floor<date::days>(time);
    const date::year_month_day date{today};
    const auto since_midnight = floor<minutes>(time - today).count();
    if (!minute.values.contains(static_cast<int>(since_midnight % 60))) return false;
    if (!hour.values.contains(static_cast<int>(since_midnight / 60))) return false;
    if (!month.values.contains(static_cast<int>(static_cast<unsigned>(date.month())))) return false;
    const bool by_day = day.values.contains(static_cast<int>(static_cast<unsigned>(date.day())));
    const bool by_weekday = weekday.values.contains(static_cast<int>(date::weekday{today}.c_encoding()));
    return day.star || weekday.star ? by_day && by_weekday : by_day || by_weekday;
  }
};

// All times in (after, until], both on a minute.
std::vector<UtcTime> slow_times(const RandomExpression& expression, const std::string& zone_name,
                                UtcTime after, UtcTime until) {
  const auto* zone = date::locate_zone(zone_name);
  std::vector<UtcTime> times;
  auto never_shown = date::local_seconds::min();
  // Begins more than a day before, so that what the clocks have shown by `after` is known.
  for (auto t = floor<Seconds>(after) - hours{30}; t <= until; t += minutes{1}) {
    const auto shown = date::local_seconds{t.time_since_epoch() + zone->get_info(t).offset};
    bool fires = false;
    for (auto time = std::max(never_shown, shown - hours{25}); time <= shown && t > after; time += minutes{1})
      fires = fires || expression.matches(time);
    if (fires) times.emplace_back(t);
    never_shown = std::max(never_shown, shown + minutes{1});
  }
  return times;
}

struct Place {
  std::string zone;
  std::string_view around;  // a change of its clocks
};

const std::array places{Place{"Europe/Paris", "2027-03-28T01:00:00Z"},
                        Place{"Europe/Paris", "2027-10-31T01:00:00Z"},
                        Place{"America/New_York", "2026-03-08T07:00:00Z"},
                        Place{"America/New_York", "2026-11-01T06:00:00Z"},
                        Place{"Australia/Lord_Howe", "2026-10-03T15:30:00Z"},
                        Place{"Australia/Lord_Howe", "2027-04-03T15:00:00Z"},
                        Place{"Pacific/Apia", "2011-12-30T10:00:00Z"},
                        Place{"Antarctica/Troll", "2026-03-29T01:00:00Z"},
                        Place{"Antarctica/Troll", "2026-10-25T01:00:00Z"},
                        Place{"America/Sao_Paulo", "2018-11-04T03:00:00Z"},
                        Place{"America/Sao_Paulo", "2019-02-17T02:00:00Z"},
                        Place{"Pacific/Chatham", "2026-09-26T14:00:00Z"},
                        Place{"Europe/Dublin", "2026-10-25T01:00:00Z"},
                        Place{"America/Caracas", "2016-05-01T07:00:00Z"},
                        Place{"Pacific/Kwajalein", "1993-08-21T12:00:00Z"},
                        Place{"Asia/Kathmandu", "2026-06-01T00:00:00Z"},
                        Place{"UTC", "2028-02-29T00:00:00Z"}};

TEST(Times, AreThoseOfAMinuteByMinuteReckoning) {
  Random random{7};
  std::size_t seen = 0;
  for (int round = 0; round < 60; ++round) {
    const RandomExpression expression{random};
    const auto parsed = Cron::parse(expression.text());
    if (!parsed) continue;  // it never comes
    for (const Place& place : places) {
      const Zone z = zone(place.zone);
      const UtcTime after = utc(place.around) - minutes{draw(random, 1, 36 * 60)};
      const UtcTime until = after + days{3};
      const auto slow = slow_times(expression, place.zone, after, until);
      seen += slow.size();

      auto quick = next_times(*parsed, z, after, slow.size() + 1);
      if (!quick.empty() && quick.back() > until) quick.pop_back();
      ASSERT_EQ(texts(quick), texts(slow))
          << expression.text() << " in " << place.zone << " after " << to_rfc3339(after);
      ASSERT_EQ(count_times(*parsed, z, after, until), slow.size())
          << expression.text() << " in " << place.zone;

      std::vector<UtcTime> backwards;
      for (auto time = last_time(*parsed, z, until); time && *time > after;
           time = last_time(*parsed, z, *time - Milliseconds{1}))
        backwards.insert(backwards.begin(), *time);
      ASSERT_EQ(texts(backwards), texts(slow)) << expression.text() << " in " << place.zone;
    }
  }
  EXPECT_GT(seen, 1'000u);
}

TEST(Times, AreTheSameFromWhereverOneLooks) {
  Random random{8};
  for (const Place& place : places) {
    const Zone z = zone(place.zone);
    const Cron c = cron("*/10 * * * *");
    for (int i = 0; i < 300; ++i) {
      const UtcTime after = utc(place.around) + Milliseconds{draw(random, -6 * 3600'000, 6 * 3600'000)};
      const auto next = next_time(c, z, after);
      ASSERT_TRUE(next);
      ASSERT_GT(*next, after);
      ASSERT_EQ(last_time(c, z, *next), next) << place.zone << to_rfc3339(after);
      ASSERT_EQ(count_times(c, z, after, *next), 1u) << place.zone << to_rfc3339(after);
      const auto before = last_time(c, z, after);
      ASSERT_TRUE(before);
      ASSERT_EQ(next_time(c, z, *before), next) << place.zone << to_rfc3339(after);
    }
  }
}

}  // namespace
}  // namespace nightjar::schedule
