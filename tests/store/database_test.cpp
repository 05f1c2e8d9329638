#include "child_process.hpp"
#include "store/migration.hpp"
#include "store_fixture.hpp"

#include <sys/stat.h>

namespace nightjar::store {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

unsigned mode_of(const fs::path& file) {
  struct ::stat status {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

class DatabaseTest : public ::testing::Test {
 protected:
  fs::path file() const { return folder_ / "nightjar.db"; }
  fs::path beside(const char* suffix) const { return file().string() + suffix; }
  TemporaryFolder folder_;
};

TEST_F(DatabaseTest, ANewDatabaseHasTheNewestVersionAndIsWhole) {
  Database db = open_database(file());
  EXPECT_EQ(db.version(), Database::newest_version());
  EXPECT_TRUE(db.check());
}

TEST_F(DatabaseTest, AllFilesOfADatabaseAreForTheirOwnerAloneWhateverTheUmask) {
  for (const ::mode_t mask : {0000, 0277}) {
    const ::mode_t before = ::umask(mask);
    {
      Database db = open_database(file());
      ASSERT_TRUE(Inventory(db).add_customer({{}, "acme", "UTC"}));
      EXPECT_EQ(mode_of(file()), 0600u);
      EXPECT_EQ(mode_of(beside("-wal")), 0600u);
      EXPECT_EQ(mode_of(beside("-shm")), 0600u);
    }
    ::umask(before);
    fs::remove(file());
  }
}

TEST_F(DatabaseTest, WhatWasWrittenIsThereWhenOpenedAgain) {
  {
    Database db = open_database(file());
    ASSERT_TRUE(Inventory(db).add_customer({{}, "acme", "Europe/Paris"}));
  }
  Database db = Database::open(file(), Database::Access::read_write).value();
  EXPECT_EQ(Inventory(db).customer("acme").value().timezone, "Europe/Paris");
}

TEST_F(DatabaseTest, AMissingFileIsClassSetupAndIsNotMade) {
  const auto db = Database::open(file(), Database::Access::read_write);
  ASSERT_FALSE(db);
  EXPECT_EQ(db.error().failure_class, FailureClass::setup);
  EXPECT_EQ(db.error().reason, "database " + file().string() + " does not exist");
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(DatabaseTest, AMissingFolderIsOurFaultNamingTheFile) {
  const auto db = Database::open(folder_ / "none/nightjar.db", Database::Access::create);
  ASSERT_FALSE(db);
  EXPECT_EQ(db.error().failure_class, FailureClass::local);
  EXPECT_EQ(db.error().stage, Stage::store);
  EXPECT_THAT(db.error().reason, HasSubstr("none/nightjar.db: No such file or directory"));
}

TEST_F(DatabaseTest, ANewerDatabaseIsRefusedNamingBothVersions) {
  { open_database(file()).connection().execute("PRAGMA user_version = 4711"); }
  const auto db = Database::open(file(), Database::Access::read_write);
  ASSERT_FALSE(db);
  EXPECT_EQ(db.error().failure_class, FailureClass::setup);
  EXPECT_THAT(db.error().reason, HasSubstr("4711"));
  EXPECT_THAT(db.error().reason, HasSubstr("up to " + std::to_string(Database::newest_version())));
}

TEST_F(DatabaseTest, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
  {
    Database::Connection::open((std::ofstream(file()), file()))
        .value()
        ->execute("CREATE TABLE bookmark (url TEXT)");
  }
  const auto db = Database::open(file(), Database::Access::create);
  ASSERT_FALSE(db);
  EXPECT_EQ(db.error().failure_class, FailureClass::setup);
  EXPECT_EQ(db.error().reason, file().string() + " is not a Nightjar database");
}

TEST_F(DatabaseTest, AFileThatIsNoDatabaseIsSaidToBeNone) {
  std::ofstream(file()) << std::string(8192, 'x');
  const auto db = Database::open(file(), Database::Access::read_write);
  ASSERT_FALSE(db);
  EXPECT_EQ(db.error().failure_class, FailureClass::local);
  EXPECT_EQ(db.error().reason, "database " + file().string() + ": the file is not a database");
}

TEST_F(DatabaseTest, AReadOnlyDatabaseIsSaidToBeReadOnly) {
  { open_database(file()); }
  fs::permissions(folder_.path(), fs::perms{0755});
  fs::permissions(file(), fs::perms{0444});
  // Root may write everything: somebody else looks.
  ChildProcess other([&](int) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;
    const auto db = Database::open(file(), Database::Access::read_write);
    if (db) return 3;
    std::fprintf(stderr, "%s\n", db.error().reason.c_str());
    return db.error().failure_class == FailureClass::local && db.error().reason.ends_with("it is read-only")
               ? 0
               : 4;
  });
  EXPECT_EQ(other.wait(), 0);
}

TEST_F(DatabaseTest, ADamagedPageIsFoundByTheCheck) {
  {
    Database db = open_database(file());
    Inventory inventory(db);
    for (int i = 0; i < 500; ++i)
      ASSERT_TRUE(inventory.add_customer({{}, "customer-" + std::to_string(i), "UTC"}));
  }
  std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(-4096 + 8, std::ios::end);
  bytes << std::string(2000, '\xee');
  bytes.close();
  auto db = Database::open(file(), Database::Access::read_write);
  const auto verdict = db ? db->check() : Result<void>(db.error());
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().failure_class, FailureClass::local);
  EXPECT_THAT(verdict.error().reason, HasSubstr(file().string()));
}

TEST_F(DatabaseTest, ARowWithoutItsParentIsFoundByTheCheck) {
  Database db = open_database(file());
  db.connection().execute(
      "PRAGMA foreign_keys = OFF; INSERT INTO device_tag (device_id, tag) VALUES (5, 'core')");
  const auto verdict = db.check();
  ASSERT_FALSE(verdict);
  EXPECT_THAT(verdict.error().reason, HasSubstr("device_tag points at a device that does not exist"));
}

TEST_F(DatabaseTest, ACopyHoldsWhatWasCommittedEvenWhileATransactionIsOpen) {
  Database db = open_database(file());
  Inventory inventory(db);
  ASSERT_TRUE(inventory.add_customer({{}, "acme", "UTC"}));
  Transaction open(db.connection(), Database::Connection::Mode::write);
  ASSERT_TRUE(inventory.add_customer({{}, "not-yet", "UTC"}));
  ASSERT_TRUE(db.copy_to(folder_ / "copy.db"));
  Database copy = Database::open(folder_ / "copy.db", Database::Access::read_write).value();
  EXPECT_TRUE(copy.check());
  EXPECT_EQ(Inventory(copy).customers().value().size(), 1u);
  EXPECT_EQ(mode_of(folder_ / "copy.db"), 0600u);
}

TEST_F(DatabaseTest, ACopyDoesNotReplaceAFile) {
  Database db = open_database(file());
  std::ofstream(folder_ / "copy.db") << "precious";
  const auto copied = db.copy_to(folder_ / "copy.db");
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().failure_class, FailureClass::setup);
  EXPECT_EQ(content_of(folder_ / "copy.db"), "precious");
}

// Steps after those of the program, as a later version would bring them.
std::vector<Migration> with_steps(std::vector<const char*> scripts) {
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  for (const char* script : scripts) steps.push_back({steps.back().version + 1, script});
  return steps;
}

TEST_F(DatabaseTest, AnExistingDatabaseIsCopiedOnceBeforeItsFirstStep) {
  Database db = open_database(file());
  ASSERT_TRUE(Inventory(db).add_customer({{}, "acme", "UTC"}));
  const int before = db.version();
  const auto steps =
      with_steps({"CREATE TABLE one (id INTEGER) STRICT", "CREATE TABLE two (id INTEGER) STRICT"});
  const auto migrated = migrate(db.connection(), steps);
  ASSERT_TRUE(migrated) << migrated.error().reason;
  EXPECT_EQ(db.version(), before + 2);
  const fs::path copy = beside((".before-" + std::to_string(before + 1)).c_str());
  EXPECT_FALSE(fs::exists(beside((".before-" + std::to_string(before + 2)).c_str())));
  Database old = Database::open(copy, Database::Access::read_write).value();
  EXPECT_EQ(old.version(), before);
  EXPECT_TRUE(Inventory(old).customer("acme"));
}

TEST_F(DatabaseTest, AStepThatFailsLeavesTheVersionBeforeItWhole) {
  Database db = open_database(file());
  ASSERT_TRUE(Inventory(db).add_customer({{}, "acme", "UTC"}));
  const int before = db.version();
  const auto steps =
      with_steps({"CREATE TABLE one (id INTEGER) STRICT",
                  "DROP TABLE one; DELETE FROM customer; INSERT INTO nowhere (id) VALUES (1)"});
  const auto migrated = migrate(db.connection(), steps);
  ASSERT_FALSE(migrated);
  EXPECT_THAT(migrated.error().reason, HasSubstr("migration to version " + std::to_string(before + 2)));
  EXPECT_EQ(db.version(), before + 1);
  EXPECT_TRUE(Inventory(db).customer("acme"));
  EXPECT_TRUE(db.check());
  db.connection().run("INSERT INTO one (id) VALUES (1)");
}

TEST_F(DatabaseTest, AStepThatLeavesARowWithoutItsParentIsUndone) {
  Database db = open_database(file());
  const int before = db.version();
  const auto steps = with_steps({"INSERT INTO device_tag (device_id, tag) VALUES (5, 'core')"});
  EXPECT_FALSE(migrate(db.connection(), steps));
  EXPECT_EQ(db.version(), before);
}

TEST_F(DatabaseTest, ForeignKeysAreOnAfterMigrating) {
  Database db = open_database(file());
  ASSERT_TRUE(migrate(db.connection(), with_steps({"CREATE TABLE one (id INTEGER) STRICT"})));
  EXPECT_THROW(db.connection().run("INSERT INTO device_tag (device_id, tag) VALUES (5, 'core')"),
               DatabaseFault);
}

TEST_F(DatabaseTest, AFailedOperationInsideATransactionUndoesItselfAlone) {
  Database db = open_database(file());
  Inventory inventory(db);
  {
    Transaction open(db.connection(), Database::Connection::Mode::write);
    const auto customer = inventory.add_customer({{}, "acme", "UTC"});
    ASSERT_TRUE(customer);
    EXPECT_FALSE(inventory.add_devices({device_named(*customer, "sw-1"), device_named(*customer, "sw-1")}));
    open.commit();
  }
  EXPECT_TRUE(inventory.customer("acme"));
  Selector all;
  all.all = true;
  EXPECT_TRUE(inventory.select(all, false).value().empty());
}

TEST_F(DatabaseTest, WhatIsDoneAtomicallyIsDoneWholeOrNotAtAll) {
  Database db = open_database(file());
  Inventory inventory(db);
  const auto add = [&](const char* name) -> Result<void> {
    if (auto added = inventory.add_customer({{}, name, ""}); !added) return added.error();
    return {};
  };
  EXPECT_TRUE(db.atomically([&] { return add("acme"); }));
  const auto refused = db.atomically([&]() -> Result<void> {
    if (auto added = add("globex"); !added) return added;
    return add("acme");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "customer \"acme\" exists already");
  const auto throwing = [&]() -> Result<void> {
    if (auto added = add("initech"); !added) return added;
    throw std::logic_error("a bug");
  };
  EXPECT_THROW((void)db.atomically(throwing), std::logic_error);
  EXPECT_EQ(inventory.customers().value().size(), 1u);
  EXPECT_TRUE(add("umbrella"));
}

TEST_F(DatabaseTest, TheDataVersionChangesWithTheWritesOfOthersAlone) {
  Database db = open_database(file()), other = open_database(file());
  Inventory inventory(db), elsewhere(other);
  const auto first = db.data_version().value();
  ASSERT_TRUE(inventory.add_customer({{}, "acme", ""}));
  EXPECT_EQ(db.data_version().value(), first);
  ASSERT_TRUE(elsewhere.customers());
  EXPECT_EQ(db.data_version().value(), first);
  ASSERT_TRUE(elsewhere.add_customer({{}, "globex", ""}));
  const auto second = db.data_version().value();
  EXPECT_NE(second, first);
  ASSERT_FALSE(elsewhere.add_customer({{}, "globex", ""}));  // nothing came of it
  EXPECT_EQ(db.data_version().value(), second);
}

TEST_F(DatabaseTest, TwoProcessesWriteAtOnceAndNeitherIsToldBusy) {
  constexpr int each = 150;
  const auto write = [this](const char* who) {
    Database db = Database::open(file(), Database::Access::read_write).value();
    Inventory inventory(db);
    for (int i = 0; i < each; ++i) {
      const auto added = inventory.add_customer({{}, who + std::to_string(i), "UTC"});
      if (!added) throw std::runtime_error(added.error().reason);
      if (!inventory.customers()) throw std::runtime_error("not readable");
    }
    return 0;
  };
  { open_database(file()); }
  ChildProcess one([&](int) { return write("one-"); });
  ChildProcess two([&](int) { return write("two-"); });
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(two.wait(), 0);
  Database db = open_database(file());
  EXPECT_EQ(Inventory(db).customers().value().size(), 2u * each);
}

TEST_F(DatabaseTest, TwoProcessesMayMakeTheSameDatabaseAtOnce) {
  const auto make = [this](int) { return Database::open(file(), Database::Access::create) ? 0 : 1; };
  ChildProcess one(make), two(make), three(make);
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(two.wait(), 0);
  EXPECT_EQ(three.wait(), 0);
  EXPECT_TRUE(open_database(file()).check());
}

}  // namespace
}  // namespace nightjar::store
