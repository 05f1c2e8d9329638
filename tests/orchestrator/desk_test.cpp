#include "orchestrator/desk_fixture.hpp"

namespace nightjar::orchestrator {
namespace {

Limits pace(int connections_per_second) {
  Limits limits;
  limits.connections_per_second = connections_per_second;
  return limits;
}

Dice no_dice() {
  return [] { return 0.0; };
}

TEST_F(DeskTest, WhatThePaceLeavesIsLookedAtAgainWhenItAllowsMore) {
  open({add_device("sw-1"), add_device("sw-2"), add_device("sw-3")});
  Desk desk{site(), pace(10), {"me", true}, no_dice()};
  const auto first = desk.start_due(*db_, {}).value();
  EXPECT_EQ(first.started.size(), 1u);
  EXPECT_TRUE(first.paced);
  EXPECT_LE(desk.next_start(clock_.mono()), clock_.mono() + Milliseconds{200});
  clock_.pass(Milliseconds{200});
  EXPECT_EQ(desk.start_due(*db_, {}).value().started.size(), 1u);
}

TEST_F(DeskTest, NoMoreSessionsThanTheCustomerMayHave) {
  admission::LimitLayer two;
  two.sessions = 2;
  ASSERT_TRUE(
      store::Settings{*db_}.set_layer<admission::LimitFields>({rules::Level::customer, acme_, {}}, two));
  open({add_device("sw-1"), add_device("sw-2"), add_device("sw-3")});
  Desk desk{site(), pace(1000), {"me", true}, no_dice()};
  clock_.pass(Seconds{1});
  const auto batch = desk.start_due(*db_, {}).value();
  ASSERT_EQ(batch.started.size(), 2u);
  EXPECT_TRUE(batch.held_back);
  const auto& started = batch.started.front();
  ASSERT_TRUE(desk.finish(*db_, started.series.id, started.attempt, failed(FailureClass::auth)));
  EXPECT_EQ(desk.start_due(*db_, {started.series.id}).value().started.size(), 1u);
}

TEST_F(DeskTest, ASeriesOfTheDaemonIsNobodysWhileItWaits) {
  open({add_device("sw-1")});
  Desk desk{site(), {}, {"me", true}, no_dice()};
  const auto started = std::move(desk.start_due(*db_, {}).value().started.at(0));
  store::SeriesBook book{*db_};
  EXPECT_EQ(book.find(started.series.id).value().owner, "me");
  ASSERT_TRUE(desk.finish(*db_, started.series.id, started.attempt, failed(FailureClass::timeout)));
  const auto row = book.find(started.series.id).value();
  EXPECT_EQ(row.machine.state, series::State::retry_wait);
  EXPECT_EQ(row.owner, "");
}

TEST_F(DeskTest, AnOpenBreakerHoldsTheCustomerBackAndLetsOneProbeGo) {
  std::vector<DeviceId> devices;
  for (int i = 0; i < 4; ++i) devices.push_back(add_device("sw-" + std::to_string(i)));
  admission::LimitLayer limits;
  limits.breaker_failures = 1;
  ASSERT_TRUE(
      store::Settings{*db_}.set_layer<admission::LimitFields>({rules::Level::customer, acme_, {}}, limits));
  Desk desk{site(), pace(1000), {"me", true}, no_dice()};
  open({devices[0]});
  const auto lost = std::move(desk.start_due(*db_, {}).value().started.at(0));
  ASSERT_TRUE(desk.finish(*db_, lost.series.id, lost.attempt, failed(FailureClass::unreachable)));
  open({devices[1], devices[2], devices[3]});
  desk.look_again();
  clock_.pass(Seconds{1});
  const auto held = desk.start_due(*db_, {lost.series.id}).value();
  EXPECT_TRUE(held.started.empty());
  EXPECT_TRUE(held.held_back);
  EXPECT_FALSE(held.paced) << "the loop must not turn for the pace while a breaker holds";
  clock_.pass(Seconds{61});
  const auto probe = desk.start_due(*db_, {}).value();
  ASSERT_EQ(probe.started.size(), 1u);
  const Ended reached = failed(FailureClass::unsupported, Stage::command);
  ASSERT_TRUE(desk.finish(*db_, probe.started[0].series.id, probe.started[0].attempt, reached));
  clock_.pass(Seconds{1});
  const auto after = desk.start_due(*db_, {probe.started[0].series.id}).value();
  ASSERT_EQ(after.started.size(), 2u);
  const auto attempts = store::SeriesBook{*db_}.detail(after.started[0].series.id).value().attempts;
  EXPECT_EQ(attempts.at(0).held_by, store::HeldBy::customer_breaker);
  EXPECT_GT(attempts.at(0).held, Seconds{50});
}

}  // namespace
}  // namespace nightjar::orchestrator
