// What the book promises is tested by breaking it: kill -9 between any two instructions, and disks that are
// full.
#include "child_process.hpp"
#include "store_fixture.hpp"

#include <random>
#include <sys/resource.h>

namespace nightjar::store {
namespace {

using series::State;
using ::testing::HasSubstr;

class CrashTest : public StoreTest {
 protected:
  // Backs the device up for ever, each text a new one, telling the parent of each step.
  static int back_up_for_ever(const std::filesystem::path& file, DeviceId device, int round, int to_parent) {
    Database db = Database::open(file, Database::Access::read_write).value();
    SeriesBook book(db);
    for (int i = 0;; ++i) {
      const UtcTime now = at(round * 10000 + i);
      const SeriesId id =
          book.open({device}, series::Trigger::manual, now, "child", far_lease).value().at(0).series;
      tell(to_parent);
      const AttemptBegin begin = beginning_of(id, book.find(id).value().machine, now);
      const AttemptId attempt = book.begin_attempt(begin, "child").value();
      tell(to_parent);
      AttemptEnd end =
          success_of(id, attempt, begin.after,
                     backup_of(std::string(20000, 'c') + std::to_string(round * 10000 + i)), now);
      end.host_key = PinnedHostKey{device, "ssh-ed25519", "SHA256:" + std::to_string(i), now, false};
      if (!book.end_attempt(end)) return 1;
      tell(to_parent);
    }
  }

  static void expect_whole(const SeriesDetail& detail) {
    const State state = detail.series.machine.state;
    if (state == State::pending) {
      EXPECT_TRUE(detail.attempts.empty() || detail.attempts.back().ended_at);
      return;
    }
    ASSERT_FALSE(detail.attempts.empty());
    const AttemptRow& last = detail.attempts.back();
    EXPECT_EQ(state == State::running, !last.ended_at.has_value());
    EXPECT_EQ(state == State::succeeded, last.outcome == series::Outcome::success);
    EXPECT_EQ(state == State::succeeded, detail.backup.has_value());
    EXPECT_EQ(last.ended_at.has_value(), last.decision.has_value());
  }

  // The attempt under way as the orchestrator records it after a crash.
  void record_interruption() {
    for (const SeriesBook::Orphan& orphan : book_.held_by("child").value()) {
      if (!orphan.running) continue;
      AttemptEnd end;
      end.series = orphan.series.id;
      end.attempt = orphan.running->id;
      end.ended_at = at(0);
      end.outcome = series::Outcome::interrupted;
      end.after = orphan.series.machine;
      end.after.state = State::pending;
      end.after.due = at(0);
      ++end.after.interruptions;
      end.decision.decision.action = series::Action::retry;
      end.decision.decision.next_attempt_at = at(0);
      end.decision.rule = built_in_rule();
      ASSERT_TRUE(book_.end_attempt(end));
    }
    ASSERT_TRUE(book_.release("child"));
  }
};

TEST_F(CrashTest, AfterAKillEachAttemptIsEitherCompleteOrStillRunning) {
  std::mt19937 dice(20261130);
  for (int round = 0; round < 12; ++round) {
    close();
    ChildProcess child([&](int to_parent) { return back_up_for_ever(file(), device_, round, to_parent); });
    for (auto steps = 1 + dice() % 40; steps > 0; --steps) ASSERT_TRUE(child.read_byte());
    child.kill();
    reopen();

    ASSERT_TRUE(db_.check());
    int running_now = 0;
    for (const SeriesRow& row : book_.list({}).value()) {
      expect_whole(book_.detail(row.id).value());
      running_now += row.machine.state == State::running ? 1 : 0;
    }
    EXPECT_LE(running_now, 1);
    for (const RevisionRow& revision : revisions_.history(device_).value())
      EXPECT_TRUE(revisions_.text(revision.id)) << "revision " << revision.id.value;
    record_interruption();
    EXPECT_TRUE(book_.owners().value().empty());
  }
}

TEST_F(CrashTest, AFullDatabaseIsClassLocalAndTheEarlierRevisionStays) {
  const BackupRow first = back_up(device_, backup_of("first\n"), at(0));
  const Begun begun = begin(open_series(device_, at(100)), at(100));
  db_.connection().execute("PRAGMA max_page_count = 1");  // no page more than there are

  std::string noise;  // does not shrink
  std::mt19937 dice(1);
  while (noise.size() < 200000) noise += static_cast<char>(dice());
  const auto ended =
      book_.end_attempt(success_of(begun.series, begun.attempt, begun.machine, backup_of(noise), at(105)));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().failure_class, FailureClass::local);
  EXPECT_EQ(ended.error().stage, Stage::store);
  EXPECT_EQ(ended.error().reason, "database " + file().string() + ": the disk is full");

  const SeriesDetail detail = book_.detail(begun.series).value();
  EXPECT_EQ(detail.series.machine.state, State::running);
  EXPECT_FALSE(detail.backup);
  EXPECT_EQ(revisions_.newest(device_).value()->id, first.revision);
  EXPECT_EQ(revisions_.text(first.revision).value(), "first\n");
  db_.connection().execute("PRAGMA max_page_count = 1000000");
  EXPECT_TRUE(
      book_.end_attempt(success_of(begun.series, begun.attempt, begun.machine, backup_of(noise), at(110))));
}

// The whole file system refuses to grow a file, which SQLite notices when it commits.
TEST_F(CrashTest, ACommitThatFindsNoRoomIsClassLocalAndLeavesNothing) {
  close();
  ChildProcess child([&](int) {
    ::signal(SIGXFSZ, SIG_IGN);
    Database db = Database::open(file(), Database::Access::read_write).value();
    Inventory inventory(db);
    if (!inventory.add_customer({{}, "before", "UTC"})) return 1;
    ::rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const ::rlim_t had = limit.rlim_cur;
    limit.rlim_cur = std::filesystem::file_size(file().string() + "-wal");
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto refused = inventory.add_customer({{}, "after", "UTC"});
    if (refused) return 2;
    if (refused.error().failure_class != FailureClass::local) return 3;
    if (!inventory.customer("before") || inventory.customer("after")) return 4;
    limit.rlim_cur = had;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return inventory.add_customer({{}, "after", "UTC"}) && db.check() ? 0 : 5;
  });
  EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace nightjar::store
