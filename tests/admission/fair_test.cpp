#include <nightjar/admission/fair.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

namespace nightjar::admission {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr CustomerId ann{1};
constexpr CustomerId bob{2};
constexpr CustomerId cid{3};

constexpr CustomerId from_the_first{};

std::map<CustomerId, std::size_t> by_customer(const std::vector<Share>& shares) {
  std::map<CustomerId, std::size_t> out;
  for (const Share& s : shares) out[s.customer] += s.granted;
  return out;
}

TEST(Deal, GivesNothingWhereNothingIsFreeOrWanted) {
  EXPECT_THAT(deal({}, 200, from_the_first).shares, IsEmpty());
  EXPECT_THAT(deal({{.customer = ann, .waiting = 10, .limit = 50}}, 0, from_the_first).shares, IsEmpty());
  EXPECT_THAT(deal({{.customer = ann, .waiting = 0, .limit = 50}}, 200, from_the_first).shares, IsEmpty());
  EXPECT_THAT(deal({{.customer = ann, .waiting = 10, .limit = 0}}, 200, from_the_first).shares, IsEmpty());
}

TEST(Deal, StopsAtTheLimitOfTheCustomer) {
  EXPECT_THAT(
      deal({{.customer = ann, .waiting = 10'000, .in_use = 20, .limit = 50}}, 200, from_the_first).shares,
      ElementsAre(Share{ann, 30}));
}

TEST(Deal, GivesNothingToACustomerWhoseLimitWasLoweredBelowWhatItHas) {
  EXPECT_THAT(deal({{.customer = ann, .waiting = 10, .in_use = 50, .limit = 20}}, 200, from_the_first).shares,
              IsEmpty());
}

TEST(Deal, FillsUpFromTheOneWithTheFewestSessions) {
  const std::vector<Queue> queues{{.customer = ann, .waiting = 100, .in_use = 10, .limit = 50},
                                  {.customer = bob, .waiting = 100, .in_use = 4, .limit = 50},
                                  {.customer = cid, .waiting = 100, .in_use = 30, .limit = 50}};
  EXPECT_THAT(deal(queues, 6, from_the_first).shares, ElementsAre(Share{bob, 6}));
  EXPECT_THAT(deal(queues, 16, from_the_first).shares, ElementsAre(Share{ann, 5}, Share{bob, 11}));
}

TEST(Deal, HandsOnWhatAShortQueueDoesNotNeed) {
  const std::vector<Queue> queues{{.customer = ann, .waiting = 10'000, .limit = 500},
                                  {.customer = bob, .waiting = 10, .limit = 500}};
  EXPECT_THAT(deal(queues, 200, from_the_first).shares, ElementsAre(Share{ann, 190}, Share{bob, 10}));
}

TEST(Deal, AsksTheQueuesInAnyOrder) {
  const Queue a{.customer = ann, .waiting = 5, .limit = 50};
  const Queue b{.customer = bob, .waiting = 5, .limit = 50};
  const Queue c{.customer = cid, .waiting = 5, .limit = 50};
  for (const CustomerId last : {from_the_first, ann, bob, cid})
    EXPECT_EQ(by_customer(deal({a, b, c}, 4, last).shares), by_customer(deal({c, a, b}, 4, last).shares));
}

TEST(Deal, TakesTheLargestNumbersThereAre) {
  constexpr int most = std::numeric_limits<int>::max();
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  const std::vector<Queue> queues{{.customer = ann, .waiting = all, .limit = most},
                                  {.customer = bob, .waiting = all, .in_use = most, .limit = most},
                                  {.customer = cid, .waiting = all, .limit = most}};
  EXPECT_THAT(deal(queues, all, from_the_first).shares, ElementsAre(Share{ann, most}, Share{cid, most}));
  EXPECT_THAT(deal(queues, 3, from_the_first).shares, ElementsAre(Share{ann, 2}, Share{cid, 1}));
}

TEST(Deal, GoesOnBehindTheLastOneServed) {
  const std::vector<Queue> queues{{.customer = ann, .waiting = 5, .limit = 50},
                                  {.customer = bob, .waiting = 5, .limit = 50},
                                  {.customer = cid, .waiting = 5, .limit = 50}};
  const Deal first = deal(queues, 1, from_the_first);
  EXPECT_THAT(first.shares, ElementsAre(Share{ann, 1}));
  EXPECT_EQ(first.last, ann);
  EXPECT_THAT(deal(queues, 1, ann).shares, ElementsAre(Share{bob, 1}));
  EXPECT_THAT(deal(queues, 2, bob).shares, ElementsAre(Share{ann, 1}, Share{cid, 1}));
  EXPECT_EQ(deal(queues, 2, bob).last, ann);
  EXPECT_EQ(deal(queues, 3, bob).last, bob) << "nothing was left over";
  EXPECT_THAT(deal(queues, 1, CustomerId{99}).shares, ElementsAre(Share{ann, 1})) << "one that is gone";
}

TEST(ManyDeals, NeverGiveOneMoreThanOneSlotMoreThanAnotherWhileTheSameCompete) {
  std::mt19937_64 random{2};
  for (std::size_t customers = 2; customers <= 12; ++customers) {
    std::vector<Queue> queues;
    for (std::size_t i = 1; i <= customers; ++i)
      queues.push_back({.customer = {static_cast<std::int64_t>(i)}, .waiting = 1000, .limit = 50});
    std::vector<std::size_t> got(customers + 1, 0);
    CustomerId last;
    for (int turn = 0; turn < 100; ++turn) {
      const Deal dealt = deal(queues, random() % (2 * customers), last);
      last = dealt.last;
      for (const Share& s : dealt.shares) got[static_cast<std::size_t>(s.customer.value)] += s.granted;
      const auto [least, most] = std::minmax_element(got.begin() + 1, got.end());
      ASSERT_LE(*most - *least, 1U) << customers << " customers, turn " << turn;
    }
  }
}

std::vector<Queue> any_queues(std::mt19937_64& random) {
  const auto up_to = [&random](std::uint64_t most) { return random() % (most + 1); };
  std::vector<Queue> queues(up_to(12));
  for (std::size_t i = 0; i < queues.size(); ++i)
    queues[i] = {.customer = {static_cast<std::int64_t>(100 - i)},
                 .waiting = up_to(3) == 0 ? up_to(10'000) : up_to(12),
                 .in_use = static_cast<int>(up_to(12)),
                 .limit = static_cast<int>(up_to(20))};
  return queues;
}

// The same by the letter of the rule, slot by slot: how many sessions each level of the water holds.
std::vector<std::int64_t> slot_by_slot(const std::vector<Queue>& queues, std::size_t free) {
  std::vector<std::int64_t> has;
  std::vector<std::size_t> waiting;
  for (const Queue& q : queues) {
    has.push_back(q.in_use);
    waiting.push_back(q.waiting);
  }
  for (; free > 0; --free) {
    std::size_t poorest = queues.size();
    for (std::size_t i = 0; i < queues.size(); ++i)
      if (waiting[i] > 0 && has[i] < queues[i].limit && (poorest == queues.size() || has[i] < has[poorest]))
        poorest = i;
    if (poorest == queues.size()) break;
    ++has[poorest];
    --waiting[poorest];
  }
  std::ranges::sort(has);
  return has;
}

TEST(AnyDeal, KeepsEveryLimitWastesNothingAndIsMaxMinFair) {
  std::mt19937_64 random{20261130};
  for (int round = 0; round < 20'000; ++round) {
    const auto queues = any_queues(random);
    const std::size_t free = random() % 60;
    const auto shares = deal(queues, free, {static_cast<std::int64_t>(random() % 110)}).shares;
    const auto granted = by_customer(shares);
    ASSERT_EQ(granted.size(), shares.size()) << "one share each, round " << round;

    std::size_t given = 0;
    std::vector<std::int64_t> has;
    bool anyone_left = false;
    for (const Queue& q : queues) {
      const auto found = granted.find(q.customer);
      const std::size_t g = found == granted.end() ? 0 : found->second;
      given += g;
      has.push_back(q.in_use + static_cast<std::int64_t>(g));
      ASSERT_LE(g, q.waiting) << "round " << round;
      ASSERT_TRUE(g == 0 || has.back() <= q.limit) << "round " << round;
      anyone_left |= g < q.waiting && has.back() < q.limit;
    }
    ASSERT_LE(given, free) << "round " << round;
    ASSERT_TRUE(given == free || !anyone_left) << "slots stay free beside a queue, round " << round;

    // Nobody who could take one more has two fewer than somebody who was given one.
    for (std::size_t poor = 0; poor < queues.size(); ++poor) {
      const auto got = static_cast<std::size_t>(has[poor] - queues[poor].in_use);
      if (got >= queues[poor].waiting || has[poor] >= queues[poor].limit) continue;
      for (std::size_t rich = 0; rich < queues.size(); ++rich)
        ASSERT_TRUE(has[rich] == queues[rich].in_use || has[rich] <= has[poor] + 1) << "round " << round;
    }
    std::ranges::sort(has);
    ASSERT_EQ(has, slot_by_slot(queues, free)) << "round " << round;
  }
}

TEST(ManyDeals, ServeTenDevicesAtOnceBesideTenThousand) {
  Queue large{.customer = ann, .waiting = 10'000, .limit = 200};
  const auto before = by_customer(deal({large}, 200, from_the_first).shares);
  large.in_use = static_cast<int>(before.at(ann));
  large.waiting -= before.at(ann);
  Queue small{.customer = bob, .waiting = 10, .limit = 200};
  // One session of the large customer ends at a time.
  for (int ended = 0; ended < 10; ++ended) {
    --large.in_use;
    ASSERT_THAT(deal({large, small}, 1, from_the_first).shares, ElementsAre(Share{bob, 1}));
    ++small.in_use;
    --small.waiting;
  }
}

TEST(ManyDeals, ServeAThousandCustomersAlikeWhateverTheirQueues) {
  std::mt19937_64 random{3};
  std::vector<Queue> queues(1'000);
  for (std::size_t i = 0; i < queues.size(); ++i)
    queues[i] = {.customer = {static_cast<std::int64_t>(i + 1)},
                 .waiting = i % 100 == 0 ? 10'000U : 400U,
                 .limit = 50};
  std::vector<int> served(queues.size(), 0);
  // Sessions end at random; 200 slots among 1,000 customers, so that hardly anyone ever has two.
  std::vector<std::size_t> sessions;
  CustomerId last;
  for (int turn = 0; turn < 1'000; ++turn) {
    const Deal dealt = deal(queues, 200 - sessions.size(), last);
    last = dealt.last;
    for (const Share& s : dealt.shares) {
      const auto i = static_cast<std::size_t>(s.customer.value - 1);
      queues[i].waiting -= s.granted;
      queues[i].in_use += static_cast<int>(s.granted);
      served[i] += static_cast<int>(s.granted);
      sessions.insert(sessions.end(), s.granted, i);
    }
    ASSERT_THAT(sessions, SizeIs(200));
    for (int ended = 0; ended < 50; ++ended) {
      std::swap(sessions[random() % sessions.size()], sessions.back());
      --queues[sessions.back()].in_use;
      sessions.pop_back();
    }
  }
  const auto [least, most] = std::ranges::minmax(served);
  EXPECT_GT(least, 46) << "50 on average";
  EXPECT_LT(most, 54);
}

}  // namespace
}  // namespace nightjar::admission
