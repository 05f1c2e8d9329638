#include "revision/myers.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace nightjar::revision {
namespace {

using Index = std::ptrdiff_t;

// Edits tried from each end of a box before the search settles for the furthest point it has reached. It
// bounds the work at about (n + m) * most_edits; two texts with fewer than twice as many edits still get
// their shortest one.
constexpr Index most_edits = 256;

struct Box {
  Index a_begin, a_end, b_begin, b_end;
};

struct Point {
  Index a, b;
};

// The symbols of one side that occur on the other side as well, and where they came from.
struct Side {
  std::vector<Symbol> symbols;
  std::vector<std::size_t> origin;
  std::vector<char> changed;  // by origin; symbols that are on one side only are so from the start
};

class Search {
 public:
  Search(Side& before, Side& after)
      : before_(before),
        after_(after),
        zero_(static_cast<Index>(after.symbols.size()) + 1),
        forward_(before.symbols.size() + after.symbols.size() + 3),
        backward_(forward_.size()) {}

  void run() {
    std::vector<Box> open{
        {0, static_cast<Index>(before_.symbols.size()), 0, static_cast<Index>(after_.symbols.size())}};
    while (!open.empty()) {
      const Box box = trimmed(open.back());
      open.pop_back();
      if (box.a_begin == box.a_end || box.b_begin == box.b_end) {
        for (Index i = box.a_begin; i < box.a_end; ++i) before_.changed[before_.origin[at(i)]] = 1;
        for (Index j = box.b_begin; j < box.b_end; ++j) after_.changed[after_.origin[at(j)]] = 1;
        continue;
      }
      const Point split = middle(box);
      open.push_back({split.a, box.a_end, split.b, box.b_end});
      open.push_back({box.a_begin, split.a, box.b_begin, split.b});
    }
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  bool same(Index i, Index j) const { return before_.symbols[at(i)] == after_.symbols[at(j)]; }

  // Furthest point reached on a diagonal (a - b), as its coordinate in `before`.
  Index& forward(Index diagonal) { return forward_[at(diagonal + zero_)]; }
  Index& backward(Index diagonal) { return backward_[at(diagonal + zero_)]; }

  Box trimmed(Box box) const {
    while (box.a_begin < box.a_end && box.b_begin < box.b_end && same(box.a_begin, box.b_begin))
      ++box.a_begin, ++box.b_begin;
    while (box.a_begin < box.a_end && box.b_begin < box.b_end && same(box.a_end - 1, box.b_end - 1))
      --box.a_end, --box.b_end;
    return box;
  }

  // The diagonals one search has reached; each edit widens them by one on both sides, up to the edges of the
  // box.
  struct Reach {
    Index low, high;
  };
  static constexpr Index nowhere_forward = -1;
  static constexpr Index nowhere_backward = std::numeric_limits<Index>::max();

  template <class Slot>
  static void widen(Reach& reach, const Box& box, Slot&& slot, Index nowhere) {
    if (reach.low > box.a_begin - box.b_end)
      slot(--reach.low - 1) = nowhere;
    else
      ++reach.low;
    if (reach.high < box.a_end - box.b_begin)
      slot(++reach.high + 1) = nowhere;
    else
      --reach.high;
  }

  // A point on a shortest edit of the box, found where searches from both ends meet. The box is trimmed and
  // has two sides, so both searches take at least one edit and the point is neither corner.
  Point middle(const Box& box) {
    const Index from = box.a_begin - box.b_begin, to = box.a_end - box.b_end;
    const bool odd = ((to - from) & 1) != 0;
    Reach ahead{from, from}, behind{to, to};
    forward(from) = box.a_begin;
    backward(to) = box.a_end;
    for (Index edits = 1;; ++edits) {
      widen(
          ahead, box, [this](Index d) -> Index& { return forward(d); }, nowhere_forward);
      for (Index d = ahead.high; d >= ahead.low; d -= 2) {
        const Index below = forward(d - 1), above = forward(d + 1);
        Index a = below < above ? above : below + 1;
        while (a < box.a_end && a - d < box.b_end && same(a, a - d)) ++a;
        forward(d) = a;
        if (odd && behind.low <= d && d <= behind.high && backward(d) <= a) return {a, a - d};
      }
      widen(
          behind, box, [this](Index d) -> Index& { return backward(d); }, nowhere_backward);
      for (Index d = behind.high; d >= behind.low; d -= 2) {
        const Index below = backward(d - 1), above = backward(d + 1);
        Index a = below < above ? below : above - 1;
        while (a > box.a_begin && a - d > box.b_begin && same(a - 1, a - d - 1)) --a;
        backward(d) = a;
        if (!odd && ahead.low <= d && d <= ahead.high && a <= forward(d)) return {a, a - d};
      }
      if (edits == most_edits) return furthest(box, ahead, behind);
    }
  }

  // Of all points reached inside the box, the one that leaves least of it to the far corner.
  Point furthest(const Box& box, Reach ahead, Reach behind) {
    Point best{box.a_begin, box.b_begin};
    Index progress = 0;
    const auto look = [&](Index a, Index b, Index gained) {
      const bool inside = a >= box.a_begin && a <= box.a_end && b >= box.b_begin && b <= box.b_end;
      if (!inside || gained <= progress) return;
      progress = gained;
      best = {a, b};
    };
    for (Index d = ahead.low; d <= ahead.high; d += 2) {
      const Index a = forward(d), b = a - d;
      look(a, b, a + b - box.a_begin - box.b_begin);
    }
    for (Index d = behind.low; d <= behind.high; d += 2) {
      const Index a = backward(d), b = a - d;
      look(a, b, box.a_end + box.b_end - a - b);
    }
    return best;
  }

  Side& before_;
  Side& after_;
  Index zero_;  // where diagonal 0 lies
  std::vector<Index> forward_, backward_;
};

Side side_of(std::span<const Symbol> own, const std::vector<char>& on_other_side) {
  Side side;
  side.changed.assign(own.size(), 0);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (on_other_side[own[i]]) {
      side.symbols.push_back(own[i]);
      side.origin.push_back(i);
    } else {
      side.changed[i] = 1;
    }
  }
  return side;
}

std::vector<char> present(std::span<const Symbol> sequence, std::size_t symbols) {
  std::vector<char> seen(symbols, 0);
  for (const Symbol s : sequence) seen[s] = 1;
  return seen;
}

}  // namespace

std::vector<Change> changes(std::span<const Symbol> before, std::span<const Symbol> after,
                            std::size_t symbols) {
  // A symbol of one side only is changed whatever the rest: leaving it out keeps the edit shortest, and two
  // texts with nothing in common cost nothing.
  Side a = side_of(before, present(after, symbols));
  Side b = side_of(after, present(before, symbols));
  Search{a, b}.run();

  std::vector<Change> out;
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    Change change{i, i, j, j};
    while (i < before.size() && a.changed[i]) ++i;
    while (j < after.size() && b.changed[j]) ++j;
    change.before_end = i;
    change.after_end = j;
    if (change.before_end > change.before_begin || change.after_end > change.after_begin)
      out.push_back(change);
    if (i < before.size()) ++i;  // both stand on a common symbol, or at their ends
    if (j < after.size()) ++j;
  }
  return out;
}

}  // namespace nightjar::revision
