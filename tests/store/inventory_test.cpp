#include "store_fixture.hpp"

namespace nightjar::store {
namespace {

using rules::Level;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using InventoryTest = StoreTest;

Credential credential_named(std::optional<CustomerId> customer, std::string name) {
  Credential credential;
  credential.customer = customer;
  credential.name = std::move(name);
  credential.username = "backup";
  return credential;
}

template <class T>
std::string refusal(const Result<T>& result) {
  if (result) return "was accepted";
  EXPECT_EQ(result.error().failure_class, FailureClass::setup) << result.error().reason;
  return result.error().reason;
}

TEST_F(InventoryTest, ATakenCustomerNameIsRefusedNamingIt) {
  EXPECT_EQ(refusal(inventory_.add_customer({{}, "acme", "UTC"})), "customer \"acme\" exists already");
  const CustomerId other = inventory_.add_customer({{}, "globex", "UTC"}).value();
  EXPECT_EQ(refusal(inventory_.update_customer({other, "acme", "UTC"})), "customer \"acme\" exists already");
}

TEST_F(InventoryTest, AnUnknownCustomerIsRefusedWithTheNearestName) {
  EXPECT_EQ(refusal(inventory_.customer("acmee")), "unknown customer \"acmee\": did you mean \"acme\"?");
  EXPECT_EQ(refusal(inventory_.customer("umbrella")), "unknown customer \"umbrella\"");
}

TEST_F(InventoryTest, NamesThatAreNoneAreRefusedSayingWhy) {
  const std::pair<std::string, const char*> bad[] = {
      {"", "is empty"},
      {std::string(101, 'x'), "101 bytes"},
      {"a/b", "holds a '/'"},
      {"tab\there", "control character"},
      {"del\x7f", "control character"},
      {"c1\xc2\x85", "control character"},
      {std::string{"nul\0byte", 8}, "control character"},
      {"latin-1 \xe9t\xe9", "not UTF-8"},
      {"overlong \xc0\xaf", "not UTF-8"},
      {"surrogate \xed\xa0\x80", "not UTF-8"},
      {"cut \xe2\x82", "not UTF-8"},
  };
  for (const auto& [name, why] : bad) {
    EXPECT_THAT(refusal(inventory_.add_customer({{}, name, "UTC"})), HasSubstr(why));
    EXPECT_THAT(refusal(inventory_.add_device(device_named(customer_, name))), HasSubstr(why));
    EXPECT_THAT(refusal(inventory_.add_credential(credential_named({}, name))), HasSubstr(why));
  }
}

TEST_F(InventoryTest, ANameOfAHundredBytesInAnyScriptIsFine) {
  EXPECT_TRUE(inventory_.add_customer({{}, std::string(100, 'x'), "UTC"}));
  EXPECT_TRUE(inventory_.add_customer({{}, "Zürich-東京 \xf0\x9f\x8c\x99", "UTC"}));
  EXPECT_TRUE(inventory_.customer("Zürich-東京 \xf0\x9f\x8c\x99"));
}

TEST_F(InventoryTest, AddressesAndPortsThatAreNoneAreRefused) {
  Device device = device_named(customer_, "sw-2");
  for (const std::string address : {"", "192.0.2.1 ", "192.0.2.1\n", "a b"}) {
    device.address = address;
    EXPECT_THAT(refusal(inventory_.add_device(device)), HasSubstr("address"));
  }
  device.address = "2001:db8::1";
  device.port = 0;
  EXPECT_THAT(refusal(inventory_.add_device(device)), HasSubstr("port 0"));
}

TEST_F(InventoryTest, TwoCustomersMayHaveDevicesOfOneNameAndAddress) {
  const CustomerId other = inventory_.add_customer({{}, "globex", "UTC"}).value();
  EXPECT_TRUE(inventory_.add_device(device_named(other, "sw-1")));
  EXPECT_EQ(refusal(inventory_.add_device(device_named(customer_, "sw-1"))),
            "device \"acme/sw-1\" exists already");
}

TEST_F(InventoryTest, ADeviceComesBackAsItWasWritten) {
  Device device = device_named(customer_, "core-1");
  device.port = 65535;
  device.credential = inventory_.add_credential(credential_named(customer_, "ssh")).value();
  device.enabled = false;
  device.tags = {"site-b", "core", "core"};
  const DeviceId id = inventory_.add_device(device).value();
  const Device stored = inventory_.device("acme", "core-1").value();
  EXPECT_EQ(stored.id, id);
  EXPECT_EQ(full_name(stored), "acme/core-1");
  EXPECT_EQ(stored.port, 65535);
  EXPECT_EQ(stored.credential, device.credential);
  EXPECT_EQ(stored.credential_name, "acme/ssh");
  EXPECT_FALSE(stored.enabled);
  EXPECT_THAT(stored.tags, ElementsAre("core", "site-b"));
}

TEST_F(InventoryTest, UpdatingADeviceReplacesItsTags) {
  Device device = inventory_.device(device_).value();
  device.tags = {"old"};
  ASSERT_TRUE(inventory_.update_device(device));
  device.tags = {"new"};
  device.address = "198.51.100.7";
  ASSERT_TRUE(inventory_.update_device(device));
  EXPECT_THAT(inventory_.device(device_).value().tags, ElementsAre("new"));
  EXPECT_EQ(inventory_.device(device_).value().address, "198.51.100.7");
}

TEST_F(InventoryTest, AListOfDevicesWithOneBadRowAddsNoneAndNamesTheRow) {
  std::vector<Device> rows{device_named(customer_, "sw-2"), device_named(customer_, "sw-3"),
                           device_named(customer_, "sw-2")};
  EXPECT_EQ(refusal(inventory_.add_devices(rows)), "row 2: device \"acme/sw-2\" exists already");
  EXPECT_FALSE(inventory_.device("acme", "sw-2"));
  rows.pop_back();
  EXPECT_EQ(inventory_.add_devices(rows).value(), 2u);
}

TEST_F(InventoryTest, RemovingACustomerTakesEverythingThatHangsOnIt) {
  Device device = inventory_.device(device_).value();
  device.credential = inventory_.add_credential(credential_named(customer_, "ssh")).value();
  device.tags = {"core"};
  ASSERT_TRUE(inventory_.update_device(device));
  ASSERT_TRUE(inventory_.pin_host_key({device_, "ssh-ed25519", "SHA256:abc", at(0), false}));
  back_up(device_, backup_of("a\n"), at(0));
  open_series(device_, at(100));
  rules::RetryLayer layer;
  layer.attempts = 5;
  ASSERT_TRUE(inventory_.set_retry_layer({Level::customer, customer_, {}}, layer));
  ASSERT_TRUE(inventory_.set_retry_layer({Level::device, {}, device_}, layer));

  ASSERT_TRUE(inventory_.remove_customer(customer_));
  EXPECT_TRUE(db_.check());
  for (const char* table : {"customer", "credential", "device", "device_tag", "setting", "host_key", "series",
                            "attempt", "revision", "revision_text", "backup", "evidence"}) {
    Statement row(db_.connection(), std::string{"SELECT count(*) FROM "} + table);
    ASSERT_TRUE(row.step());
    EXPECT_EQ(Columns(row).next<int>(), 0) << table;
  }
}

TEST_F(InventoryTest, TheIdOfARemovedRowIsNeverGivenAgain) {
  ASSERT_TRUE(inventory_.remove_customer(customer_));
  EXPECT_NE(inventory_.add_customer({{}, "acme", "UTC"}).value(), customer_);
}

TEST_F(InventoryTest, CredentialsOfThePlatformAndOfCustomersMayShareAName) {
  const CredentialId own = inventory_.add_credential(credential_named(customer_, "ssh")).value();
  const CredentialId shared = inventory_.add_credential(credential_named({}, "ssh")).value();
  EXPECT_EQ(inventory_.credential("acme/ssh").value().id, own);
  EXPECT_EQ(inventory_.credential("ssh").value().id, shared);
  EXPECT_EQ(refusal(inventory_.add_credential(credential_named({}, "ssh"))),
            "credential \"ssh\" exists already");
  EXPECT_EQ(refusal(inventory_.add_credential(credential_named(customer_, "ssh"))),
            "credential \"acme/ssh\" exists already");
  EXPECT_EQ(refusal(inventory_.credential("acme/telnet")), "unknown credential \"acme/telnet\"");
  EXPECT_EQ(inventory_.credentials().value().size(), 2u);
}

TEST_F(InventoryTest, SealedBytesComeBackAsTheyWere) {
  Credential credential = credential_named({}, "ssh");
  credential.id = inventory_.add_credential(credential).value();
  credential.sealed_password = std::string{"\x01\0sealed\xff", 9};
  ASSERT_TRUE(inventory_.update_credential(credential));
  const Credential stored = inventory_.credential(credential.id).value();
  EXPECT_EQ(stored.sealed_password, credential.sealed_password);
  EXPECT_EQ(stored.sealed_enable, "");
  EXPECT_EQ(credential_record(CredentialId{7}, "password"), "credential/7/password");
}

TEST_F(InventoryTest, ACredentialInUseIsNotRemoved) {
  const CredentialId id = inventory_.add_credential(credential_named(customer_, "ssh")).value();
  Device device = inventory_.device(device_).value();
  device.credential = id;
  ASSERT_TRUE(inventory_.update_device(device));
  EXPECT_EQ(refusal(inventory_.remove_credential(id)), "credential \"acme/ssh\" is used by 1 device");
  device.credential.reset();
  ASSERT_TRUE(inventory_.update_device(device));
  EXPECT_TRUE(inventory_.remove_credential(id));
}

TEST_F(InventoryTest, ADeviceCannotUseAnotherCustomersCredential) {
  const CustomerId other = inventory_.add_customer({{}, "globex", "UTC"}).value();
  Device device = device_named(customer_, "sw-2");
  device.credential = inventory_.add_credential(credential_named(other, "ssh")).value();
  EXPECT_THAT(refusal(inventory_.add_device(device)), HasSubstr("of another customer"));
  device.credential = CredentialId{99};
  EXPECT_EQ(refusal(inventory_.add_device(device)), "credential 99 does not exist");
}

class SelectorTest : public StoreTest {
 protected:
  SelectorTest() {
    globex_ = inventory_.add_customer({{}, "globex", "UTC"}).value();
    add(customer_, "sw-2", {"core"}, true);
    add(customer_, "sw-3", {"core", "lab"}, false);
    add(globex_, "fw-1", {"core"}, true);
    add(globex_, "fw-2", {"edge"}, true);
  }
  void add(CustomerId customer, const std::string& name, std::vector<std::string> tags, bool enabled) {
    Device device = device_named(customer, name);
    device.tags = std::move(tags);
    device.enabled = enabled;
    ASSERT_TRUE(inventory_.add_device(device));
  }
  std::vector<std::string> listed(const Selector& selector, std::size_t limit = 0, std::size_t offset = 0) {
    std::vector<std::string> names;
    for (const DeviceSummary& row : inventory_.devices(selector, limit, offset).value())
      names.push_back(full_name(row.device));
    // What is listed is what is selected.
    if (limit == 0) {
      EXPECT_EQ(inventory_.select(selector, false).value().size(), names.size());
    }
    return names;
  }
  CustomerId globex_;
};

TEST_F(SelectorTest, AllDevicesComeByCustomerAndNameInPages) {
  Selector all;
  all.all = true;
  EXPECT_THAT(listed(all), ElementsAre("acme/sw-1", "acme/sw-2", "acme/sw-3", "globex/fw-1", "globex/fw-2"));
  EXPECT_THAT(listed(all, 2, 1), ElementsAre("acme/sw-2", "acme/sw-3"));
  EXPECT_THAT(listed(all, 2, 4), ElementsAre("globex/fw-2"));
  EXPECT_THAT(listed(all, 2, 5), IsEmpty());
  EXPECT_THAT(listed({}), IsEmpty());
}

TEST_F(SelectorTest, KindsAreCombinedByAndAndOneKindByOr) {
  Selector tags;
  tags.tags = {"edge", "lab", "core"};
  EXPECT_THAT(listed(tags), ElementsAre("acme/sw-2", "acme/sw-3", "globex/fw-1", "globex/fw-2"));
  Selector both = tags;
  both.customers = {"globex"};
  EXPECT_THAT(listed(both), ElementsAre("globex/fw-1", "globex/fw-2"));
  Selector devices;
  devices.devices = {{"globex", "fw-2"}, {"acme", "sw-1"}, {"acme", "sw-1"}};
  EXPECT_THAT(listed(devices), ElementsAre("acme/sw-1", "globex/fw-2"));
  devices.tags = {"edge"};
  EXPECT_THAT(listed(devices), ElementsAre("globex/fw-2"));
  devices.customers = {"acme"};
  EXPECT_THAT(listed(devices), IsEmpty());
}

TEST_F(SelectorTest, OnlyEnabledDevicesAreSelectedWhenAsked) {
  Selector customer;
  customer.customers = {"acme"};
  EXPECT_EQ(inventory_.select(customer, true).value().size(), 2u);
  EXPECT_EQ(inventory_.select(customer, false).value().size(), 3u);
}

TEST_F(SelectorTest, UnknownNamesAreRefusedNamingThem) {
  Selector selector;
  selector.customers = {"globax"};
  EXPECT_EQ(refusal(inventory_.devices(selector)), "unknown customer \"globax\": did you mean \"globex\"?");
  selector = {};
  selector.devices = {{"acme", "sw-9"}};
  EXPECT_EQ(refusal(inventory_.select(selector, true)), "unknown device \"acme/sw-9\"");
  selector = {};
  selector.tags = {"cores"};
  EXPECT_EQ(refusal(inventory_.select(selector, true)), "no device has the tag \"cores\"");
}

TEST_F(SelectorTest, TheSummaryTellsTheLastBackupAndTheNewestSeries) {
  back_up(device_, backup_of("a\n"), at(0));
  back_up(device_, backup_of("a\n"), at(100));
  open_series(device_, at(200));
  Selector all;
  all.all = true;
  const auto rows = inventory_.devices(all, 2).value();
  EXPECT_EQ(rows[0].last_backup_at, at(100));
  EXPECT_EQ(rows[0].last_series_state, series::State::pending);
  EXPECT_FALSE(rows[1].last_backup_at);
  EXPECT_FALSE(rows[1].last_series_state);
}

class RuleTest : public StoreTest {
 protected:
  Scope platform() const { return {}; }
  Scope customer() const { return {Level::customer, customer_, {}}; }
  Scope device() const { return {Level::device, customer_, device_}; }
};

TEST_F(RuleTest, ALayerComesBackWithEveryFieldItSets) {
  rules::RetryLayer layer;
  layer.attempts = 5;
  layer.delay = Seconds{60};
  layer.backoff = 2.5;
  layer.spacing = rules::Spacing::linear;
  layer.max_delay = Seconds{900};
  layer.jitter = rules::Jitter::equal;
  layer.attempt_timeout = Seconds{120};
  layer.give_up_after = rules::GiveUpAfter{Seconds{7200}};
  layer.retry_on = FailureClasses::parse("timeout,busy");
  for (const Scope& scope : {platform(), customer(), device()}) {
    ASSERT_TRUE(inventory_.set_retry_layer(scope, layer));
    EXPECT_EQ(inventory_.retry_layer(scope).value(), layer);
  }
}

TEST_F(RuleTest, NoLimitAndNoClassAreValuesAndNotEmpty) {
  rules::RetryLayer layer;
  layer.give_up_after = rules::GiveUpAfter{};
  layer.retry_on = FailureClasses{};
  ASSERT_TRUE(inventory_.set_retry_layer(customer(), layer));
  EXPECT_EQ(inventory_.retry_layer(customer()).value(), layer);
}

TEST_F(RuleTest, SettingALayerReplacesTheOneBefore) {
  rules::RetryLayer first, second;
  first.attempts = 5;
  second.backoff = 1.0;
  ASSERT_TRUE(inventory_.set_retry_layer(customer(), first));
  ASSERT_TRUE(inventory_.set_retry_layer(customer(), second));
  EXPECT_EQ(inventory_.retry_layer(customer()).value(), second);
}

TEST_F(RuleTest, AValueOutOfBoundsIsRefusedAndTheLayerBeforeStays) {
  rules::RetryLayer good, bad;
  good.attempts = 5;
  bad.delay = Seconds{10};
  bad.attempts = 21;
  ASSERT_TRUE(inventory_.set_retry_layer(customer(), good));
  EXPECT_THAT(refusal(inventory_.set_retry_layer(customer(), bad)), HasSubstr("attempts"));
  EXPECT_EQ(inventory_.retry_layer(customer()).value(), good);
}

TEST_F(RuleTest, TheRuleInForceNamesWhereEachFieldCameFrom) {
  rules::RetryLayer on_platform, on_customer, on_device;
  on_platform.attempts = 2;
  on_platform.backoff = 2.0;
  on_customer.attempts = 5;
  on_device.jitter = rules::Jitter::full;
  ASSERT_TRUE(inventory_.set_retry_layer(platform(), on_platform));
  ASSERT_TRUE(inventory_.set_retry_layer(customer(), on_customer));
  ASSERT_TRUE(inventory_.set_retry_layer(device(), on_device));
  const RuleInForce in_force = inventory_.retry_rule({Level::device, {}, device_}).value();
  EXPECT_EQ(in_force.rule.attempts, (rules::Resolved<int>{5, Level::customer}));
  EXPECT_EQ(in_force.rule.backoff, (rules::Resolved<double>{2.0, Level::platform}));
  EXPECT_EQ(in_force.rule.jitter, (rules::Resolved<rules::Jitter>{rules::Jitter::full, Level::device}));
  EXPECT_EQ(in_force.rule.delay.origin, Level::built_in);
  EXPECT_EQ(in_force.origin_name(Level::customer), "acme");
  EXPECT_EQ(in_force.origin_name(Level::device), "sw-1");
  EXPECT_EQ(in_force.origin_name(Level::platform), "");
  EXPECT_EQ(inventory_.retry_rule(customer()).value().rule.jitter.origin, Level::built_in);
  EXPECT_EQ(inventory_.retry_rule(platform()).value().rule.attempts.value, 2);
}

TEST_F(RuleTest, AllRulesAtOnceAreTheRulesOfEachDevice) {
  const CustomerId globex = inventory_.add_customer({{}, "globex", "UTC"}).value();
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(inventory_.add_device(device_named(i % 2 ? customer_ : globex, "dev-" + std::to_string(i))));
  rules::RetryLayer layer;
  layer.attempts = 7;
  ASSERT_TRUE(inventory_.set_retry_layer(customer(), layer));
  layer.attempts = 9;
  layer.delay = Seconds{10};
  ASSERT_TRUE(inventory_.set_retry_layer({Level::device, {}, DeviceId{5}}, layer));
  ASSERT_TRUE(inventory_.set_retry_layer({Level::device, {}, DeviceId{21}}, layer));
  const auto all = inventory_.all_retry_rules().value();
  ASSERT_EQ(all.size(), 21u);
  for (const auto& [id, rule] : all)
    EXPECT_EQ(rule, inventory_.retry_rule({Level::device, {}, id}).value().rule) << "device " << id.value;
}

TEST_F(RuleTest, AScopeThatDoesNotExistIsRefused) {
  EXPECT_EQ(refusal(inventory_.retry_rule({Level::customer, CustomerId{9}, {}})),
            "customer 9 does not exist");
  EXPECT_EQ(refusal(inventory_.set_retry_layer({Level::device, {}, DeviceId{9}}, {})),
            "device 9 does not exist");
}

TEST_F(InventoryTest, AHostKeyIsPinnedReplacedAndForgotten) {
  EXPECT_FALSE(inventory_.host_key(device_).value());
  ASSERT_TRUE(inventory_.pin_host_key({device_, "ssh-rsa", "SHA256:one", at(0), true}));
  ASSERT_TRUE(inventory_.pin_host_key({device_, "ssh-ed25519", "SHA256:two", at(5), false}));
  const auto pinned = inventory_.host_key(device_).value();
  ASSERT_TRUE(pinned);
  EXPECT_EQ(pinned->type, "ssh-ed25519");
  EXPECT_EQ(pinned->first_seen_at, at(5));
  EXPECT_TRUE(inventory_.forget_host_key(device_).value());
  EXPECT_FALSE(inventory_.forget_host_key(device_).value());
  EXPECT_EQ(refusal(inventory_.pin_host_key({DeviceId{9}, "ssh-rsa", "SHA256:x", at(0), false})),
            "device 9 does not exist");
}

}  // namespace
}  // namespace nightjar::store
