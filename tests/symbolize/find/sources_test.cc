// SPDX-License-Identifier: Apache-2.0

// Where files are looked for, and which are not opened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/worker_pool.h"
#include "converter/symbolize/elf/elf_source.h"
#include "converter/symbolize/find/archive.h"
#include "converter/symbolize/find/unpack.h"
#include "tests/symbolize/find/sources_fixture.h"

namespace perf2x {
namespace {

TEST_F(SourcesTest, WithoutABuildIdOnlyTheSameHostOrSymfsIsTrusted) {
  const std::string path = Copy(kProgram, "root/bin/program");
  EXPECT_EQ(Name(File(path)), "");
  EXPECT_EQ(Name(File(path, id_)), "demo::Outer");
  EXPECT_TRUE(report_.verified);
  options_.binaries.same_host = true;
  EXPECT_EQ(Name(File(path)), "demo::Outer");
  EXPECT_FALSE(report_.verified);
  options_.binaries.same_host = false;
  options_.binaries.symfs = dir_ + "/root";
  EXPECT_EQ(Name(File("/bin/program")), "demo::Outer");
  EXPECT_FALSE(report_.verified);
}

TEST_F(SourcesTest, AnotherBuildIsNotUsed) {
  const std::string path = Copy(kProgram, "program");
  const uint8_t other[20] = {1, 2, 3};
  EXPECT_EQ(Name(File(path, BuildId(other))), "");
  ASSERT_FALSE(report_.tried.empty());
  EXPECT_NE(report_.tried[0].find("other build id"), std::string::npos);
  EXPECT_EQ(report_.unsymbolized_count, 1u);
}

TEST_F(SourcesTest, BuildIdCacheUnpackedAndArchived) {
  const std::string hex = id_.Hex();
  Copy(kProgram, absl::StrCat("cache/.build-id/", hex.substr(0, 2), "/",
                              hex.substr(2), "/elf"));
  EXPECT_EQ(Name(File("/gone/program", id_)), "demo::Outer");

  const std::string member = "gone/program/" + hex + "/elf";
  Copy(kProgram, "tar/" + member);
  for (const char* how : {"-cf", "-cjf", "-czf"}) {
    const std::string tar = dir_ + "/a.tar";
    ASSERT_EQ(system(absl::StrCat("cd ", dir_, "/tar && tar ", how, " ", tar,
                                  " ", member)
                         .c_str()),
              0);
    options_.binaries.buildid_dir = "/nonexistent";
    options_.binaries.archive = tar;
    EXPECT_EQ(Name(File("/gone/program", id_)), "demo::Outer") << how;
    EXPECT_TRUE(report_.verified);
    EXPECT_EQ(report_.sources.at(0), tar + ":" + member);
  }
}

TEST_F(SourcesTest, DamagedArchivesAreSurvived) {
  const std::string member = "gone/program/" + id_.Hex() + "/elf";
  Copy(kProgram, "tar/" + member);
  const std::string tar = dir_ + "/a.tar";
  ASSERT_EQ(
      system(absl::StrCat("cd ", dir_, "/tar && tar -cjf ", tar, " ", member)
                 .c_str()),
      0);
  std::ifstream in(tar, std::ios::binary);
  std::stringstream whole;
  whole << in.rdbuf();
  const std::string packed = whole.str();
  auto unpacked =
      Unpack({reinterpret_cast<const uint8_t*>(packed.data()), packed.size()},
             packed.size());
  ASSERT_TRUE(unpacked.ok());
  for (size_t at = 0; at < 600; ++at) {
    std::string flipped = *unpacked;
    flipped[at] = static_cast<char>(~flipped[at]);
    auto archive = Archive::Open(Write("flipped.tar", flipped));
    if (archive.ok()) (*archive)->Find(id_, "elf");
  }
  for (size_t size = 0; size < whole.str().size(); size += 197) {
    EXPECT_FALSE(
        Archive::Open(Write("cut.tar.bz2", whole.str().substr(0, size))).ok());
  }
  options_.binaries.archive = dir_ + "/absent.tar";
  EXPECT_EQ(Name(File("/gone/program", id_)), "");
  EXPECT_NE(absl::StrJoin(report_.tried, "\n").find("absent.tar"),
            std::string::npos);
  ASSERT_EQ(report_.warnings.size(), 1u);
  EXPECT_EQ(report_.warnings[0].find("--archive " + options_.binaries.archive),
            0u);
}

TEST_F(SourcesTest, APaxHeaderWithoutAPathKeepsTheLongName) {
  const std::string name = "gone/program/" + id_.Hex() + "/elf";
  const std::string tar =
      Write("a.tar", TarMember("././@LongLink", 'L', name + '\0') +
                         TarMember("PaxHeaders/elf", 'x', "11 mtime=1\n") +
                         TarMember("cut", '0', "content"));
  auto archive = Archive::Open(tar);
  ASSERT_TRUE(archive.ok()) << archive.status();
  const auto file = (*archive)->Find(id_, "elf");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->text(), "content");
}

// Other sources may have added to the report before.
TEST_F(SourcesTest, WhatWasTriedBeforeStaysInTheReport) {
  const BinaryFinder finder(options_.binaries);
  WorkerPool workers(1);
  const SymbolSourceContext context{options_, finder, workers};
  DsoReport report;
  report.tried = {"/before (damaged)"};
  report.unproven = true;
  EXPECT_EQ(ElfSource(context).Open(File("/gone/program", id_), &report),
            nullptr);
  EXPECT_EQ(report.tried.at(0), "/before (damaged)");
  EXPECT_GT(report.tried.size(), 1u);
  EXPECT_TRUE(report.unproven);
}

TEST_F(SourcesTest, NothingButRegularFilesIsOpened) {
  const std::string fifo = dir_ + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  options_.binaries.same_host = true;
  for (const std::string& name :
       {fifo, std::string("/dev/zero"), std::string("/proc/self/exe"),
        std::string("/proc/self/mem"), std::string("//dev/zero"),
        std::string("relative"), dir_, std::string("/dev/../dev/zero"),
        std::string("")}) {
    EXPECT_EQ(Name(File(name)), "") << name;
  }
  EXPECT_FALSE(SafeFile::Open(fifo).ok());
  EXPECT_FALSE(SafeFile::Open("/dev/null").ok());
  EXPECT_FALSE(SafeFile::Open("/proc/self/status").ok());
}

TEST_F(SourcesTest, ACopyInAFolderAboveNeedsTheBuildId) {
  Copy(kProgram, "root/usr/lib/ld64.so.1");
  options_.binaries.symfs = dir_ + "/root";
  const std::string recorded = "/usr/lib/s390x-linux-gnu/ld64.so.1";
  EXPECT_EQ(Name(File(recorded, id_)), "demo::Outer");
  EXPECT_TRUE(report_.verified);
  EXPECT_EQ(Name(File(recorded)), "");
  const uint8_t other[20] = {1, 2, 3};
  EXPECT_EQ(Name(File(recorded, BuildId(other))), "");
  // All copies in one folder.
  options_.binaries.symfs = dir_ + "/root/usr/lib";
  EXPECT_EQ(Name(File(recorded, id_)), "demo::Outer");
  EXPECT_EQ(Name(File("/ld64.so.1", id_)), "demo::Outer");
}

TEST_F(SourcesTest, CopiesInFoldersFarAboveAreNotLookedFor) {
  Copy(kProgram, "root/program");
  options_.binaries.symfs = dir_ + "/root";
  const auto deep = [](int folders) {
    std::string path;
    for (int i = 0; i < folders; ++i) path += "/b";
    return path + "/program";
  };
  EXPECT_EQ(Name(File(deep(32), id_)), "demo::Outer");
  EXPECT_EQ(Name(File(deep(33), id_)), "");
}

TEST_F(SourcesTest, SymfsIsNotLeft) {
  Copy(kProgram, "outside");
  fs::create_directories(dir_ + "/root/lib");
  fs::create_symlink(dir_ + "/outside", dir_ + "/root/absolute");
  fs::create_symlink("../../outside", dir_ + "/root/lib/relative");
  fs::create_symlink("loop", dir_ + "/root/loop");
  fs::create_directory_symlink("/", dir_ + "/root/all");
  options_.binaries.symfs = dir_ + "/root";
  for (const std::string& name :
       {std::string("/absolute"), std::string("/lib/relative"),
        std::string("/../outside"), std::string("/lib/../../outside"),
        std::string("/loop"), "/all" + dir_ + "/outside"}) {
    EXPECT_EQ(Name(File(name)), "") << name;
  }
  // Within it, absolute links are followed as if it were "/".
  Copy(kProgram, "root/usr/lib/program");
  fs::create_directory_symlink("/usr/lib", dir_ + "/root/lib64");
  EXPECT_EQ(Name(File("/lib64/program")), "demo::Outer");
  EXPECT_EQ(Name(File("/lib/../lib64/./program")), "demo::Outer");
}

// The number that the file system gave to this use of an inode; 0: none.
uint32_t GenerationOf(const std::string& path) {
  auto file = SafeFile::Open(path);
  return file.ok() ? (*file)->identity().generation : 0;
}

TEST_F(SourcesTest, TheInodeThatWasMappedIsTheRecordedFile) {
  const std::string path = Copy(kProgram, "program");
  struct stat st;
  ASSERT_EQ(stat(path.c_str(), &st), 0);
  Dso file = File(path);
  file.device_major = major(st.st_dev);
  file.device_minor = minor(st.st_dev);
  file.inode = st.st_ino;
  file.inode_generation = GenerationOf(path);
  if (file.inode_generation == 0) {
    GTEST_SKIP() << "this file system does not number the uses of inodes";
  }
  EXPECT_EQ(Name(file), "demo::Outer");
  EXPECT_FALSE(report_.verified);
  EXPECT_FALSE(report_.unproven);
  Dso other = file;
  other.inode_generation ^= 1;
  EXPECT_EQ(Name(other), "");
  EXPECT_TRUE(report_.unproven);
  // On the recorded machine, too, it is another file by now.
  options_.binaries.same_host = true;
  EXPECT_EQ(Name(other), "demo::Outer");
  ASSERT_EQ(report_.warnings.size(), 1u);
  EXPECT_THAT(report_.warnings[0], testing::HasSubstr("is another file"));
  // As of a process that ran before perf did, whose files have no generation.
  other.inode_generation = 0;
  EXPECT_EQ(Name(other), "demo::Outer");
  EXPECT_TRUE(report_.warnings.empty());
  ++other.inode;
  EXPECT_EQ(Name(other), "demo::Outer");
  ASSERT_EQ(report_.warnings.size(), 1u);
  EXPECT_THAT(report_.warnings[0], testing::HasSubstr("is another file"));
  EXPECT_EQ(Name(file), "demo::Outer");
  EXPECT_TRUE(report_.warnings.empty());
  options_.binaries.same_host = false;
  other = file;
  other.device_minor ^= 1;
  EXPECT_EQ(Name(other), "");
  other = file;
  other.inode_generation = 0;
  EXPECT_EQ(Name(other), "");
}

TEST_F(SourcesTest, OnlyAFileThatIsThereIsUnproven) {
  const std::string path = Copy(kProgram, "program");
  EXPECT_EQ(Name(File(path)), "");
  EXPECT_TRUE(report_.unproven);
  EXPECT_EQ(Name(File(path + ".gone")), "");
  EXPECT_FALSE(report_.unproven);
  const uint8_t other[20] = {1, 2, 3};
  EXPECT_EQ(Name(File(path, BuildId(other))), "");
  EXPECT_FALSE(report_.unproven);
}

TEST_F(SourcesTest, AFileNewerThanTheRecordingIsUsedWithAWarning) {
  const std::string path = Copy(kProgram, "program");
  auto file = SafeFile::Open(path);
  ASSERT_TRUE(file.ok());
  const int64_t written = (*file)->identity().modified;
  options_.binaries.same_host = true;
  options_.binaries.recorded_until = written;
  EXPECT_EQ(Name(File(path)), "demo::Outer");
  EXPECT_TRUE(report_.warnings.empty());
  options_.binaries.recorded_until = written - 1;
  EXPECT_EQ(Name(File(path)), "demo::Outer");
  ASSERT_EQ(report_.warnings.size(), 1u);
  EXPECT_THAT(report_.warnings[0], testing::HasSubstr("after the recording"));
  // A build id says more than times do.
  EXPECT_EQ(Name(File(path, id_)), "demo::Outer");
  EXPECT_TRUE(report_.warnings.empty());
}

TEST_F(SourcesTest, WhatAStrippedFileLacksIsTakenFromElsewhere) {
  const std::string path = dir_ + "/bin/program";
  fs::create_directories(dir_ + "/bin");
  const std::string hex = id_.Hex();
  const std::string place =
      absl::StrCat("/.build-id/", hex.substr(0, 2), "/", hex.substr(2));
  const auto strip = [](const char* what, const std::string& to) {
    fs::create_directories(fs::path(to).parent_path());
    return system(
        absl::StrCat("strip ", what, " -o ", to, " ", kProgram).c_str());
  };
  ASSERT_EQ(strip("", path), 0);
  EXPECT_EQ(Name(File(path, id_)), "");
  // The same build id elsewhere: first with symbols alone, then with all.
  ASSERT_EQ(strip("-g", dir_ + "/debug" + place), 0);
  options_.binaries.debug_dirs = {dir_ + "/debug"};
  EXPECT_EQ(Name(File(path, id_)), "demo::Outer");
  EXPECT_THAT(report_.sources, testing::ElementsAre(dir_ + "/debug" + place));
  EXPECT_EQ(lines_, 0u);
  Copy(kProgram, "cache" + place + "/elf");
  EXPECT_EQ(Name(File(path, id_)), "demo::Outer");
  EXPECT_GT(lines_, 0u);
  // The stripped file has the dynamic symbols still, if any.
  EXPECT_THAT(report_.sources,
              testing::Contains(dir_ + "/cache" + place + "/elf"));
  // Also where the recording has no build id, by that of the file.
  options_.binaries.same_host = true;
  EXPECT_EQ(Name(File(path)), "demo::Outer");
  EXPECT_GT(lines_, 0u);
}

// The symbol table in one place, debug information in a later one.
TEST_F(SourcesTest, SymbolsAndLinesMayLieInTwoPlaces) {
  const std::string hex = id_.Hex();
  const std::string place =
      absl::StrCat("/.build-id/", hex.substr(0, 2), "/", hex.substr(2));
  const auto strip = [this](const char* what, const std::string& to) {
    const std::string path = dir_ + to;
    fs::create_directories(fs::path(path).parent_path());
    EXPECT_EQ(
        system(
            absl::StrCat("strip ", what, " -o ", path, " ", kProgram).c_str()),
        0);
    return path;
  };
  const std::string stripped = strip("", "/bin/program");
  const std::string symbols = strip("-g", "/first" + place);
  const std::string all = Copy(kProgram, "second" + place);
  options_.binaries.debug_dirs = {dir_ + "/first", dir_ + "/second"};
  EXPECT_EQ(Name(File(stripped, id_)), "demo::Outer");
  EXPECT_GT(lines_, 0u);
  EXPECT_THAT(report_.sources, testing::UnorderedElementsAre(symbols, all));
}

TEST_F(SourcesTest, AFlatDebugFolderIsSearchedByBuildId) {
  Copy(kProgram, "flat/under-any-name.debug");
  Write("flat/note", "not ELF");
  fs::create_directories(dir_ + "/flat/folder");
  options_.binaries.debug_dirs = {dir_ + "/flat"};
  EXPECT_EQ(Name(File("/gone/program", id_)), "demo::Outer");
  EXPECT_TRUE(report_.verified);
  const uint8_t other[20] = {1, 2, 3};
  EXPECT_EQ(Name(File("/gone/program", BuildId(other))), "");
  EXPECT_EQ(Name(File("/gone/under-any-name.debug")), "");
}

TEST_F(SourcesTest, AProcessMayHaveARootOfItsOwn) {
  Copy(kProgram, "a/bin/program");
  Copy("tests/symbolize/data/gcc-dwarf4", "b/bin/other");
  options_.binaries.symfs_of[7] = dir_ + "/a";
  Dso file = File("/bin/program");
  EXPECT_EQ(Name(file), "");
  file.pid = 7;
  EXPECT_EQ(Name(file), "demo::Outer");
  // Trusted below its own root only; by its build id in any.
  options_.binaries.symfs_of[7] = dir_ + "/b";
  options_.binaries.symfs_of[8] = dir_ + "/a";
  EXPECT_EQ(Name(file), "");
  file.build_id = id_;
  EXPECT_EQ(Name(file), "demo::Outer");
  // Its links stay within its root.
  fs::create_symlink(dir_ + "/a/bin/program", dir_ + "/b/bin/program");
  EXPECT_EQ(Name(file), "demo::Outer");
  file.build_id = BuildId();
  EXPECT_EQ(Name(file), "");
}

}  // namespace
}  // namespace perf2x
