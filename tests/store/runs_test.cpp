#include "store_fixture.hpp"

namespace nightjar::store {
namespace {

using series::State;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ScheduleKey nightly{"0 2 * * *", "Europe/Paris"};
const ScheduleKey hourly{"0 * * * *", "UTC"};

class RunsTest : public StoreTest {
 protected:
  RunsTest() {
    globex_ = inventory_.add_customer({{}, "globex", ""}).value();
    born(device_, at(-1000));
  }
  void born(DeviceId device, UtcTime when) {
    db_.connection().run("UPDATE device SET created_ms = ?2 WHERE id = ?1", device, when);
  }
  DeviceId add(const std::string& name) {
    const DeviceId device = add_device(name);
    born(device, at(-1000));
    return device;
  }
  // A run of `customer_` as the next step finds it.
  store::Run started(UtcTime scheduled_for, RunKind kind = RunKind::on_time) {
    const RunId id = runs_.add(customer_, scheduled_for, kind, nightly, scheduled_for).value();
    for (const store::Run& run : runs_.unfinished().value())
      if (run.id == id) return run;
    throw std::runtime_error("the run is not there");
  }
  std::vector<DeviceId> candidates(const store::Run& run, DeviceId after = {}, std::size_t most = 100) {
    std::vector<DeviceId> devices;
    for (const auto& candidate : runs_.candidates(run, after, most).value())
      devices.push_back(candidate.device);
    return devices;
  }
  SeriesId series_of(DeviceId device) {
    SeriesQuery query;
    query.devices = {device};
    return book_.list(query).value().at(0).id;
  }

  CustomerId globex_;
};

TEST_F(RunsTest, ACustomerHasOneRunForATimeHoweverOftenItFires) {
  const RunId run = runs_.add(customer_, at(0), RunKind::on_time, nightly, at(1)).value();
  EXPECT_EQ(runs_.add(customer_, at(0), RunKind::on_time, nightly, at(2)).value(), run);
  EXPECT_EQ(runs_.add(customer_, at(0), RunKind::on_time, hourly, at(3)).value(), run);
  EXPECT_NE(runs_.add(customer_, at(3600), RunKind::on_time, hourly, at(3600)).value(), run);
  EXPECT_NE(runs_.add(globex_, at(0), RunKind::on_time, nightly, at(0)).value(), run);
  std::vector<ScheduleKey> schedules;
  for (const auto& fired : runs_.schedules(run).value()) schedules.push_back(fired.schedule);
  EXPECT_THAT(schedules, ::testing::UnorderedElementsAre(nightly, hourly));
  const store::Run first = runs_.unfinished().value().at(0);
  EXPECT_EQ(first.customer_name, "acme");
  EXPECT_EQ(first.scheduled_for, at(0));
  EXPECT_EQ(first.created_at, at(1));
}

TEST_F(RunsTest, EachScheduleOfATimeIsOnTimeLateOrMissedByItself) {
  const RunId run = runs_.add(customer_, at(0), RunKind::late, nightly, at(900)).value();
  ASSERT_TRUE(runs_.add(customer_, at(0), RunKind::missed, hourly, at(900)));
  for (const auto& fired : runs_.schedules(run).value())
    EXPECT_EQ(fired.kind, fired.schedule == nightly ? RunKind::late : RunKind::missed);
}

TEST_F(RunsTest, AnotherScheduleOfTheSameTimeGoesThroughTheDevicesOnceMore) {
  const store::Run run = started(at(0));
  ASSERT_TRUE(runs_.open_series(run, run.kind, {device_}, at(0)));
  ASSERT_TRUE(runs_.set_opened_to(run.id, std::nullopt));
  EXPECT_THAT(runs_.unfinished().value(), IsEmpty());
  ASSERT_TRUE(runs_.add(customer_, at(0), RunKind::on_time, hourly, at(0)));
  EXPECT_EQ(runs_.unfinished().value().at(0).opened_to, DeviceId{});
  EXPECT_TRUE(runs_.candidates(run, {}, 10).value().at(0).in_run);
}

TEST_F(RunsTest, ATimeThatWasMissedStaysMissed) {
  const store::Run run = started(at(0), RunKind::missed);
  ASSERT_TRUE(runs_.add(customer_, at(0), RunKind::late, hourly, at(10)));
  EXPECT_EQ(runs_.unfinished().value().at(0).kind, RunKind::missed);
  EXPECT_EQ(runs_.unfinished().value().at(0).id, run.id);
}

TEST_F(RunsTest, CandidatesAreTheEnabledDevicesOfTheCustomerThatExistedThen) {
  Device disabled = device_named(customer_, "sw-2");
  disabled.enabled = false;
  born(inventory_.add_device(disabled).value(), at(-1000));
  born(inventory_.add_device(device_named(globex_, "fw-1")).value(), at(-1000));
  const DeviceId just_then = add("sw-3"), later = add("sw-4"), last = add("sw-5");
  born(just_then, at(0));
  born(later, at(0) + Milliseconds{1});
  const store::Run run = started(at(0));
  EXPECT_THAT(candidates(run), ElementsAre(device_, just_then, last));
  EXPECT_THAT(candidates(run, {}, 2), ElementsAre(device_, just_then));
  EXPECT_THAT(candidates(run, just_then), ElementsAre(last));
  EXPECT_THAT(candidates(run, last), IsEmpty());
}

TEST_F(RunsTest, ADeviceThatIsAddedNowWasNotThereALongTimeAgo) {
  const DeviceId device = add_device("sw-2");
  EXPECT_THAT(candidates(started(at(0) - std::chrono::years{20})), IsEmpty());
  EXPECT_THAT(candidates(started(at(0) + std::chrono::years{20})), ElementsAre(device_, device));
}

TEST_F(RunsTest, ACandidateTellsItsNewestOpenSeriesAndWhetherItHasOneInThisRun) {
  const DeviceId second = add("sw-2"), third = add("sw-3");
  const SeriesId manual = open_series(second, at(-10));
  back_up(third, backup_of("a\n"), at(-10));
  const store::Run run = started(at(0));
  ASSERT_TRUE(runs_.open_series(run, run.kind, {device_}, at(0)));
  const auto found = runs_.candidates(run, {}, 10).value();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0].in_run);
  EXPECT_EQ(found[0].open, series_of(device_));
  EXPECT_FALSE(found[1].in_run);
  EXPECT_EQ(found[1].open, manual);
  EXPECT_FALSE(found[2].open);
}

TEST_F(RunsTest, AnOpenedSeriesIsPendingDueNowAndNobodys) {
  const store::Run run = started(at(0));
  ASSERT_TRUE(runs_.open_series(run, run.kind, {device_}, at(7)));
  const SeriesRow row = book_.find(series_of(device_)).value();
  EXPECT_EQ(row.run, run.id);
  EXPECT_EQ(row.customer, customer_);
  EXPECT_EQ(row.trigger, series::Trigger::schedule);
  EXPECT_EQ(row.machine.state, State::pending);
  EXPECT_EQ(row.machine.scheduled_for, at(0));
  EXPECT_EQ(row.machine.window_start, at(0));
  EXPECT_EQ(row.machine.due, at(7));
  EXPECT_EQ(row.owner, "");
  EXPECT_FALSE(row.ended_at);
}

TEST_F(RunsTest, TheSeriesOfAMissedRunHasEndedAsItIsWritten) {
  const store::Run run = started(at(0), RunKind::missed);
  ASSERT_TRUE(runs_.open_series(run, run.kind, {device_}, at(90000)));
  const SeriesRow row = book_.find(series_of(device_)).value();
  EXPECT_EQ(row.machine.state, State::missed);
  EXPECT_EQ(row.machine.scheduled_for, at(0));
  EXPECT_FALSE(row.machine.due);
  EXPECT_FALSE(row.machine.end);
  EXPECT_EQ(row.ended_at, at(90000));
  EXPECT_THAT(book_.customers_waiting("").value(), IsEmpty());
}

TEST_F(RunsTest, ADeviceHasOneSeriesInARun) {
  const DeviceId second = add("sw-2");
  const store::Run run = started(at(0));
  ASSERT_TRUE(runs_.open_series(run, run.kind, {device_}, at(0)));
  EXPECT_FALSE(runs_.open_series(run, run.kind, {second, device_}, at(0)));
  EXPECT_FALSE(runs_.candidates(run, device_, 1).value().at(0).in_run);
}

TEST_F(RunsTest, ARunThatIsNotFinishedGoesOnWhereItStoppedAfterARestart) {
  const DeviceId second = add("sw-2"), third = add("sw-3");
  const store::Run done = started(at(-3600));
  ASSERT_TRUE(runs_.set_opened_to(done.id, std::nullopt));
  const store::Run run = started(at(0), RunKind::late);
  const auto step = db_.atomically([&]() -> Result<void> {
    if (auto opened = runs_.open_series(run, run.kind, {device_, second}, at(0)); !opened) return opened;
    return runs_.set_opened_to(run.id, second);
  });
  ASSERT_TRUE(step);
  close();
  reopen();
  const auto unfinished = runs_.unfinished().value();
  ASSERT_EQ(unfinished.size(), 1u);
  EXPECT_EQ(unfinished[0].id, run.id);
  EXPECT_EQ(unfinished[0].kind, RunKind::late);
  EXPECT_EQ(unfinished[0].opened_to, second);
  EXPECT_THAT(candidates(unfinished[0], *unfinished[0].opened_to), ElementsAre(third));
}

TEST_F(RunsTest, AListTalliesTheStatesOfEachRunsSeries) {
  std::vector<DeviceId> devices{device_};
  for (int i = 2; i <= 7; ++i) devices.push_back(add("sw-" + std::to_string(i)));
  const store::Run run = started(at(0));
  ASSERT_TRUE(runs_.open_series(run, run.kind, devices, at(0)));
  const auto begun = [&](std::size_t i, UtcTime when) { return begin(series_of(devices[i]), when); };
  const auto lost = failure(FailureClass::unreachable, Stage::connect, "connection refused by 192.0.2.10:22");
  // 0 stays pending, 1 runs.
  begun(1, at(1));
  for (const std::size_t i : {2u, 3u, 4u}) {  // 2 at once, 3 at the second try, 4 never
    Begun attempt = begun(i, at(1));
    if (i > 2) {
      AttemptEnd end = retry_of(attempt.series, attempt.attempt, attempt.machine, lost, at(2), at(302));
      if (i == 4) {
        end.after.state = State::failed;
        end.after.end = series::End::exhausted;
        end.after.due.reset();
        end.decision.decision = {.action = series::Action::end};
      }
      ASSERT_TRUE(book_.end_attempt(end));
      if (i == 4) continue;
      attempt = begun(i, at(302));
    }
    ASSERT_TRUE(book_.end_attempt(
        success_of(attempt.series, attempt.attempt, attempt.machine, backup_of("a\n"), at(303))));
  }
  for (const auto& [i, state] : {std::pair{5u, State::cancelled}, {6u, State::missed}}) {
    SeriesRow row = book_.find(series_of(devices[i])).value();
    row.machine.state = state;
    row.machine.due.reset();
    ASSERT_TRUE(book_.update(row.id, row.machine, at(5)));
  }
  runs_.add(globex_, at(60), RunKind::on_time, nightly, at(60)).value();

  const auto all = runs_.list(std::nullopt, 10).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].run.customer, globex_);
  EXPECT_EQ(all[0].series, 0u);
  EXPECT_EQ(all[0].open, 0u);
  const RunTally& tally = all[1];
  EXPECT_EQ(tally.run.id, run.id);
  EXPECT_EQ(tally.series, 7u);
  EXPECT_EQ(tally.open, 2u);
  EXPECT_EQ(tally.succeeded, 2u);
  EXPECT_EQ(tally.recovered, 1u);
  EXPECT_EQ(tally.failed, 1u);
  EXPECT_EQ(tally.cancelled, 1u);
  EXPECT_EQ(tally.missed, 1u);
  EXPECT_EQ(runs_.list(customer_, 10).value().size(), 1u);
  EXPECT_EQ(runs_.list(std::nullopt, 1).value().at(0).run.customer, globex_);
}

TEST_F(RunsTest, HowFarASchedulesTimesWereHandledIsKept) {
  ASSERT_TRUE(runs_.set_handled({customer_, nightly, at(0)}));
  ASSERT_TRUE(runs_.set_handled({customer_, hourly, at(5)}));
  ASSERT_TRUE(runs_.set_handled({customer_, nightly, at(60)}));
  ASSERT_TRUE(runs_.forget_handled(customer_, hourly));
  close();
  reopen();
  const auto handled = runs_.handled().value();
  ASSERT_EQ(handled.size(), 1u);
  EXPECT_EQ(handled[0].customer, customer_);
  EXPECT_EQ(handled[0].schedule, nightly);
  EXPECT_EQ(handled[0].until, at(60));
}

TEST_F(RunsTest, ACustomerThatWasRemovedMeanwhileIsClassSetup) {
  ASSERT_TRUE(inventory_.remove_customer(globex_));
  const auto added = runs_.add(globex_, at(0), RunKind::on_time, nightly, at(0));
  const auto handled = runs_.set_handled({globex_, nightly, at(0)});
  ASSERT_FALSE(added);
  ASSERT_FALSE(handled);
  for (const Failure& f : {added.error(), handled.error()}) {
    EXPECT_EQ(f.failure_class, FailureClass::setup);
    EXPECT_EQ(f.reason, "customer " + std::to_string(globex_.value) + " does not exist");
  }
}

TEST_F(RunsTest, RemovingACustomerTakesItsRunsAndWhatTheyOpened) {
  const store::Run run = started(at(0));
  ASSERT_TRUE(runs_.open_series(run, run.kind, {device_}, at(0)));
  ASSERT_TRUE(runs_.set_handled({customer_, nightly, at(0)}));
  ASSERT_TRUE(inventory_.remove_customer(customer_));
  EXPECT_TRUE(db_.check());
  EXPECT_THAT(runs_.list(std::nullopt, 10).value(), IsEmpty());
  EXPECT_THAT(runs_.handled().value(), IsEmpty());
  EXPECT_THAT(runs_.schedules(run.id).value(), IsEmpty());
  EXPECT_THAT(book_.list({}).value(), IsEmpty());
}

// What a device has lived through is its own, not its customer's of that time.
TEST_F(RunsTest, ADeviceThatMovesToAnotherCustomerTakesItsSeriesAlong) {
  const store::Run run = started(at(0));
  ASSERT_TRUE(runs_.open_series(run, run.kind, {device_}, at(0)));
  const SeriesId waiting = series_of(device_);
  Device device = inventory_.device(device_).value();
  device.customer = globex_;
  ASSERT_TRUE(inventory_.update_device(device));
  EXPECT_THAT(book_.customers_waiting("").value(), ElementsAre(globex_));
  ASSERT_TRUE(inventory_.remove_customer(customer_));
  const SeriesRow row = book_.find(waiting).value();
  EXPECT_EQ(row.customer, globex_);
  EXPECT_EQ(row.customer_name, "globex");
  EXPECT_FALSE(row.run);
  EXPECT_EQ(book_.waiting("", {globex_, false}, at(0), 10).value().size(), 1u);
}

}  // namespace
}  // namespace nightjar::store
