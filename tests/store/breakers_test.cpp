#include "store_fixture.hpp"

namespace nightjar::store {
namespace {

using admission::CredentialBreaker;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class BreakersTest : public StoreTest {
 protected:
  BreakersTest() {
    Credential credential;
    credential.customer = customer_;
    credential.name = "ssh";
    credential_ = inventory_.add_credential(credential).value();
    others_ = {add_device("sw-2"), add_device("sw-3")};
  }
  CredentialBreaker tripped() const {
    CredentialBreaker breaker{.edition = 4};
    for (const DeviceId device : {others_[1], device_, others_[0]})
      breaker = admission::observe(breaker, {device, admission::Login::rejected, 4, at(device.value)}, at(9));
    return admission::count_refusal(breaker);
  }
  static CustomerBreakerRow open_since(UtcTime when) {
    CustomerBreakerRow row;
    row.breaker = {
        .unreachable = 23, .opened_at = when, .probe_at = when + Seconds{60}, .probe = SeriesId{5}};
    row.was_open = at(-500);
    row.closed_at = at(-400);
    return row;
  }

  CredentialId credential_;
  std::vector<DeviceId> others_;
};

TEST_F(BreakersTest, WhatHasNoRowIsClosedAndCountedNothing) {
  EXPECT_EQ(breakers_.of(customer_).value(), CustomerBreakerRow{});
  EXPECT_EQ(breakers_.of(credential_).value(), CredentialBreaker{});
  EXPECT_THAT(breakers_.open_breakers().value(), IsEmpty());
  EXPECT_THAT(breakers_.tripped().value(), IsEmpty());
  EXPECT_FALSE(breakers_.daemon().value());
}

TEST_F(BreakersTest, ACustomersBreakerOutlivesARestart) {
  const CustomerBreakerRow row = open_since(at(0));
  ASSERT_TRUE(breakers_.put(customer_, CustomerBreakerRow{}));
  ASSERT_TRUE(breakers_.put(customer_, row));
  close();
  reopen();
  EXPECT_EQ(breakers_.of(customer_).value(), row);
  const auto open = breakers_.open_breakers().value();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].customer, customer_);
  EXPECT_EQ(open[0].customer_name, "acme");
  EXPECT_EQ(open[0].breaker, row.breaker);
}

TEST_F(BreakersTest, AClosedBreakerKeepsItsCountAndIsNotListed) {
  CustomerBreakerRow row;
  row.breaker.unreachable = 19;
  ASSERT_TRUE(breakers_.put(customer_, row));
  EXPECT_EQ(breakers_.of(customer_).value(), row);
  EXPECT_THAT(breakers_.open_breakers().value(), IsEmpty());
  EXPECT_FALSE(breakers_.reset(customer_).value());
  EXPECT_EQ(breakers_.of(customer_).value(), row);
}

TEST_F(BreakersTest, ResettingACustomersOpenBreakerClosesIt) {
  ASSERT_TRUE(breakers_.put(customer_, open_since(at(0))));
  EXPECT_TRUE(breakers_.reset(customer_).value());
  EXPECT_FALSE(admission::is_open(breakers_.of(customer_).value().breaker));
  EXPECT_FALSE(breakers_.reset(customer_).value());
}

TEST_F(BreakersTest, ACredentialsBreakerOutlivesARestartWithItsRejectionsOldestFirst) {
  CredentialBreaker breaker{.edition = 4};
  breaker.in_a_row = {{others_[1], at(1)}, {device_, at(2)}, {others_[0], at(3)}};
  breaker.tripped_at = at(3);
  breaker.refused = 12;
  ASSERT_TRUE(breakers_.put(credential_, tripped()));
  ASSERT_TRUE(breakers_.put(credential_, breaker));
  close();
  reopen();
  EXPECT_EQ(breakers_.of(credential_).value(), breaker);
  const auto listed = breakers_.tripped().value();
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].credential, credential_);
  EXPECT_EQ(listed[0].name, "acme/ssh");
  EXPECT_EQ(listed[0].breaker, breaker);
}

TEST_F(BreakersTest, ResettingACredentialsBreakerForgetsItsRejectionsAndBeginsAnEdition) {
  ASSERT_TRUE(breakers_.put(credential_, tripped()));
  EXPECT_TRUE(breakers_.reset(credential_).value());
  EXPECT_EQ(breakers_.of(credential_).value(), (CredentialBreaker{.edition = 5}));
  EXPECT_FALSE(breakers_.reset(credential_).value());
  EXPECT_FALSE(breakers_.reset(CredentialId{99}).value());
}

TEST_F(BreakersTest, EditingACredentialResetsItsBreaker) {
  ASSERT_TRUE(breakers_.put(credential_, tripped()));
  Credential credential = inventory_.credential(credential_).value();
  credential.sealed_password = "sealed";
  ASSERT_TRUE(inventory_.update_credential(credential));
  EXPECT_EQ(breakers_.of(credential_).value(), (CredentialBreaker{.edition = 5}));
  EXPECT_THAT(breakers_.tripped().value(), IsEmpty());
}

// Attempts that read the old secret are under way, and their rejections are not the new one's.
TEST_F(BreakersTest, EditingACredentialBeginsAnEditionAlsoWhenNothingWasCounted) {
  const auto before = breakers_.of(credential_).value().edition;
  ASSERT_TRUE(inventory_.update_credential(inventory_.credential(credential_).value()));
  EXPECT_EQ(breakers_.of(credential_).value().edition, before + 1);
}

TEST_F(BreakersTest, AnEditThatIsRefusedLeavesTheBreakerTripped) {
  ASSERT_TRUE(breakers_.put(credential_, tripped()));
  Credential credential = inventory_.credential(credential_).value();
  credential.name = "";
  ASSERT_FALSE(inventory_.update_credential(credential));
  EXPECT_TRUE(admission::is_tripped(breakers_.of(credential_).value()));
}

TEST_F(BreakersTest, ADeviceThatIsRemovedTakesItsRejectionAlong) {
  CredentialBreaker breaker;
  breaker.in_a_row = {{device_, at(1)}, {others_[0], at(2)}};
  ASSERT_TRUE(breakers_.put(credential_, breaker));
  ASSERT_TRUE(inventory_.remove_device(device_));
  EXPECT_THAT(breakers_.of(credential_).value().in_a_row,
              ElementsAre(admission::Rejection{others_[0], at(2)}));
}

TEST_F(BreakersTest, WhatWasRemovedMeanwhileGetsNoRow) {
  CredentialBreaker breaker;
  breaker.in_a_row = {{device_, at(1)}, {others_[0], at(2)}};
  ASSERT_TRUE(inventory_.remove_device(device_));
  ASSERT_TRUE(breakers_.put(credential_, breaker));
  EXPECT_THAT(breakers_.of(credential_).value().in_a_row,
              ElementsAre(admission::Rejection{others_[0], at(2)}));
  ASSERT_TRUE(inventory_.remove_credential(credential_));
  ASSERT_TRUE(breakers_.put(credential_, breaker));
  EXPECT_EQ(breakers_.of(credential_).value(), CredentialBreaker{});
  ASSERT_TRUE(inventory_.remove_customer(customer_));
  ASSERT_TRUE(breakers_.put(customer_, open_since(at(0))));
  EXPECT_EQ(breakers_.of(customer_).value(), CustomerBreakerRow{});
}

TEST_F(BreakersTest, RemovingACustomerTakesItsBreakerAndThoseOfItsCredentials) {
  ASSERT_TRUE(breakers_.put(customer_, open_since(at(0))));
  ASSERT_TRUE(breakers_.put(credential_, tripped()));
  ASSERT_TRUE(inventory_.remove_customer(customer_));
  EXPECT_TRUE(db_.check());
  for (const char* table : {"customer_breaker", "credential_breaker", "credential_rejection"}) {
    Statement row(db_.connection(), std::string{"SELECT count(*) FROM "} + table);
    ASSERT_TRUE(row.step());
    EXPECT_EQ(Columns(row).next<int>(), 0) << table;
  }
}

TEST_F(BreakersTest, TheDaemonsSignOfLifeIsOneRowTheNewestOne) {
  ASSERT_TRUE(breakers_.put({"one", 4711, at(0), at(5), "", 0}));
  ASSERT_TRUE(breakers_.put({"two", 4712, at(10), at(15), "127.0.0.1:8080", 33}));
  const auto daemon = breakers_.daemon().value();
  ASSERT_TRUE(daemon);
  EXPECT_EQ(daemon->owner, "two");
  EXPECT_EQ(daemon->pid, 4712);
  EXPECT_EQ(daemon->started_at, at(10));
  EXPECT_EQ(daemon->seen_at, at(15));
  EXPECT_EQ(daemon->address, "127.0.0.1:8080");
  EXPECT_EQ(daemon->retries_put_off, 33u);
}

}  // namespace
}  // namespace nightjar::store
