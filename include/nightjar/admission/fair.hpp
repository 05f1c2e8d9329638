// Deals free slots between customers, so that one with 10,000 due devices does not starve one with 10. Plain
// arithmetic on counts: which device of a customer starts is the business of whoever keeps its queue.
#pragma once
#include <nightjar/base/id.hpp>

#include <cstddef>
#include <vector>

namespace nightjar::admission {

// What one customer wants and has. Behind an open breaker nothing of it is waiting, or just the probe.
struct Queue {
  CustomerId customer;
  std::size_t waiting = 0;  // due attempts that could start now
  int in_use = 0;           // sessions it has, >= 0
  int limit = 0;            // sessions it may have; may be below in_use after an edit
};

struct Share {
  CustomerId customer;
  std::size_t granted = 0;  // never 0
  bool operator==(const Share&) const = default;
};

struct Deal {
  std::vector<Share> shares;  // in the order of the queues
  CustomerId last;            // where the next deal goes on
};

// Max-min fair: each slot goes to the customer with the fewest sessions (in use and granted), never above its
// limit or what it has waiting; no slot stays free that somebody could use. `free` is what the platform has,
// already cut to what the pace of new connections lets through.
//
// Slots that are too few for one more each go round by customer id, from the one behind `last`: what the deal
// before this one returned, 0 at first. While the same customers compete, none is ever more than one slot
// ahead of another. (A counter of deals cannot do that: those that were just served leave the circle, the
// others move up into their places, and some are passed over for ever.)
//
// Each customer is in the list once, in any order. O(n log n + n log limit) for n customers, whatever `free`
// and `waiting` are.
Deal deal(const std::vector<Queue>&, std::size_t free, CustomerId last);

}  // namespace nightjar::admission
