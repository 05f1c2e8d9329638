#include "store_fixture.hpp"

#include <nightjar/store/destinations.hpp>
#include <nightjar/store/outbox.hpp>

namespace nightjar::store {
namespace {

using alerting::Event;
using alerting::Events;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class OutboxTest : public StoreTest {
 protected:
  OutboxTest() : mail_(add_destination()) {}

  DestinationId add_destination() {
    Destination destination;
    destination.customer = customer_;
    destination.address = "noc@example.net";
    destination.events = Events::all();
    destination.created_at = at(0);
    return destinations_.add(destination).value();
  }
  SeriesId series_of(DeviceId device) {
    return book_.open({device}, series::Trigger::manual, at(0), "", far_lease).value().front().series;
  }
  Notification about(DeviceId device, SeriesId series, int attempts = 3) {
    return {.destination = mail_,
            .device = device,
            .series = series,
            .attempts = attempts,
            .day = {},
            .cause = {}};
  }
  MessageId gather(Event event, const Notification& told, UtcTime now) {
    const auto into = outbox_.gather(event, customer_, told, now).value();
    EXPECT_TRUE(outbox_.set_closes_at(into.message, into.opened_at + Seconds{120}));
    return into.message;
  }
  MessageId waiting(Event event, UtcTime now) {
    const auto id = gather(event, about(device_, series_), now);
    EXPECT_TRUE(
        outbox_.fix(id, {.subject = "s", .text = "t", .html = {}, .body = "{}", .in_reply_to = {}}, now));
    return id;
  }

  SeriesBook book_{db_};
  Destinations destinations_{db_};
  Outbox outbox_{db_};
  DestinationId mail_;
  SeriesId series_ = series_of(device_);
};

TEST_F(OutboxTest, FailuresOfOneCustomerAreGatheredInOneMessage) {
  const DeviceId other = inventory_.add_device(device_named(customer_, "other")).value();
  const auto first = gather(Event::series_failed, about(device_, series_), at(0));
  EXPECT_EQ(gather(Event::series_failed, about(other, series_of(other)), at(60)), first);
  EXPECT_NE(gather(Event::series_recovered, about(device_, series_), at(60)), first);
  EXPECT_THAT(outbox_.notifications(first).value(), SizeIs(2));
  EXPECT_THAT(outbox_.complete(at(119), 10).value(), IsEmpty());
  EXPECT_EQ(outbox_.complete(at(120), 10)->front().id, first);
}

TEST_F(OutboxTest, TheSameEndOfASeriesIsToldOnce) {
  const auto id = gather(Event::series_failed, about(device_, series_), at(0));
  gather(Event::series_failed, about(device_, series_), at(1));
  EXPECT_THAT(outbox_.notifications(id).value(), SizeIs(1));
  gather(Event::series_failed, about(device_, series_, 6), at(2));
  EXPECT_THAT(outbox_.notifications(id).value(), SizeIs(2)) << "a rerun that failed too";
}

TEST_F(OutboxTest, AFailureStandsUntilTheDeviceRecovers) {
  gather(Event::series_failed, about(device_, series_), at(0));
  ASSERT_THAT(outbox_.standing(device_).value(), SizeIs(1));
  EXPECT_EQ(outbox_.standing(device_)->front().destination, mail_);
  ASSERT_TRUE(outbox_.settle(device_));
  EXPECT_THAT(outbox_.standing(device_).value(), IsEmpty());
}

TEST_F(OutboxTest, WhatIsNotSentYetIsTakenBackWhenTheSeriesGoesOn) {
  const auto id = gather(Event::series_failed, about(device_, series_), at(0));
  ASSERT_TRUE(outbox_.take_back(series_));
  EXPECT_THAT(outbox_.notifications(id).value(), IsEmpty());
  EXPECT_THAT(outbox_.standing(device_).value(), IsEmpty());
}

TEST_F(OutboxTest, WhatIsSentIsNotTakenBack) {
  const auto id = waiting(Event::series_failed, at(0));
  ASSERT_TRUE(outbox_.take_back(series_));
  EXPECT_THAT(outbox_.notifications(id).value(), SizeIs(1));
}

TEST_F(OutboxTest, AMessageIsTriedByOneProcessAtATime) {
  const auto id = waiting(Event::series_failed, at(0));
  EXPECT_TRUE(outbox_.begin_try(id, "one", at(0), at(90)).value());
  EXPECT_FALSE(outbox_.begin_try(id, "two", at(1), at(91)).value());
  EXPECT_THAT(outbox_.takers().value(), ElementsAre("one"));
}

TEST_F(OutboxTest, WhatADeadProcessTriedIsDueAgainUnderTheSameId) {
  const auto id = waiting(Event::series_failed, at(0));
  const auto before = outbox_.find(id)->event_id;
  ASSERT_TRUE(outbox_.begin_try(id, "one", at(0), at(90)).value());
  ASSERT_TRUE(outbox_.release("one", at(5)));
  const auto due = outbox_.due(at(5), 10).value();
  ASSERT_THAT(due, SizeIs(1));
  EXPECT_EQ(due.front().event_id, before);
  EXPECT_EQ(due.front().tries, 1) << "it counts: a message that kills the process is not tried for ever";
}

TEST_F(OutboxTest, ARecoveryWaitsForTheFailureBeforeIt) {
  const auto failed = waiting(Event::series_failed, at(0));
  const auto recovered = waiting(Event::series_recovered, at(1));
  ASSERT_EQ(outbox_.due(at(2), 10)->size(), 1u);
  EXPECT_EQ(outbox_.due(at(2), 10)->front().id, failed);
  ASSERT_TRUE(outbox_.delivered(failed, 250, "ok", at(3)));
  EXPECT_EQ(outbox_.due(at(4), 10)->front().id, recovered);
  EXPECT_EQ(outbox_.told_before(recovered).value(), outbox_.find(failed)->event_id);
}

TEST_F(OutboxTest, ARecoveryInAnOlderMessageWaitsForTheNewerOneThatTellsOfItsFailure) {
  const DeviceId other = inventory_.add_device(device_named(customer_, "other")).value();
  const auto recovered = gather(Event::series_recovered, about(other, series_of(other)), at(0));
  const auto failed = waiting(Event::series_failed, at(10));
  ASSERT_EQ(gather(Event::series_recovered, about(device_, series_, 4), at(20)), recovered);
  const Content content{.subject = "s", .text = "t", .html = {}, .body = "{}", .in_reply_to = {}};
  ASSERT_TRUE(outbox_.fix(recovered, content, at(30)));
  ASSERT_TRUE(outbox_.put_off(failed, 503, "busy", at(60)));
  EXPECT_THAT(outbox_.due(at(40), 10).value(), IsEmpty());
  EXPECT_EQ(outbox_.told_before(recovered).value(), outbox_.find(failed)->event_id);
  ASSERT_TRUE(outbox_.delivered(failed, 204, "ok", at(61)));
  EXPECT_EQ(outbox_.due(at(62), 10)->front().id, recovered);
}

TEST_F(OutboxTest, ALongQueueForOneDestinationHidesNobodyElsesMessage) {
  const DestinationId other = add_destination();
  const Content content{.subject = "s", .text = "t", .html = {}, .body = "{}", .in_reply_to = {}};
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(
        outbox_.add(Event::report_daily, mail_, customer_, std::to_string(i), content, at(i)).value());
  ASSERT_TRUE(outbox_.add(Event::report_daily, other, customer_, "one", content, at(400)).value());
  const auto due = outbox_.due(at(500), 200).value();
  ASSERT_THAT(due, SizeIs(2));
  EXPECT_EQ(due[0].destination, mail_);
  EXPECT_EQ(due[1].destination, other);
}

TEST_F(OutboxTest, ADeadMessageIsReplayedAndNoOther) {
  const auto id = waiting(Event::series_failed, at(0));
  EXPECT_FALSE(outbox_.replay(id, at(1)));
  ASSERT_TRUE(outbox_.dead(id, 404, "not found", at(1)));
  EXPECT_THAT(outbox_.due(at(2), 10).value(), IsEmpty());
  ASSERT_TRUE(outbox_.replay(id, at(3)));
  EXPECT_THAT(outbox_.due(at(3), 10).value(), SizeIs(1));
}

TEST_F(OutboxTest, ADestinationThatIsGoneGetsNothingMore) {
  const auto id = waiting(Event::series_failed, at(0));
  ASSERT_TRUE(destinations_.disable(mail_, "answers 410", at(1)));
  EXPECT_EQ(outbox_.find(id)->state, MessageState::dead);
  EXPECT_THAT(destinations_.hearing_of(customer_).value(), IsEmpty());
}

TEST_F(OutboxTest, OneOccasionIsOneMessage) {
  const Content content{.subject = "report", .text = "t", .html = {}, .body = "{}", .in_reply_to = {}};
  EXPECT_TRUE(outbox_.add(Event::report_daily, mail_, customer_, "2026-11-30", content, at(0)).value());
  EXPECT_FALSE(outbox_.add(Event::report_daily, mail_, customer_, "2026-11-30", content, at(1)).value());
}

TEST_F(OutboxTest, NoStatementWalksThroughAllMessagesOrNotifications) {
  const auto id = waiting(Event::series_failed, at(0));
  ASSERT_TRUE(outbox_.standing(device_));
  ASSERT_TRUE(outbox_.settle(device_));
  ASSERT_TRUE(outbox_.take_back(series_));
  ASSERT_TRUE(outbox_.name_cause(customer_, CredentialId{1}, "cause"));
  ASSERT_TRUE(outbox_.complete(at(0), 1));
  ASSERT_TRUE(outbox_.due(at(0), 1));
  ASSERT_TRUE(outbox_.next_at());
  ASSERT_TRUE(outbox_.takers());
  ASSERT_TRUE(outbox_.release("one", at(0)));
  ASSERT_TRUE(outbox_.content(id));
  ASSERT_TRUE(outbox_.told_before(id));
  ASSERT_TRUE(outbox_.list({.customer = customer_}));
  ASSERT_TRUE(destinations_.disable(mail_, "gone", at(0)));
  std::vector<std::string> statements;
  for (sqlite3_stmt* s = nullptr; (s = sqlite3_next_stmt(db_.connection().handle(), s)) != nullptr;)
    statements.emplace_back(sqlite3_sql(s));
  for (const std::string& sql : statements) {
    if (sql.find("message") == std::string::npos && sql.find("notification") == std::string::npos) continue;
    Statement row(db_.connection(), "EXPLAIN QUERY PLAN " + sql);
    while (row.step()) {
      Columns columns(row);
      for (int i = 0; i < 3; ++i) columns.next<int>();
      const auto line = columns.next<std::string>();
      const bool partial = line.find("INDEX message_") != std::string::npos;  // of those that wait alone
      EXPECT_TRUE(!line.starts_with("SCAN") || partial || line.starts_with("SCAN CONSTANT") ||
                  line.starts_with("SCAN (subquery"))
          << sql << "\n  " << line;
    }
  }
}

}  // namespace
}  // namespace nightjar::store
