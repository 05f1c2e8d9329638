// init, customer, credential, device, hostkey, db: against a real data folder, without a network.
#include "cli/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace nightjar::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class InventoryCommands : public Cli {
 protected:
  static unsigned mode(const std::string& path) {
    struct stat status {};
    stat(path.c_str(), &status);
    return status.st_mode & 07777u;
  }
  Answer import(const std::string& csv) {
    write_whole(folder_.at("devices.csv"), csv);
    return nightjar({"device", "import", folder_.at("devices.csv")});
  }
  std::size_t devices() { return nightjar({"device", "list", "--json"}).json().size(); }
};

TEST_F(InventoryCommands, InitMakesAFolderForItsOwnerAlone) {
  EXPECT_EQ(nightjar({"init"}).exit, 0);
  EXPECT_EQ(mode(data_), 0700u);
  EXPECT_EQ(mode(data_ + "/nightjar.key"), 0600u);
  EXPECT_EQ(mode(data_ + "/nightjar.db"), 0600u);
}

TEST_F(InventoryCommands, InitAgainChangesNothing) {
  ASSERT_EQ(nightjar({"init"}).exit, 0);
  const std::string key = read_whole(data_ + "/nightjar.key");
  EXPECT_EQ(nightjar({"init"}).exit, 2);
  EXPECT_EQ(read_whole(data_ + "/nightjar.key"), key);
}

TEST_F(InventoryCommands, InitLeavesAFolderOfOthersAlone) {
  write_whole(folder_.at("thesis.txt"), "mine");
  const Answer answer = run_with({"--data", folder_.at(""), "init"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("holds other files"));
}

TEST_F(InventoryCommands, InitDoesNotReplaceALostKey) {
  ASSERT_EQ(nightjar({"init"}).exit, 0);
  std::filesystem::remove(data_ + "/nightjar.key");
  const Answer answer = nightjar({"init"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_FALSE(std::filesystem::exists(data_ + "/nightjar.key"));
}

TEST_F(InventoryCommands, AnUnknownCustomerGetsTheNearestName) {
  set_up_acme();
  const Answer answer = nightjar({"customer", "show", "acmee"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("unknown customer \"acmee\""));
  EXPECT_THAT(answer.err, HasSubstr("did you mean \"acme\"?"));
}

TEST_F(InventoryCommands, AnUnknownTimeZoneIsRefusedBeforeAnythingIsStored) {
  set_up_acme();
  EXPECT_EQ(nightjar({"customer", "add", "globex", "--timezone", "Europe/../passwd"}).exit, 3);
  EXPECT_EQ(nightjar({"customer", "list", "--json"}).json().size(), 1u);
}

TEST_F(InventoryCommands, RemovingWantsAYesWhereNobodyCanBeAsked) {
  set_up_acme();
  const Answer refused = nightjar({"customer", "remove", "acme"});
  EXPECT_EQ(refused.exit, 3);
  EXPECT_THAT(refused.err, HasSubstr("--yes"));
  EXPECT_EQ(nightjar({"customer", "remove", "acme", "--yes"}).exit, 0);
  EXPECT_EQ(nightjar({"customer", "list", "--json"}).json().size(), 0u);
}

TEST_F(InventoryCommands, SecretsAreNeverPrintedNorStoredInClear) {
  set_up_acme();
  const Answer added = nightjar(
      {"credential", "add", "lab", "--username", "u", "--password-stdin", "--enable-stdin", "--json"},
      "hunter2-password\nhunter2-enable\n");
  ASSERT_EQ(added.exit, 0);
  EXPECT_EQ(added.json().at("enable"), true);
  const std::string everything = added.out + added.err + nightjar({"credential", "list", "--json"}).out +
                                 read_whole(data_ + "/nightjar.db");
  EXPECT_THAT(everything, Not(HasSubstr("hunter2")));
}

TEST_F(InventoryCommands, ACredentialWithoutASecretIsRefused) {
  set_up_acme();
  EXPECT_EQ(nightjar({"credential", "add", "acme/none", "--username", "u"}).exit, 3);
  EXPECT_EQ(nightjar({"credential", "add", "acme/none", "--username", "u", "--password-stdin"}, "").exit, 3);
  EXPECT_EQ(nightjar({"credential", "add", "acme/none", "--username", "u", "--password-stdin"}, "\n").exit,
            3);
  EXPECT_EQ(nightjar({"credential", "list", "--json"}).json().size(), 1u);
}

TEST_F(InventoryCommands, AnUnreadableKeyIsRefusedWhenItIsAdded) {
  set_up_acme();
  write_whole(folder_.at("key"),
              "-----BEGIN OPENSSH PRIVATE KEY-----\nnot a key\n-----END OPENSSH PRIVATE KEY-----\n");
  const Answer answer =
      nightjar({"credential", "add", "acme/key", "--username", "u", "--key", folder_.at("key")});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr(folder_.at("key")));
  EXPECT_EQ(
      nightjar({"credential", "add", "acme/key", "--username", "u", "--key", folder_.at("absent")}).exit, 3);
  EXPECT_EQ(nightjar({"credential", "list", "--json"}).json().size(), 1u);
}

TEST_F(InventoryCommands, ADeviceWithoutADriverGetsTheListOfThem) {
  set_up_acme();
  const Answer answer = nightjar({"device", "add", "acme/core-01", "--address", "192.0.2.10"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("ios"));
  EXPECT_THAT(nightjar({"device", "add", "acme/core-01", "--address", "192.0.2.10", "--driver", "ioss"}).err,
              HasSubstr("unknown driver \"ioss\"; did you mean \"ios\"?"));
  EXPECT_EQ(devices(), 0u);
}

TEST_F(InventoryCommands, ADeviceListHasTheShapeOfTheContract) {
  set_up_acme();
  ASSERT_EQ(nightjar({"device", "add", "acme/core-01", "--address", "192.0.2.10", "--driver", "ios",
                      "--credential", "acme/core", "--tag", "site-a", "--tag", "core"})
                .exit,
            0);
  const auto list = nightjar({"device", "list", "--json"}).json();
  ASSERT_EQ(list.size(), 1u);
  const auto expected = nlohmann::json::parse(
      R"({"customer":"acme","name":"core-01","address":"192.0.2.10","port":22,"driver":"ios","credential":"acme/core",
          "enabled":true,"tags":["core","site-a"],"last_backup_at":null,"last_series_state":null})");
  for (const auto& [key, value] : expected.items()) EXPECT_EQ(list[0].at(key), value) << key;
  EXPECT_TRUE(list[0].at("id").is_number_integer());
}

TEST_F(InventoryCommands, ADeviceMayNotUseAnotherCustomersCredential) {
  set_up_acme();
  ASSERT_EQ(nightjar({"customer", "add", "globex"}).exit, 0);
  EXPECT_EQ(nightjar({"device", "add", "globex/fw-01", "--address", "192.0.2.11", "--driver", "ios",
                      "--credential", "acme/core"})
                .exit,
            3);
}

TEST_F(InventoryCommands, SettingChangesWhatIsNamedAndNothingElse) {
  set_up_acme();
  ASSERT_EQ(import("customer,name,address,driver,credential\nacme,core-01,192.0.2.10,ios,acme/core\n").exit,
            0);
  EXPECT_EQ(nightjar({"device", "set", "acme/core-01", "--port", "2222"}).exit, 0);
  EXPECT_EQ(nightjar({"device", "set", "acme/core-01", "--port", "2222"}).exit, 0);
  const auto device = nightjar({"device", "show", "acme/core-01", "--json"}).json();
  EXPECT_EQ(device.at("port"), 2222);
  EXPECT_EQ(device.at("credential"), "acme/core");
  EXPECT_EQ(device.at("host_key"), nullptr);
}

TEST_F(InventoryCommands, DisablingLooksAtEveryNameBeforeItTouchesTheFirst) {
  set_up_acme();
  ASSERT_EQ(import("customer,name,address,driver\nacme,a,192.0.2.10,ios\nacme,b,192.0.2.11,ios\n").exit, 0);
  EXPECT_EQ(nightjar({"device", "disable", "acme/a", "acme/c"}).exit, 3);
  EXPECT_EQ(nightjar({"device", "show", "acme/a", "--json"}).json().at("enabled"), true);
  EXPECT_EQ(nightjar({"device", "disable", "acme/a", "acme/b"}).exit, 0);
  EXPECT_EQ(nightjar({"device", "disable", "acme/a", "acme/b"}).exit, 0);
  EXPECT_EQ(nightjar({"backup", "--all"}).exit, 2);
}

TEST_F(InventoryCommands, AnImportOfGoodLinesIsImported) {
  set_up_acme();
  const Answer answer = import(
      "\xEF\xBB\xBFname,customer,address,port,driver,credential,tags\r\n"
      "core-01,acme,192.0.2.10,,ios,acme/core,core;site-a\r\n"
      "\"core, 02\",acme,2001:db8::2,8022,eos,,\r\n");
  EXPECT_EQ(answer.exit, 0) << answer.err;
  EXPECT_EQ(devices(), 2u);
  EXPECT_THAT(nightjar({"device", "list", "--tag", "core", "--json"}).json().at(0).at("tags"),
              ElementsAre("core", "site-a"));
}

TEST_F(InventoryCommands, EveryBadLineOfAnImportIsNamedAndNothingIsImported) {
  set_up_acme();
  const Answer answer = import(
      "customer,name,address,port,driver\n"
      "acme,core-01,192.0.2.10,22,ios\n"
      "acmee,core-02,192.0.2.11,22,ios\n"
      "acme,core-03,192.0.2.12,70000,ios\n"
      "acme,core-04,192.0.2.13,22,ioss\n"
      "acme,core-01,192.0.2.14,22,ios\n"
      "acme,core-05\n");
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("devices.csv:3: unknown customer \"acmee\""));
  EXPECT_THAT(answer.err, HasSubstr("devices.csv:4: \"70000\" is not a TCP port"));
  EXPECT_THAT(answer.err, HasSubstr("devices.csv:5: unknown driver \"ioss\""));
  EXPECT_THAT(answer.err, HasSubstr("devices.csv:6: device acme/core-01 is on line 2 already"));
  EXPECT_THAT(answer.err, HasSubstr("devices.csv:7: 2 fields instead of 5"));
  EXPECT_EQ(devices(), 0u);
}

TEST_F(InventoryCommands, ALineThatTheStoreRefusesIsNamedByItsNumber) {
  set_up_acme();
  const Answer answer =
      import("customer,name,address,driver\nacme,a,192.0.2.10,ios\nacme,b,192.0.2.11 x,ios\n");
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.err, HasSubstr("devices.csv:3: "));
  EXPECT_EQ(devices(), 0u);
}

TEST_F(InventoryCommands, AnImportTwiceNamesWhatExists) {
  set_up_acme();
  const std::string csv = "customer,name,address,driver\nacme,core-01,192.0.2.10,ios\n";
  ASSERT_EQ(import(csv).exit, 0);
  const Answer again = import(csv);
  EXPECT_EQ(again.exit, 3);
  EXPECT_THAT(again.err, HasSubstr("device acme/core-01 exists already"));
}

TEST_F(InventoryCommands, ADryRunWritesNothing) {
  set_up_acme();
  const Answer answer = nightjar({"device", "import", "-", "--dry-run", "--json"},
                                 "customer,name,address,driver\nacme,a,192.0.2.10,ios\n");
  EXPECT_EQ(answer.exit, 0);
  EXPECT_EQ(answer.json().at("devices"), 1);
  EXPECT_EQ(devices(), 0u);
}

TEST_F(InventoryCommands, AnImportWithoutItsHeaderRowIsRefused) {
  set_up_acme();
  EXPECT_THAT(import("acme,core-01,192.0.2.10,ios\n").err, HasSubstr("unknown column \"acme\""));
  EXPECT_THAT(import("").err, HasSubstr("header row"));
  EXPECT_THAT(import("customer,name,address\n").err, HasSubstr("column \"driver\" is missing"));
}

TEST_F(InventoryCommands, AHostKeyIsPinnedListedAndForgotten) {
  set_up_acme();
  ASSERT_EQ(import("customer,name,address,driver\nacme,core-01,192.0.2.10,ios\n").exit, 0);
  const std::string fingerprint = "SHA256:" + std::string(43, 'A');
  EXPECT_EQ(nightjar({"hostkey", "forget", "acme/core-01"}).exit, 2);
  EXPECT_EQ(
      nightjar({"hostkey", "accept", "acme/core-01", "--fingerprint", "SHA256:x", "--type", "ssh-ed25519"})
          .exit,
      3);
  ASSERT_EQ(
      nightjar({"hostkey", "accept", "acme/core-01", "--fingerprint", fingerprint, "--type", "ssh-ed25519"})
          .exit,
      0);
  EXPECT_EQ(nightjar({"hostkey", "list", "--json"}).json().at(0).at("fingerprint"), fingerprint);
  EXPECT_EQ(nightjar({"hostkey", "forget", "acme/core-01"}).exit, 0);
  EXPECT_EQ(nightjar({"hostkey", "list", "--json"}).json().size(), 0u);
}

TEST_F(InventoryCommands, TheDatabaseIsCheckedCopiedAndNeverCopiedOver) {
  set_up_acme();
  EXPECT_EQ(nightjar({"db", "check"}).exit, 0);
  EXPECT_EQ(nightjar({"db", "migrate"}).exit, 0);
  EXPECT_EQ(nightjar({"db", "backup", folder_.at("copy.db")}).exit, 0);
  EXPECT_EQ(nightjar({"db", "backup", folder_.at("copy.db")}).exit, 3);
}

TEST_F(InventoryCommands, TheDoctorNamesAKeyFileThatOthersCanRead) {
  set_up_acme();
  EXPECT_EQ(nightjar({"doctor"}).exit, 0);
  chmod((data_ + "/nightjar.key").c_str(), 0644);
  const Answer answer = nightjar({"doctor", "--json"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_THAT(answer.out, HasSubstr("is open to others (mode 0644)"));
}

TEST_F(InventoryCommands, AConfigurationThatWasNeverStoredIsSaidSo) {
  set_up_acme();
  ASSERT_EQ(import("customer,name,address,driver\nacme,core-01,192.0.2.10,ios\n").exit, 0);
  EXPECT_THAT(nightjar({"config", "show", "acme/core-01"}).err, HasSubstr("acme/core-01 has no backup yet"));
  EXPECT_EQ(nightjar({"config", "history", "acme/core-01", "--json"}).json().size(), 0u);
  EXPECT_EQ(nightjar({"config", "diff", "acme/core-01"}).exit, 2);
}

TEST_F(InventoryCommands, AnUnknownSeriesIsARefusalAndNoSeriesAnEmptyList) {
  set_up_acme();
  EXPECT_EQ(nightjar({"series", "list", "--json"}).json().size(), 0u);
  EXPECT_EQ(nightjar({"series", "show", "7"}).exit, 3);
  EXPECT_EQ(nightjar({"series", "cancel", "x"}).exit, 3);
  EXPECT_EQ(nightjar({"series", "list", "--since", "yesterday"}).exit, 3);
  EXPECT_EQ(nightjar({"series", "list", "--customer", "nobody"}).exit, 3);
}

}  // namespace
}  // namespace nightjar::cli
