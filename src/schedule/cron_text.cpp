#include <nightjar/base/nearest.hpp>
#include <nightjar/schedule/cron.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

namespace nightjar::schedule {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t longest_text = 500;  // every number of every field spelt out has 358 characters

constexpr std::array<std::string_view, 12> month_names{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> weekday_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

// What one of the five fields may hold. The first of `names` means `least`.
struct Form {
  std::string_view field;
  unsigned least, most;
  unsigned values;  // how many different ones there are: no step is longer
  std::span<const std::string_view> names;
  std::string_view wanted;
};

constexpr std::array<Form, 5> forms{{
    {"minute", 0, 59, 60, {}, "a number from 0 to 59"},
    {"hour", 0, 23, 24, {}, "a number from 0 to 23"},
    {"day of month", 1, 31, 31, {}, "a number from 1 to 31"},
    {"month", 1, 12, 12, month_names, "a number from 1 to 12 or a name from jan to dec"},
    {"day of week", 0, 7, 7, weekday_names,
     "a number from 0 to 7 (0 and 7 are Sunday) or a name from sun to sat"},
}};
constexpr unsigned sunday = 0, sunday_again = 7;

struct Nickname {
  std::string_view name, meaning;
};
constexpr std::array<Nickname, 7> nicknames{{{"@hourly", "0 * * * *"},
                                             {"@daily", "0 0 * * *"},
                                             {"@midnight", "0 0 * * *"},
                                             {"@weekly", "0 0 * * 0"},
                                             {"@monthly", "0 0 1 * *"},
                                             {"@yearly", "0 0 1 1 *"},
                                             {"@annually", "0 0 1 1 *"}}};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    found.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(blanks, end);
  }
  return found;
}

Failure refused(std::string reason) {
  return failure(FailureClass::setup, Stage::none, std::move(reason));
}

Failure refused(const Form& form, std::string_view found, std::string_view why) {
  return refused(fmt::format("{} '{}': {}", form.field, found, why));
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<unsigned> value_of(const Form& form, std::string_view text) {
  for (unsigned i = 0; i < form.names.size(); ++i)
    if (same_word(form.names[i], text)) return form.least + i;
  const auto value = number(text);
  return value && *value >= form.least && *value <= form.most ? value : std::nullopt;
}

// One part of a list, as bits: *, 5, 1-5, */5, 10-50/10.
Result<std::uint64_t> read_part(const Form& form, std::string_view part) {
  const std::size_t slash = part.find('/');
  const std::string_view range = part.substr(0, slash);
  const bool all = range == "*" || range == "?";
  const std::size_t dash = range.find('-');
  unsigned from = form.least, to = form.most, step = 1;
  if (!all) {
    const auto first = value_of(form, range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : value_of(form, range.substr(dash + 1));
    if (!first || !last) return refused(form, part, fmt::format("{} is wanted", form.wanted));
    from = *first;
    to = *last;
    if (form.most == sunday_again && to == sunday && from > sunday) to = sunday_again;
    if (from > to) return refused(form, part, "the range runs backwards; write it as two, with a comma");
  }
  if (slash != std::string_view::npos) {
    if (!all && dash == std::string_view::npos)
      return refused(form, part,
                     fmt::format("a step goes over a range or *, such as {}-{}/2", from, form.most));
    const auto length = number(part.substr(slash + 1));
    if (!length || *length < 1 || *length > form.values)
      return refused(form, part, fmt::format("a step from 1 to {} is wanted", form.values));
    step = *length;
  }
  std::uint64_t bits = 0;
  for (unsigned value = from; value <= to; value += step) bits |= std::uint64_t{1} << value;
  return bits;
}

Result<std::uint64_t> read_field(const Form& form, std::string_view text) {
  std::uint64_t bits = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const auto part = read_part(form, text.substr(begin, comma - begin));
    if (!part) return part.error();
    bits |= *part;
    begin = comma + 1;
  }
  return bits;
}

bool is_unrestricted(std::string_view field) {
  return field.starts_with('*') || field.starts_with('?');
}

Failure unknown_nickname(std::string_view name) {
  if (same_word(name, "@reboot"))
    return refused(
        "@reboot is no time: what was missed while nothing ran is caught up at the next start, and other "
        "schedules name a time");
  std::array<std::string_view, nicknames.size()> known;
  std::ranges::transform(nicknames, known.begin(), &Nickname::name);
  if (const auto meant = nearest(name, known); !meant.empty())
    return refused(fmt::format("'{}' is unknown; did you mean {}?", name, meant));
  return refused(fmt::format("'{}' is unknown; there are {}", name, fmt::join(known, ", ")));
}

Failure wrong_count(std::size_t count) {
  constexpr std::string_view five = "five fields are wanted: minute, hour, day of month, month, day of week";
  if (count == 6 || count == 7)
    return refused(fmt::format("{}; this has {}, and seconds or years cannot be given", five, count));
  return refused(fmt::format("{}; this has {}", five, count));
}

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
  auto fields = words(text);
  const std::string as_written = fmt::format("{}", fmt::join(fields, " "));
  if (as_written.size() > longest_text)
    return refused(fmt::format("a text of {} characters is not a schedule: it has at most {}",
                               as_written.size(), longest_text));
  const auto not_a_schedule = [&](const Failure& why) {
    return refused(fmt::format("'{}' is not a schedule: {}", as_written, why.reason));
  };

  if (fields.size() == 1 && fields[0].starts_with('@')) {
    const auto named = std::ranges::find_if(
        nicknames, [&](const Nickname& nickname) { return same_word(nickname.name, fields[0]); });
    if (named == nicknames.end()) return not_a_schedule(unknown_nickname(fields[0]));
    fields = words(named->meaning);
  }
  if (fields.size() != forms.size()) return not_a_schedule(wrong_count(fields.size()));

  std::array<std::uint64_t, forms.size()> bits{};
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto read = read_field(forms[i], fields[i]);
    if (!read) return not_a_schedule(read.error());
    bits[i] = *read;
  }
  if ((bits[4] >> sunday_again & 1u) != 0) bits[4] |= 1u << sunday;

  Cron cron;
  cron.text_ = as_written;
  cron.minutes_ = bits[0];
  cron.hours_ = static_cast<std::uint32_t>(bits[1]);
  cron.days_ = static_cast<std::uint32_t>(bits[2]);
  cron.months_ = static_cast<std::uint16_t>(bits[3]);
  cron.weekdays_ = static_cast<std::uint8_t>(bits[4] & 0b111'1111u);
  cron.either_day_ = !is_unrestricted(fields[2]) && !is_unrestricted(fields[4]);

  constexpr LocalMinute any_time = std::chrono::local_days{std::chrono::year{2000} / 1 / 1};
  if (!cron.next(any_time))
    return not_a_schedule(refused(
        fmt::format("it never comes: day of month '{}' is in no month of '{}'", fields[2], fields[3])));
  return cron;
}

}  // namespace nightjar::schedule
