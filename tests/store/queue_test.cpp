// What waits, in which line, and whose it becomes.
#include "store_fixture.hpp"

namespace nightjar::store {
namespace {

using series::State;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Failure no_answer() {
  return failure(FailureClass::unreachable, Stage::connect, "connection refused by 192.0.2.10:22");
}

class QueueTest : public StoreTest {
 protected:
  Line firsts() const { return {customer_, false}; }
  Line retries() const { return {customer_, true}; }
  std::vector<SeriesId> waiting(std::string_view owner, Line line, UtcTime now, std::size_t limit = 100) {
    std::vector<SeriesId> ids;
    for (const Waiting& row : book_.waiting(owner, line, now, limit).value()) ids.push_back(row.id);
    return ids;
  }
  // A series whose first attempt has failed and that is tried again at `next`.
  SeriesId retried(DeviceId device, UtcTime next, std::string_view owner, bool keep_claim = true) {
    const Begun begun = begin(open_series(device, at(0), owner), at(0), owner.empty() ? "daemon" : owner);
    AttemptEnd end = retry_of(begun.series, begun.attempt, begun.machine, no_answer(), at(1), next);
    end.keep_claim = keep_claim;
    EXPECT_TRUE(book_.end_attempt(end));
    return begun.series;
  }
};

TEST_F(QueueTest, WhatIsDueComesOldestFirstAndOnlyWhenItsTimeHasCome) {
  const DeviceId second = add_device("sw-2"), third = add_device("sw-3"), fourth = add_device("sw-4");
  const SeriesId late = open_series(device_, at(20));
  const SeriesId early = open_series(second, at(10));
  const SeriesId as_late = open_series(third, at(20));
  open_series(fourth, at(30));
  EXPECT_THAT(waiting("me", firsts(), at(20)), ElementsAre(early, late, as_late));
  EXPECT_THAT(waiting("me", firsts(), at(20), 2), ElementsAre(early, late));
  EXPECT_THAT(waiting("me", firsts(), at(9)), IsEmpty());
  EXPECT_THAT(waiting("me", firsts(), at(10)), ElementsAre(early));
}

TEST_F(QueueTest, TheNextDueTimeIsTheFirstOneAfterAMoment) {
  const DeviceId second = add_device("sw-2");
  open_series(device_, at(20));
  open_series(second, at(10));
  EXPECT_EQ(book_.next_due("me", firsts(), at(0)).value(), at(10));
  EXPECT_EQ(book_.next_due("me", firsts(), at(10)).value(), at(20));
  EXPECT_FALSE(book_.next_due("me", firsts(), at(20)).value());
  EXPECT_FALSE(book_.next_due("me", retries(), at(0)).value());
  EXPECT_FALSE(book_.next_due("", firsts(), at(0)).value());
}

TEST_F(QueueTest, FirstAttemptsAndRetriesStandInLinesOfTheirOwn) {
  const DeviceId second = add_device("sw-2");
  const SeriesId first = open_series(device_, at(10));
  const SeriesId retry = retried(second, at(5), "me");
  EXPECT_THAT(waiting("me", firsts(), at(99)), ElementsAre(first));
  EXPECT_THAT(waiting("me", retries(), at(99)), ElementsAre(retry));
  EXPECT_EQ(book_.next_due("me", retries(), at(0)).value(), at(5));
}

TEST_F(QueueTest, ANobodysSeriesIsInTheDaemonsQueueAndInNoOtherOne) {
  const DeviceId second = add_device("sw-2");
  const SeriesId unowned = open_series(device_, at(0), "");
  const SeriesId owned = open_series(second, at(0), "cli");
  EXPECT_THAT(waiting("", firsts(), at(0)), ElementsAre(unowned));
  EXPECT_THAT(waiting("cli", firsts(), at(0)), ElementsAre(owned));
  EXPECT_THAT(waiting("other", firsts(), at(0)), IsEmpty());
  EXPECT_FALSE(book_.find(unowned).value().lease_until);
}

TEST_F(QueueTest, TheCustomersOfAnOwnerAreThoseOfWhichSomethingWaitsWhetherDueOrNot) {
  const CustomerId globex = inventory_.add_customer({{}, "globex", ""}).value();
  const CustomerId initech = inventory_.add_customer({{}, "initech", ""}).value();
  const DeviceId theirs = inventory_.add_device(device_named(globex, "fw-1")).value();
  const DeviceId also = inventory_.add_device(device_named(initech, "fw-1")).value();
  EXPECT_THAT(book_.customers_waiting("").value(), IsEmpty());
  retried(theirs, at(500), "", false);
  open_series(device_, at(900), "");
  open_series(add_device("sw-2"), at(0), "");
  begin(open_series(also, at(0), ""), at(0));
  EXPECT_THAT(book_.customers_waiting("").value(), ElementsAre(customer_, globex));
  EXPECT_THAT(book_.customers_waiting("me").value(), IsEmpty());  // what runs does not wait
  open_series(inventory_.add_device(device_named(initech, "fw-2")).value(), at(0), "cli");
  EXPECT_THAT(book_.customers_waiting("cli").value(), ElementsAre(initech));
}

TEST_F(QueueTest, WhatWaitsTellsWhatDealingNeeds) {
  Credential credential;
  credential.name = "ssh";
  credential.id = inventory_.add_credential(credential).value();
  Device device = device_named(customer_, "sw-2");
  device.credential = credential.id;
  device.id = inventory_.add_device(device).value();
  open_series(device_, at(0), "");
  open_series(device.id, at(3), "");
  const auto rows = book_.waiting("", firsts(), at(3), 10).value();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_FALSE(rows[0].credential);
  EXPECT_EQ(rows[1].device, device.id);
  EXPECT_EQ(rows[1].credential, credential.id);
  EXPECT_EQ(rows[1].due, at(3));
  EXPECT_EQ(rows[1].held, Milliseconds{0});
}

TEST_F(QueueTest, ADeviceWithARunningAttemptWaitsUnderAnotherSeriesUntilThatIsOver) {
  const Begun begun = begin(open_series(device_, at(0)), at(0));
  const RunId id = runs_.add(customer_, at(1), RunKind::on_time, {"* * * * *", "UTC"}, at(1)).value();
  ASSERT_EQ(runs_.unfinished().value().at(0).id, id);
  ASSERT_TRUE(runs_.open_series(runs_.unfinished().value().at(0), runs_.unfinished().value().at(0).kind,
                                {device_}, at(1)));
  const SeriesId second = book_.list({}).value().at(0).id;
  EXPECT_THAT(waiting("", firsts(), at(10)), IsEmpty());
  EXPECT_THAT(book_.customers_waiting("").value(), ElementsAre(customer_));
  const auto refused = book_.begin_attempt(beginning_of(second, {}, at(10)), "daemon");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure_class, FailureClass::setup);
  EXPECT_THAT(refused.error().reason, HasSubstr("is running"));
  EXPECT_EQ(book_.find(second).value().owner, "");
  ASSERT_TRUE(
      book_.end_attempt(success_of(begun.series, begun.attempt, begun.machine, backup_of("a\n"), at(5))));
  EXPECT_THAT(waiting("", firsts(), at(10)), ElementsAre(second));
}

TEST_F(QueueTest, BeginningAnAttemptClaimsASeriesThatNobodyHolds) {
  const SeriesId id = open_series(device_, at(0), "");
  begin(id, at(5), "daemon");
  const SeriesRow row = book_.find(id).value();
  EXPECT_EQ(row.owner, "daemon");
  ASSERT_TRUE(row.lease_until);
  EXPECT_GT(*row.lease_until, at(5));
  EXPECT_THAT(book_.owners().value(), ElementsAre("daemon"));
  EXPECT_FALSE(book_.begin_attempt(beginning_of(id, {}, at(6)), "cli"));
}

TEST_F(QueueTest, AnAttemptNeedsAnOwner) {
  const SeriesId id = open_series(device_, at(0), "");
  const auto refused = book_.begin_attempt(beginning_of(id, {}, at(0)), "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure_class, FailureClass::setup);
  EXPECT_EQ(book_.find(id).value().machine.state, State::pending);
}

TEST_F(QueueTest, ASeriesThatGoesOnKeepsItsClaimUnlessItIsLetGo) {
  const DeviceId second = add_device("sw-2");
  const SeriesId kept = retried(device_, at(300), "cli");
  const SeriesId let_go = retried(second, at(300), "", false);
  EXPECT_EQ(book_.find(kept).value().owner, "cli");
  EXPECT_EQ(book_.find(let_go).value().owner, "");
  EXPECT_FALSE(book_.find(let_go).value().lease_until);
  EXPECT_THAT(waiting("", retries(), at(300)), ElementsAre(let_go));
  EXPECT_THAT(book_.owners().value(), ElementsAre("cli"));
}

TEST_F(QueueTest, WhatAnAttemptWasHeldBackByIsKeptAndSummedUpForItsSeries) {
  const SeriesId id = open_series(device_, at(0), "");
  AttemptBegin first = beginning_of(id, book_.find(id).value().machine, at(100));
  first.queued = Seconds{100};
  first.held = Seconds{60};
  first.held_by = HeldBy::customer_breaker;
  const AttemptId attempt = book_.begin_attempt(first, "daemon").value();
  AttemptEnd end = retry_of(id, attempt, first.after, no_answer(), at(101), at(400));
  end.keep_claim = false;
  ASSERT_TRUE(book_.end_attempt(end));
  AttemptBegin second = beginning_of(id, end.after, at(430));
  second.queued = second.held = Seconds{30};
  second.held_by = HeldBy::retry_budget;
  EXPECT_EQ(book_.waiting("", retries(), at(400), 1).value().at(0).held, Seconds{60});
  ASSERT_TRUE(book_.begin_attempt(second, "daemon"));
  const SeriesDetail detail = book_.detail(id).value();
  EXPECT_EQ(detail.series.held, Seconds{90});
  EXPECT_EQ(detail.attempts.at(0).queued, Seconds{100});
  EXPECT_EQ(detail.attempts.at(0).held, Seconds{60});
  EXPECT_EQ(detail.attempts.at(0).held_by, HeldBy::customer_breaker);
  EXPECT_EQ(detail.attempts.at(1).held_by, HeldBy::retry_budget);
}

TEST_F(QueueTest, OpeningForNobodyLeavesTheClaimsOfOthersAlone) {
  const SeriesId held = open_series(device_, at(0), "cli");
  const auto opened = book_.open({device_}, series::Trigger::manual, at(5), "", far_lease).value();
  EXPECT_EQ(opened.at(0).series, held);
  EXPECT_TRUE(opened.at(0).joined);
  EXPECT_EQ(book_.find(held).value().owner, "cli");
}

TEST_F(QueueTest, ACancelledAttemptIsToldToTheOwnerWhoRunsIt) {
  const DeviceId second = add_device("sw-2"), third = add_device("sw-3");
  const Begun wanted = begin(open_series(device_, at(0), ""), at(0), "daemon");
  begin(open_series(second, at(0), ""), at(0), "daemon");
  const Begun others = begin(open_series(third, at(0), "cli"), at(0), "cli");
  EXPECT_THAT(book_.to_cancel("daemon").value(), IsEmpty());
  for (const Begun& begun : {wanted, others}) {
    series::Series asked = begun.machine;
    asked.cancel_requested = true;
    ASSERT_TRUE(book_.update(begun.series, asked, at(1)));
  }
  EXPECT_THAT(book_.to_cancel("daemon").value(), ElementsAre(wanted.series));
  EXPECT_THAT(book_.to_cancel("cli").value(), ElementsAre(others.series));
  AttemptEnd end = retry_of(wanted.series, wanted.attempt, wanted.machine, no_answer(), at(2), at(302));
  end.outcome = series::Outcome::cancelled;
  end.failure.reset();
  end.after.state = State::cancelled;
  end.after.due.reset();
  end.decision.decision = {.action = series::Action::end};
  ASSERT_TRUE(book_.end_attempt(end));
  EXPECT_THAT(book_.to_cancel("daemon").value(), IsEmpty());
}

TEST_F(QueueTest, OpenSeriesAreCountedByStateAndByWhatIsDue) {
  EXPECT_EQ(book_.count_open_by_state(at(0)).value().pending, 0u);
  EXPECT_FALSE(book_.count_open_by_state(at(0)).value().oldest_due);
  open_series(device_, at(10), "");
  open_series(add_device("sw-2"), at(900), "");
  retried(add_device("sw-3"), at(5), "", false);
  retried(add_device("sw-4"), at(5), "cli");
  begin(open_series(add_device("sw-5"), at(0), ""), at(0));
  back_up(add_device("sw-6"), backup_of("a\n"), at(0));
  const auto counts = book_.count_open_by_state(at(10)).value();
  EXPECT_EQ(counts.pending, 2u);
  EXPECT_EQ(counts.running, 1u);
  EXPECT_EQ(counts.retry_wait, 2u);
  EXPECT_EQ(counts.due, 3u);
  EXPECT_EQ(counts.oldest_due, at(5));
  EXPECT_EQ(book_.count_due(customer_, at(10)).value(), 2u);
}

}  // namespace
}  // namespace nightjar::store
