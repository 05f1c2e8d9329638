#include "store_fixture.hpp"

namespace nightjar::store {
namespace {

using admission::LimitFields;
using admission::LimitLayer;
using rules::Level;
using rules::RetryFields;
using schedule::ScheduleFields;
using schedule::ScheduleLayer;
using ::testing::HasSubstr;

class SettingsTest : public StoreTest {
 protected:
  SettingsTest() {
    globex_ = inventory_.add_customer({{}, "globex", ""}).value();
    initech_ = inventory_.add_customer({{}, "initech", ""}).value();
    own_ = add_device("sw-2");
    for (const CustomerId customer : {globex_, initech_})
      for (const char* name : {"fw-1", "fw-2"})
        others_.push_back(inventory_.add_device(device_named(customer, name)).value());
  }
  Scope of_customer(CustomerId id) const { return {Level::customer, id, {}}; }
  Scope of_device(DeviceId id) const { return {Level::device, {}, id}; }

  // Each layer comes back, and what is in force for each device is the same whether it is asked for or
  // resolved from all layers.
  template <template <template <class> class> class S>
  void expect_kept(const S<std::optional>& platform, const S<std::optional>& customer,
                   const S<std::optional>& device) {
    const std::pair<Scope, const S<std::optional>*> layers[] = {{{}, &platform},
                                                                {of_customer(customer_), &customer},
                                                                {of_customer(globex_), &platform},
                                                                {of_device(own_), &device},
                                                                {of_device(others_.front()), &customer}};
    for (const auto& [scope, layer] : layers) {
      ASSERT_TRUE(settings_.set_layer<S>(scope, *layer));
      EXPECT_EQ(settings_.layer<S>(scope).value(), *layer);
    }
    const AllLayers<S> all = settings_.all<S>().value();
    Selector everything;
    everything.all = true;
    const auto rows = inventory_.devices(everything).value();
    ASSERT_EQ(rows.size(), 6u);
    for (const DeviceSummary& row : rows) {
      const auto asked = settings_.in_force<S>(of_device(row.device.id)).value();
      EXPECT_EQ(all.in_force(row.device.customer, row.device.id), asked.rule) << full_name(row.device);
      EXPECT_EQ(asked.customer_name, row.device.customer_name);
      EXPECT_EQ(asked.device_name, row.device.name);
    }
    for (const CustomerId id : {customer_, globex_, initech_})
      EXPECT_EQ(all.in_force(id), settings_.in_force<S>(of_customer(id)).value().rule);
  }

  CustomerId globex_, initech_;
  DeviceId own_;
  std::vector<DeviceId> others_;
};

TEST_F(SettingsTest, RetryRulesAreKeptAndResolvedFieldByField) {
  rules::RetryLayer platform, customer, device;
  platform.attempts = 2;
  platform.give_up_after = rules::GiveUpAfter{};
  customer.attempts = 5;
  customer.spacing = rules::Spacing::linear;
  device.retry_on = FailureClasses::parse("timeout,busy");
  expect_kept<RetryFields>(platform, customer, device);
  const auto in_force = settings_.in_force<RetryFields>(of_device(own_)).value();
  EXPECT_EQ(in_force.rule.attempts, (rules::Resolved<int>{5, Level::customer}));
  EXPECT_EQ(in_force.origin_name(in_force.rule.attempts.origin), "acme");
}

TEST_F(SettingsTest, SchedulesAreKeptAndResolvedFieldByField) {
  ScheduleLayer platform, customer, device;
  platform.cron = schedule::Cron::parse("15 3 * * mon-fri").value();
  platform.catch_up = Seconds{0};
  customer.timezone = schedule::Zone::find("Asia/Tokyo").value();
  customer.catch_up = Seconds{3600};
  device.cron = schedule::Cron::parse("@hourly").value();
  device.enabled = false;
  expect_kept<ScheduleFields>(platform, customer, device);
  const auto in_force = settings_.in_force<ScheduleFields>(of_device(own_)).value();
  EXPECT_EQ(in_force.rule.cron.value.text(), "@hourly");
  EXPECT_EQ(in_force.origin_name(in_force.rule.cron.origin), "sw-2");
  EXPECT_EQ(in_force.rule.timezone.value.name(), "Asia/Tokyo");
  EXPECT_EQ(in_force.rule.timezone.origin, Level::customer);
  EXPECT_EQ(in_force.rule.enabled, (rules::Resolved<bool>{false, Level::device}));
  EXPECT_EQ(in_force.rule.catch_up, (rules::Resolved<Seconds>{Seconds{3600}, Level::customer}));
  const auto above = settings_.in_force<ScheduleFields>(of_customer(initech_)).value();
  EXPECT_EQ(above.rule.cron.origin, Level::platform);
  EXPECT_EQ(above.rule.timezone, (rules::Resolved<schedule::Zone>{{}, Level::built_in}));
}

TEST_F(SettingsTest, LimitsAreKeptAndResolvedFieldByField) {
  LimitLayer platform, customer, device;
  platform.sessions = 100;
  platform.breaker_cooldown = Seconds{30};
  customer.sessions = 5;
  customer.breaker_failures = 1;
  device.breaker_cooldown = Seconds{1};
  expect_kept<LimitFields>(platform, customer, device);
  const auto in_force = settings_.in_force<LimitFields>(of_customer(customer_)).value();
  EXPECT_EQ(in_force.rule.sessions, (rules::Resolved<int>{5, Level::customer}));
  EXPECT_EQ(in_force.rule.breaker_cooldown, (rules::Resolved<Seconds>{Seconds{30}, Level::platform}));
}

TEST_F(SettingsTest, TheSectionsOfALevelDoNotTouchOneAnother) {
  rules::RetryLayer retry;
  retry.attempts = 5;
  LimitLayer limits;
  limits.sessions = 7;
  const Scope scope = of_customer(customer_);
  ASSERT_TRUE(settings_.set_layer<RetryFields>(scope, retry));
  ASSERT_TRUE(settings_.set_layer<LimitFields>(scope, limits));
  ASSERT_TRUE(settings_.set_layer<RetryFields>(scope, {}));
  EXPECT_EQ(settings_.layer<RetryFields>(scope).value(), rules::RetryLayer{});
  EXPECT_EQ(settings_.layer<LimitFields>(scope).value(), limits);
  EXPECT_EQ(inventory_.customer("acme").value().timezone, "Europe/Paris");
}

TEST_F(SettingsTest, ACustomersTimeZoneIsAFieldOfItsSchedule) {
  EXPECT_EQ(settings_.layer<ScheduleFields>(of_customer(customer_)).value().timezone,
            schedule::Zone::find("Europe/Paris").value());
  ScheduleLayer layer;
  layer.cron = schedule::Cron::parse("0 4 * * *").value();
  layer.timezone = schedule::Zone::find("Asia/Tokyo").value();
  ASSERT_TRUE(settings_.set_layer<ScheduleFields>(of_customer(customer_), layer));
  EXPECT_EQ(inventory_.customer("acme").value().timezone, "Asia/Tokyo");
  ASSERT_TRUE(inventory_.update_customer({customer_, "acme", ""}));
  EXPECT_EQ(inventory_.customer("acme").value().timezone, "");
  layer.timezone.reset();
  EXPECT_EQ(settings_.layer<ScheduleFields>(of_customer(customer_)).value(), layer);
}

TEST_F(SettingsTest, ACustomerWithATimeZoneThatIsNoneIsNotAdded) {
  const auto refused = inventory_.add_customer({{}, "umbrella", "Europe/Pariss"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure_class, FailureClass::setup);
  EXPECT_THAT(refused.error().reason, HasSubstr("Europe/Pariss"));
  EXPECT_FALSE(inventory_.customer("umbrella"));
}

TEST_F(SettingsTest, ALimitOutOfBoundsIsRefusedAndTheLayerBeforeStays) {
  LimitLayer good, bad;
  good.sessions = 7;
  bad.breaker_failures = 0;
  ASSERT_TRUE(settings_.set_layer<LimitFields>({}, good));
  const auto refused = settings_.set_layer<LimitFields>({}, bad);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure_class, FailureClass::setup);
  EXPECT_THAT(refused.error().reason, HasSubstr("breaker_failures"));
  EXPECT_EQ(settings_.layer<LimitFields>({}).value(), good);
}

TEST_F(SettingsTest, AStoredValueThatNoProgramCanReadIsSaidToBeUnusable) {
  db_.connection().execute(
      "INSERT INTO setting (section, field, value) VALUES ('schedule', 'cron', 'every night')");
  const auto refused = settings_.in_force<ScheduleFields>(of_device(own_));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure_class, FailureClass::local);
  EXPECT_THAT(refused.error().reason, HasSubstr("schedule.cron"));
  EXPECT_FALSE(settings_.all<ScheduleFields>());
  EXPECT_TRUE(settings_.all<LimitFields>());
}

}  // namespace
}  // namespace nightjar::store
