#include "store_fixture.hpp"

namespace nightjar::store {
namespace {

using series::State;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using SeriesBookTest = StoreTest;

Failure refused_by_device() {
  Failure f = failure(FailureClass::unreachable, Stage::connect, "connection refused by 192.0.2.10:22");
  return f;
}

TEST_F(SeriesBookTest, AnOpenedSeriesIsPendingDueNowAndClaimed) {
  const auto opened = book_.open({device_}, series::Trigger::manual, at(0), "me", far_lease);
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->at(0).joined);
  const SeriesRow row = book_.find(opened->at(0).series).value();
  EXPECT_EQ(row.machine.state, State::pending);
  EXPECT_EQ(row.machine.due, at(0));
  EXPECT_EQ(row.machine.scheduled_for, at(0));
  EXPECT_EQ(row.machine.window_start, at(0));
  EXPECT_EQ(row.owner, "me");
  EXPECT_EQ(row.lease_until, far_lease);
  EXPECT_EQ(row.customer_name, "acme");
  EXPECT_EQ(row.device_name, "sw-1");
}

TEST_F(SeriesBookTest, ADeviceWithAnOpenSeriesThatNobodyHoldsGetsThatOneWithItsDueTimeUntouched) {
  const SeriesId first = open_series(device_, at(0), "dead");
  ASSERT_TRUE(book_.release("dead"));
  const auto opened = book_.open({device_}, series::Trigger::manual, at(100), "me", far_lease).value();
  EXPECT_EQ(opened.at(0).series, first);
  EXPECT_TRUE(opened.at(0).joined);
  const SeriesRow row = book_.find(first).value();
  EXPECT_EQ(row.owner, "me");
  EXPECT_EQ(row.machine.due, at(0));
}

TEST_F(SeriesBookTest, ADeviceWhoseSeriesAnotherOwnerHoldsIsJoinedButNotClaimed) {
  const SeriesId first = open_series(device_, at(0), "other");
  const auto opened = book_.open({device_}, series::Trigger::manual, at(100), "me", far_lease).value();
  EXPECT_EQ(opened.at(0).series, first);
  EXPECT_TRUE(opened.at(0).joined);
  EXPECT_EQ(book_.find(first).value().owner, "other");
}

TEST_F(SeriesBookTest, ADeviceNamedTwiceGetsOneSeries) {
  const auto opened = book_.open({device_, device_}, series::Trigger::manual, at(0), "me", far_lease).value();
  EXPECT_EQ(opened.at(0).series, opened.at(1).series);
  EXPECT_EQ(book_.count_open("me").value(), 1u);
}

TEST_F(SeriesBookTest, OpeningForADeviceThatDoesNotExistOpensNothing) {
  const auto opened = book_.open({device_, DeviceId{77}}, series::Trigger::manual, at(0), "me", far_lease);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().failure_class, FailureClass::setup);
  EXPECT_EQ(opened.error().reason, "device 77 does not exist");
  EXPECT_EQ(book_.count_open("me").value(), 0u);
}

TEST_F(SeriesBookTest, AdoptingTakesOpenSeriesThatNobodyHoldsAndLeavesTheOthers) {
  const DeviceId second = add_device("sw-2"), third = add_device("sw-3");
  const SeriesId orphan = open_series(device_, at(0), "dead");
  ASSERT_TRUE(book_.release("dead"));
  open_series(second, at(0), "other");
  EXPECT_THAT(book_.adopt({device_, second, third}, "me", far_lease).value(), ElementsAre(orphan));
  EXPECT_EQ(book_.find(orphan).value().owner, "me");
}

TEST_F(SeriesBookTest, ABegunAttemptIsWrittenWithItsSeriesRunning) {
  const SeriesId id = open_series(device_, at(0));
  AttemptBegin begin = beginning_of(id, book_.find(id).value().machine, at(2));
  begin.queued = Milliseconds{1500};
  const auto attempt = book_.begin_attempt(begin, "me");
  ASSERT_TRUE(attempt);
  const SeriesDetail detail = book_.detail(id).value();
  EXPECT_EQ(detail.series.machine.state, State::running);
  EXPECT_EQ(detail.series.started_at, at(2));
  ASSERT_EQ(detail.attempts.size(), 1u);
  EXPECT_EQ(detail.attempts[0].id, *attempt);
  EXPECT_EQ(detail.attempts[0].number, 1);
  EXPECT_EQ(detail.attempts[0].queued, Milliseconds{1500});
  EXPECT_EQ(detail.attempts[0].held, Milliseconds{0});
  EXPECT_FALSE(detail.attempts[0].held_by);
  EXPECT_FALSE(detail.attempts[0].ended_at);
  EXPECT_FALSE(detail.attempts[0].decision);
}

TEST_F(SeriesBookTest, BeginningIsRefusedWhenAnotherOwnerHoldsTheSeries) {
  const SeriesId id = open_series(device_, at(0), "other");
  const auto refused = book_.begin_attempt(beginning_of(id, {}, at(0)), "me");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure_class, FailureClass::setup);
  EXPECT_THAT(refused.error().reason, HasSubstr("held by other"));
  EXPECT_THAT(book_.detail(id).value().attempts, IsEmpty());
}

TEST_F(SeriesBookTest, BeginningIsRefusedWhenTheSeriesWasCancelledMeanwhile) {
  const SeriesId id = open_series(device_, at(0));
  series::Series cancelled = book_.find(id).value().machine;
  const AttemptBegin stale = beginning_of(id, cancelled, at(2));
  cancelled.state = State::cancelled;
  cancelled.due.reset();
  ASSERT_TRUE(book_.update(id, cancelled, at(1)));
  EXPECT_FALSE(book_.begin_attempt(stale, "me"));
  EXPECT_EQ(book_.find(id).value().machine.state, State::cancelled);
}

TEST_F(SeriesBookTest, AFailedAttemptKeepsItsFailureDecisionAndRule) {
  const Begun begun = begin(open_series(device_, at(0)), at(0));
  AttemptEnd end = retry_of(begun.series, begun.attempt, begun.machine, refused_by_device(), at(5), at(305));
  end.failure->transcript_tail = std::string(3000, 'x') + "\xff\n";
  end.decision.decision.jitter = Milliseconds{-250};
  end.decision.rule.customer_name = "acme";
  end.decision.rule.rule.attempts = {5, rules::Level::customer};
  end.decision.rule.rule.give_up_after = {{Seconds{7200}}, rules::Level::platform};
  ASSERT_TRUE(book_.end_attempt(end));

  const SeriesDetail detail = book_.detail(begun.series).value();
  EXPECT_EQ(detail.series.machine, end.after);
  ASSERT_TRUE(detail.series.last_failure);
  EXPECT_EQ(*detail.series.last_failure, refused_by_device());
  EXPECT_EQ(detail.series.transport, "ssh");
  const AttemptRow& attempt = detail.attempts.at(0);
  EXPECT_EQ(attempt.failure, end.failure);
  EXPECT_EQ(attempt.outcome, series::Outcome::failure);
  ASSERT_TRUE(attempt.decision);
  EXPECT_EQ(attempt.decision->decision.action, series::Action::retry);
  EXPECT_EQ(attempt.decision->decision.wait, Seconds{300});
  EXPECT_EQ(attempt.decision->decision.jitter, Milliseconds{-250});
  EXPECT_EQ(attempt.decision->decision.next_attempt_at, at(305));
  EXPECT_EQ(attempt.decision->rule.rule, end.decision.rule.rule);
  EXPECT_EQ(attempt.decision->rule.origin_name(rules::Level::customer), "acme");
}

TEST_F(SeriesBookTest, TheLastFailureOutlivesALaterSuccess) {
  const Begun first = begin(open_series(device_, at(0)), at(0));
  ASSERT_TRUE(book_.end_attempt(
      retry_of(first.series, first.attempt, first.machine, refused_by_device(), at(5), at(305))));
  const Begun second = begin(first.series, at(305));
  ASSERT_TRUE(book_.end_attempt(
      success_of(second.series, second.attempt, second.machine, backup_of("config\n"), at(310))));
  const SeriesDetail detail = book_.detail(first.series).value();
  EXPECT_EQ(detail.series.machine.state, State::succeeded);
  EXPECT_EQ(detail.series.last_failure, refused_by_device());
  EXPECT_EQ(detail.series.started_at, at(0));
  EXPECT_EQ(detail.series.ended_at, at(310));
  EXPECT_EQ(detail.series.owner, "");
  ASSERT_EQ(detail.attempts.size(), 2u);
  ASSERT_TRUE(detail.backup);
  EXPECT_EQ(detail.backup->sha256, revision::to_hex(revision::digest("config\n")));
  EXPECT_EQ(detail.backup->bytes, 7u);
}

TEST_F(SeriesBookTest, AnAttemptEndsOnce) {
  const Begun begun = begin(open_series(device_, at(0)), at(0));
  const AttemptEnd end = success_of(begun.series, begun.attempt, begun.machine, backup_of("a\n"), at(5));
  ASSERT_TRUE(book_.end_attempt(end));
  const auto again = book_.end_attempt(end);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().reason, HasSubstr("is not running"));
}

TEST_F(SeriesBookTest, TheFirstBackupOfADeviceIsAChange) {
  EXPECT_TRUE(back_up(device_, backup_of("a\n"), at(0)).changed);
}

TEST_F(SeriesBookTest, AnUnchangedTextAddsNoRevisionButMovesItsLastSeen) {
  const BackupRow first = back_up(device_, backup_of("a\n"), at(0));
  const BackupRow second = back_up(device_, backup_of("a\n"), at(100));
  EXPECT_EQ(second.revision, first.revision);
  EXPECT_FALSE(second.changed);
  const auto history = revisions_.history(device_).value();
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0].first_seen_at, at(0));
  EXPECT_EQ(history[0].last_seen_at, at(100));
}

TEST_F(SeriesBookTest, ATextThatDiffersInNoiseAloneIsUnchangedAndTheKeptBytesStay) {
  back_up(device_, backup_of("! time 1\na\n"), at(0));
  NewBackup noisy = backup_of("! time 2\na\n");
  noisy.comparable = revision::fingerprint("! time 1\na\n");
  const BackupRow second = back_up(device_, noisy, at(100));
  EXPECT_FALSE(second.changed);
  EXPECT_EQ(revisions_.text(second.revision).value(), "! time 1\na\n");
}

TEST_F(SeriesBookTest, GoingBackToAnEarlierTextIsAChangeToAKeptRevision) {
  const BackupRow first = back_up(device_, backup_of("a\n"), at(0));
  back_up(device_, backup_of("b\n"), at(100));
  const BackupRow third = back_up(device_, backup_of("a\n"), at(200));
  EXPECT_TRUE(third.changed);
  EXPECT_EQ(third.revision, first.revision);
  const auto history = revisions_.history(device_).value();
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[0].id, first.revision);
  EXPECT_EQ(revisions_.newest(device_).value()->id, first.revision);
}

TEST_F(SeriesBookTest, EvidenceOfAnIncompleteAnswerIsKeptAndReplacesNothing) {
  back_up(device_, backup_of("whole\n"), at(0));
  const Begun begun = begin(open_series(device_, at(100)), at(100));
  AttemptEnd end =
      retry_of(begun.series, begun.attempt, begun.machine,
               failure(FailureClass::incomplete, Stage::verify, "end mark missing"), at(105), at(405));
  end.evidence = std::string(5000, 'e');
  ASSERT_TRUE(book_.end_attempt(end));
  EXPECT_EQ(book_.evidence(begun.attempt).value(), end.evidence);
  EXPECT_EQ(revisions_.text(revisions_.newest(device_).value()->id).value(), "whole\n");
}

TEST_F(SeriesBookTest, AHostKeySeenForTheFirstTimeIsPinnedWithTheAttempt) {
  const Begun begun = begin(open_series(device_, at(0)), at(0));
  AttemptEnd end = success_of(begun.series, begun.attempt, begun.machine, backup_of("a\n"), at(5));
  end.host_key = PinnedHostKey{device_, "ssh-ed25519", "SHA256:abc", at(5), false};
  ASSERT_TRUE(book_.end_attempt(end));
  EXPECT_EQ(inventory_.host_key(device_).value()->fingerprint, "SHA256:abc");
}

TEST_F(SeriesBookTest, AnUpdateThatCrossesTheStartOfAnAttemptIsRefused) {
  const SeriesId id = open_series(device_, at(0));
  series::Series cancelled = book_.find(id).value().machine;
  cancelled.state = State::cancelled;
  cancelled.due.reset();
  begin(id, at(1));
  const auto refused = book_.update(id, cancelled, at(2));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure_class, FailureClass::setup);
  EXPECT_EQ(book_.find(id).value().machine.state, State::running);
}

TEST_F(SeriesBookTest, ARerunOpensAnEndedSeriesAgain) {
  back_up(device_, backup_of("a\n"), at(0));
  const SeriesRow ended = book_.list({}).value().at(0);
  series::Series again = ended.machine;
  again.state = State::pending;
  again.due = again.window_start = at(500);
  again.counted = 0;
  ASSERT_TRUE(book_.update(ended.id, again, at(500)));
  EXPECT_FALSE(book_.find(ended.id).value().ended_at);
  EXPECT_THAT(book_.adopt({device_}, "me", far_lease).value(), ElementsAre(ended.id));
  EXPECT_EQ(begin(ended.id, at(500)).machine.attempts, 2);
}

TEST_F(SeriesBookTest, OwnersAreTheHoldersOfClaimsAndOfRunningAttempts) {
  const DeviceId second = add_device("sw-2"), third = add_device("sw-3");
  open_series(device_, at(0), "b");
  begin(open_series(second, at(0), "a"), at(0), "a");
  back_up(third, backup_of("a\n"), at(0));
  EXPECT_THAT(book_.owners().value(), ElementsAre("a", "b"));
}

TEST_F(SeriesBookTest, WhatADeadOwnerHeldNamesTheAttemptThatWasUnderWay) {
  const DeviceId second = add_device("sw-2");
  const SeriesId waiting = open_series(device_, at(0), "dead");
  const Begun begun = begin(open_series(second, at(0), "dead"), at(1), "dead");
  const auto orphans = book_.held_by("dead").value();
  ASSERT_EQ(orphans.size(), 2u);
  EXPECT_EQ(orphans[0].series.id, waiting);
  EXPECT_FALSE(orphans[0].running);
  ASSERT_TRUE(orphans[1].running);
  EXPECT_EQ(orphans[1].running->id, begun.attempt);
}

TEST_F(SeriesBookTest, ReleasingLetsGoOfClaimsButNotOfRunningAttempts) {
  const DeviceId second = add_device("sw-2");
  const SeriesId waiting = open_series(device_, at(0), "dead");
  const Begun begun = begin(open_series(second, at(0), "dead"), at(1), "dead");
  ASSERT_TRUE(book_.release("dead"));
  EXPECT_EQ(book_.find(waiting).value().owner, "");
  EXPECT_EQ(book_.find(begun.series).value().owner, "dead");
}

TEST_F(SeriesBookTest, AListIsNewestFirstAndNarrowedByItsQuery) {
  const DeviceId second = add_device("sw-2");
  back_up(device_, backup_of("a\n"), at(0));
  const Begun begun = begin(open_series(second, at(100)), at(100));
  AttemptEnd end =
      retry_of(begun.series, begun.attempt, begun.machine, refused_by_device(), at(105), at(405));
  end.after.state = State::failed;
  end.after.end = series::End::permanent;
  end.after.due.reset();
  end.decision.decision = {series::Action::end, {}, {}, {}};
  ASSERT_TRUE(book_.end_attempt(end));
  const SeriesId open = open_series(device_, at(200));

  const auto ids = [&](const SeriesQuery& query) {
    std::vector<SeriesId> found;
    for (const SeriesRow& row : book_.list(query).value()) found.push_back(row.id);
    return found;
  };
  EXPECT_THAT(ids({}), ElementsAre(open, begun.series, ::testing::_));
  SeriesQuery only_open, only_failed, recent, of_second, one;
  only_open.open_only = true;
  only_failed.failed_only = true;
  recent.since = at(100);
  of_second.devices = {second};
  one.limit = 1;
  EXPECT_THAT(ids(only_open), ElementsAre(open));
  EXPECT_THAT(ids(only_failed), ElementsAre(begun.series));
  EXPECT_THAT(ids(recent), ElementsAre(open, begun.series));
  EXPECT_THAT(ids(of_second), ElementsAre(begun.series));
  EXPECT_THAT(ids(one), ElementsAre(open));
}

TEST_F(SeriesBookTest, AnUnknownSeriesIsClassSetup) {
  for (const Failure& f : {book_.find(SeriesId{9}).error(), book_.detail(SeriesId{9}).error(),
                           book_.update(SeriesId{9}, {}, at(0)).error()}) {
    EXPECT_EQ(f.failure_class, FailureClass::setup);
    EXPECT_EQ(f.reason, "series 9 does not exist");
  }
}

}  // namespace
}  // namespace nightjar::store
