// SPDX-License-Identifier: Apache-2.0

// One file is read once, whatever leads to it; compressed files have a limit.
#include "converter/symbolize/find/symbol_files.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "converter/base/machine.h"
#include "converter/symbolize/find/archive.h"
#include "converter/symbolize/find/binary_finder.h"
#include "converter/symbolize/find/debug_link.h"
#include "tests/symbolize/find/sources_fixture.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

class SymbolFilesTest : public SourcesTest {
 protected:
  SymbolFilesTest() {
    options_.binaries.same_host = true;
    options_.binaries.files = files_;
  }
  std::shared_ptr<const ElfFile> Open(const std::string& path) {
    auto file = SafeFile::Open(path);
    EXPECT_TRUE(file.ok());
    auto elf = files_->OpenElf(*file);
    EXPECT_TRUE(elf.ok());
    return *elf;
  }
  static std::string Image() {
    return std::string((*SafeFile::Open(kProgram))->text());
  }
  const std::shared_ptr<SymbolFiles> files_ = std::make_shared<SymbolFiles>();
};

TEST_F(SymbolFilesTest, AFileOfTwoNamesIsReadOnce) {
  const std::string path = Copy(kProgram, "program");
  fs::create_hard_link(path, dir_ + "/other");
  EXPECT_EQ(Open(path), Open(dir_ + "/other"));
  EXPECT_NE(Open(path), Open(Copy(kProgram, "copy")));
}

TEST_F(SymbolFilesTest, FindersShareFiles) {
  const std::string path = Copy(kProgram, "program");
  const BinaryFinder one(options_.binaries), two(options_.binaries);
  EXPECT_EQ(one.OpenBinary(File(path)).elf, two.OpenBinary(File(path)).elf);
}

// A recording may map one file as thousands of inodes.
TEST_F(SymbolFilesTest, DsosOfOneFileShareItsSymbols) {
  const std::string path = Copy(kProgram, "program");
  const Budget& budget = Open(path)->file()->budget();
  auto symbolizer = MakeSymbolizer(options_);
  std::vector<uint64_t> used;
  for (uint64_t inode = 1; inode <= 3; ++inode) {
    Dso dso = File(path);
    dso.inode = inode;
    const uint64_t address = 0x230;
    std::string name;
    symbolizer->Resolve(dso, {&address, 1},
                        [&](size_t, absl::Span<const Symbol> symbols) {
                          name = std::string(symbols.back().name);
                        });
    EXPECT_EQ(name, "demo::Outer");
    used.push_back(budget.used(Budget::kMemory));
  }
  EXPECT_GE(used[0], SymbolIndex::kMemoryOfEntry);
  EXPECT_LT(used[2] - used[0], SymbolIndex::kMemoryOfEntry);
  ASSERT_EQ(symbolizer->Reports().size(), 3u);
  for (const DsoReport& report : symbolizer->Reports()) {
    EXPECT_EQ(report.sources, std::vector<std::string>{path});
    EXPECT_TRUE(report.has_symbol_table);
  }
}

// A recording may give thousands of names to the build id of one member.
TEST_F(SymbolFilesTest, AMemberOfAnArchiveIsReadOnce) {
  const std::string member = "program/" + id_.Hex() + "/elf";
  const std::string image = Image();
  std::string packed(ZSTD_compressBound(image.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), image.data(),
                              image.size(), 1));
  for (const std::string& content : {image, packed}) {
    const std::string tar = Write(absl::StrCat(content.size(), ".tar"),
                                  TarMember(member, '0', content));
    auto archive = Archive::Open(tar);
    ASSERT_TRUE(archive.ok());
    const auto open = [&] {
      return files_->OpenElf((*archive)->Find(id_, "elf"));
    };
    const auto first = open();
    ASSERT_TRUE(first.ok());
    EXPECT_EQ((*first)->build_id(), id_);
    EXPECT_EQ(*first, *open());
  }
}

TEST_F(SymbolFilesTest, FilesInMemoryAreKnownByTheirBytes) {
  const std::string image = Image();
  const auto file = SafeFile::FromMemory("one", image);
  EXPECT_EQ(*files_->OpenElf(file), *files_->OpenElf(file));
  EXPECT_NE(*files_->OpenElf(file),
            *files_->OpenElf(SafeFile::FromMemory("other", image)));
}

TEST_F(SymbolFilesTest, CompressedFilesHaveALimitTogether) {
  std::string image = TestElf(MachineOfElf(EM_X86_64), {});
  image.resize(20 << 20);
  std::string packed(ZSTD_compressBound(image.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), image.data(),
                              image.size(), 1));
  ASSERT_LT(packed.size(), 10'000u);
  for (int i = 0; i < 3; ++i) {
    Open(Write(absl::StrCat("f", i), packed));
    Open(dir_ + absl::StrCat("/f", i));
  }
  auto file = SafeFile::Open(Write("f3", packed));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(absl::IsResourceExhausted(files_->OpenElf(*file).status()));
  Name(File(dir_ + "/f3"));
  EXPECT_EQ(report_.tried.at(0), dir_ + "/f3 (unpacks to too much)");
  // The file itself limits a part of it.
  EXPECT_TRUE(absl::IsResourceExhausted(
      SymbolFiles()
          .Unpack(
              {reinterpret_cast<const uint8_t*>(packed.data()), packed.size()},
              packed.size(), 1 << 20)
          .status()));
}

}  // namespace
}  // namespace perf2x
