#include "store/compression.hpp"
#include "store_fixture.hpp"

namespace nightjar::store {
namespace {

using ::testing::HasSubstr;

using RevisionsTest = StoreTest;

TEST_F(RevisionsTest, TheTextComesBackByteForByte) {
  std::string text{"hostname sw-1\r\n\0\xff\xfe no newline", 30};
  for (int i = 0; i < 2000; ++i) text += "interface Gi0/" + std::to_string(i) + "\n";
  const BackupRow kept = back_up(device_, backup_of(text), at(0));
  EXPECT_EQ(revisions_.text(kept.revision).value(), text);
  const RevisionRow row = revisions_.find(device_, kept.revision).value();
  EXPECT_EQ(row.sha256, revision::to_hex(revision::digest(text)));
  EXPECT_EQ(row.bytes, text.size());
  EXPECT_EQ(row.lines, revision::count_lines(text));
}

TEST_F(RevisionsTest, HistoryIsNewestFirstAndOfOneDevice) {
  const DeviceId other = add_device("sw-2");
  const BackupRow a = back_up(device_, backup_of("a\n"), at(0));
  const BackupRow b = back_up(device_, backup_of("b\n"), at(1));
  back_up(other, backup_of("a\n"), at(2));
  const auto history = revisions_.history(device_).value();
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[0].id, b.revision);
  EXPECT_EQ(history[1].id, a.revision);
}

TEST_F(RevisionsTest, ADeviceThatWasNeverBackedUpHasNoNewest) {
  EXPECT_FALSE(revisions_.newest(device_).value());
}

TEST_F(RevisionsTest, ARevisionOfAnotherDeviceIsUnknown) {
  const BackupRow kept = back_up(add_device("sw-2"), backup_of("a\n"), at(0));
  const auto found = revisions_.find(device_, kept.revision);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().failure_class, FailureClass::setup);
}

TEST_F(RevisionsTest, ATextThatWasDamagedOnDiskIsClassLocalAndNotReturned) {
  const BackupRow kept = back_up(device_, backup_of(std::string(5000, 'a')), at(0));
  const std::string other = compress(std::string(5000, 'b'));
  for (const std::string& frame : {other, other.substr(0, other.size() / 2), std::string{"no frame"}}) {
    db_.connection().run("UPDATE revision_text SET text = ?1", Blob{frame});
    const auto text = revisions_.text(kept.revision);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().failure_class, FailureClass::local);
    EXPECT_THAT(text.error().reason, HasSubstr("text of revision 1 is damaged"));
  }
}

TEST(Packing, TextsComeBackWhateverTheirLength) {
  for (const std::size_t size : {0u, 1u, 1024u, 1025u, 100000u}) {
    const std::string text(size, 'x');
    EXPECT_EQ(unpack(pack(text)), text) << size;
  }
}

TEST(Packing, ALongTextIsStoredSmallerAndABrokenOneIsNotReturned) {
  std::string packed = pack(std::string(100000, 'x'));
  EXPECT_LT(packed.size(), 1000u);
  packed[packed.size() - 1] = static_cast<char>(packed.back() ^ 1);
  EXPECT_FALSE(unpack(packed));
  EXPECT_FALSE(unpack(""));
  EXPECT_FALSE(unpack("\x07what"));
}

}  // namespace
}  // namespace nightjar::store
