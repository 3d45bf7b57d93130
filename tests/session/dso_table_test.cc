// SPDX-License-Identifier: Apache-2.0
#include "converter/session/dso_table.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

class DsoTableTest : public testing::Test {
 protected:
  const BuildId& BuildIdOf(DsoId dso) const {
    return tables_.dsos()[dso].build_id;
  }
  static constexpr uint8_t kBytes[20] = {1, 2, 3};
  const BuildId id_{kBytes};
  TraceTables tables_;
  DsoTable dsos_{tables_};
};

TEST_F(DsoTableTest, ABuildIdByNameReachesFilesMappedBeforeAndAfter) {
  MappedFile file;
  file.name = "/bin/program";
  const DsoId by_path = dsos_.UserDso(file, /*pid=*/1, /*program=*/0);
  const DsoId in_root = dsos_.UserDso(file, 7, 0, /*root_owner=*/7);
  file.inode = 5;
  const DsoId by_inode = dsos_.UserDso(file, 1, 0);
  const DsoId inode_in_root = dsos_.UserDso(file, 7, 0, 7);
  const std::vector<DsoId> before = {by_path, in_root, by_inode, inode_in_root};
  for (DsoId dso : before) EXPECT_TRUE(BuildIdOf(dso).empty());
  file.name = "/bin/other";
  const DsoId other = dsos_.UserDso(file, 7, 0, 7);

  dsos_.SetBuildId("/bin/program", id_);
  for (DsoId dso : before) EXPECT_EQ(BuildIdOf(dso), id_) << dso;
  EXPECT_TRUE(BuildIdOf(other).empty());
  file = MappedFile();
  file.name = "/bin/program";
  EXPECT_EQ(BuildIdOf(dsos_.UserDso(file, 8, 0, 8)), id_);
}

TEST_F(DsoTableTest, CopiesOfAFileAreOneUnlessPathsCount) {
  MappedFile file;
  file.build_id = id_;
  file.name = "/lib/a.so";
  const DsoId first = dsos_.UserDso(file, 1, 0);
  file.name = "/lib/copy/a.so";
  EXPECT_EQ(dsos_.UserDso(file, 1, 0), first);
  file.by_path = true;
  const DsoId copy = dsos_.UserDso(file, 1, 0);
  EXPECT_NE(copy, first);
  EXPECT_EQ(tables_.dsos()[copy].name, "/lib/copy/a.so");
  EXPECT_EQ(dsos_.UserDso(file, 2, 0), copy);
}

TEST_F(DsoTableTest, ABuildIdByNameReachesA32BitVdsoThatIsTheOnlyOne) {
  MappedFile vdso;
  vdso.name = "[vdso]";
  vdso.below_4g = true;
  const DsoId narrow = dsos_.UserDso(vdso, 1, 0);
  dsos_.SetBuildId("[vdso]", id_);
  EXPECT_EQ(BuildIdOf(narrow), id_);
  EXPECT_EQ(dsos_.UserDso(vdso, 2, 0), narrow);
}

TEST_F(DsoTableTest, ABuildIdOfTheVdsoIsThatOfThe64BitOne) {
  MappedFile vdso;
  vdso.name = "[vdso]";
  const DsoId wide = dsos_.UserDso(vdso, 1, 0);
  vdso.below_4g = true;
  const DsoId narrow = dsos_.UserDso(vdso, 2, 0);
  EXPECT_NE(wide, narrow);
  dsos_.SetBuildId("[vdso]", id_);
  EXPECT_EQ(BuildIdOf(wide), id_);
  EXPECT_TRUE(BuildIdOf(narrow).empty());
}

TEST_F(DsoTableTest, BuildIdsByNameTakeMemoryAndHaveALimit) {
  EXPECT_EQ(dsos_.memory(), 0u);
  for (size_t i = 0; i < DsoTable::kMaxBuildIds; ++i) {
    ASSERT_TRUE(dsos_.SetBuildId(absl::StrCat("/bin/", i), id_));
  }
  const uint64_t full = dsos_.memory();
  EXPECT_GT(full, DsoTable::kMaxBuildIds * 160);
  EXPECT_FALSE(dsos_.SetBuildId("/bin/new", id_));
  EXPECT_TRUE(dsos_.SetBuildId("/bin/1", id_));
  EXPECT_EQ(dsos_.memory(), full);
  // Files that wait for a build id.
  MappedFile file;
  file.name = "/bin/waits";
  file.inode = 5;
  for (int pid : {1, 2}) dsos_.UserDso(file, pid, 0, pid);
  EXPECT_GT(dsos_.memory(), full);
}

TEST_F(DsoTableTest, FilesThatHaveTheirBuildIdDoNotWait) {
  MappedFile file;
  file.name = "/bin/program";
  file.inode = 5;
  dsos_.UserDso(file, 1, 0);
  dsos_.UserDso(file, 2, 0, 2);
  dsos_.SetBuildId("/bin/other", id_);
  const uint64_t waits = dsos_.memory();
  dsos_.SetBuildId("/bin/program", id_);
  EXPECT_EQ(dsos_.memory(), waits);  // the build id in place of the name
}

}  // namespace
}  // namespace perf2x
