#include "revision/lines.hpp"
#include "revision/myers.hpp"

#include <nightjar/revision/diff.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace nightjar::revision {
namespace {

using Lines = std::vector<std::string_view>;  // each with its \n

Lines lines_of(std::string_view text) {
  Lines lines;
  for_each_line(text, [&](std::string_view line) {
    lines.push_back(line);
    return true;
  });
  return lines;
}

// Equal lines get equal numbers, so that comparing two lines is comparing two integers.
class Numbering {
 public:
  std::vector<Symbol> number(const Lines& lines) {
    std::vector<Symbol> symbols;
    symbols.reserve(lines.size());
    for (const auto line : lines) symbols.push_back(known_.try_emplace(line, known_.size()).first->second);
    return symbols;
  }
  std::size_t size() const { return known_.size(); }

 private:
  std::unordered_map<std::string_view, Symbol> known_;
};

bool adjacent(const Change& change, const Change& next) {
  return change.before_end == next.before_begin && change.after_end == next.after_begin;
}

// Moves a pure insertion or deletion down by one line where that tells the same story; false where it does
// not.
bool slide(Change& change, const std::vector<Symbol>& before, const std::vector<Symbol>& after) {
  const bool deletes = change.before_end > change.before_begin,
             inserts = change.after_end > change.after_begin;
  if (deletes == inserts || change.before_end == before.size() || change.after_end == after.size())
    return false;
  if (deletes ? before[change.before_begin] != before[change.before_end]
              : after[change.after_begin] != after[change.after_end])
    return false;
  change = {change.before_begin + 1, change.before_end + 1, change.after_begin + 1, change.after_end + 1};
  return true;
}

// A change stands as far down as it can: an added block then ends with its own "!" or "}" and not with the
// one of the block above it.
std::vector<Change> slid_down(const std::vector<Change>& found, const std::vector<Symbol>& before,
                              const std::vector<Symbol>& after) {
  std::vector<Change> reversed;
  for (auto it = found.rbegin(); it != found.rend(); ++it) {
    Change change = *it;
    do {
      while (!reversed.empty() && adjacent(change, reversed.back())) {
        change.before_end = reversed.back().before_end;
        change.after_end = reversed.back().after_end;
        reversed.pop_back();
      }
    } while (slide(change, before, after));
    reversed.push_back(change);
  }
  return {reversed.rbegin(), reversed.rend()};
}

class Writer {
 public:
  Writer(const Lines& before, const Lines& after, std::size_t context, std::string& out)
      : before_(before), after_(after), context_(std::min(context, before.size())), out_(out) {}

  void write(const std::vector<Change>& all) {
    for (std::size_t i = 0; i < all.size();) {
      std::size_t last = i;  // of one hunk: changes whose contexts touch
      while (last + 1 < all.size() && all[last + 1].before_begin - all[last].before_end <= 2 * context_)
        ++last;
      write_hunk({all.begin() + static_cast<std::ptrdiff_t>(i),
                  all.begin() + static_cast<std::ptrdiff_t>(last) + 1});
      i = last + 1;
    }
  }

 private:
  void write_hunk(std::span<const Change> hunk) {
    const std::size_t lead = std::min(context_, hunk.front().before_begin);
    const std::size_t trail = std::min(context_, before_.size() - hunk.back().before_end);
    const Change all{hunk.front().before_begin - lead, hunk.back().before_end + trail,
                     hunk.front().after_begin - lead, hunk.back().after_end + trail};
    fmt::format_to(std::back_inserter(out_), "@@ -{} +{} @@\n", range(all.before_begin, all.before_end),
                   range(all.after_begin, all.after_end));
    std::size_t at = all.before_begin;
    for (const Change& change : hunk) {
      write_lines(' ', before_, at, change.before_begin);
      write_lines('-', before_, change.before_begin, change.before_end);
      write_lines('+', after_, change.after_begin, change.after_end);
      at = change.before_end;
    }
    write_lines(' ', before_, at, all.before_end);
  }

  // As diff writes it: no count for one line, and the line before where there is none.
  static std::string range(std::size_t begin, std::size_t end) {
    if (end - begin == 1) return std::to_string(end);
    return fmt::format("{},{}", end == begin ? begin : begin + 1, end - begin);
  }

  void write_lines(char sign, const Lines& lines, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out_ += sign;
      out_ += lines[i];
      if (lines[i].back() != '\n') out_ += "\n\\ No newline at end of file\n";
    }
  }

  const Lines& before_;
  const Lines& after_;
  std::size_t context_;
  std::string& out_;
};

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_label,
                         std::string_view after_label, std::size_t context) {
  if (before == after) return {};
  const Lines before_lines = lines_of(before), after_lines = lines_of(after);
  Numbering numbering;
  const auto a = numbering.number(before_lines), b = numbering.number(after_lines);
  auto out = fmt::format("--- {}\n+++ {}\n", before_label, after_label);
  Writer{before_lines, after_lines, context, out}.write(slid_down(changes(a, b, numbering.size()), a, b));
  return out;
}

}  // namespace nightjar::revision
