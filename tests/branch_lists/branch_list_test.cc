// SPDX-License-Identifier: Apache-2.0

// Branch lists of simpleperf, from their bytes to profiles for compilers.

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/branch_lists/branch_list_reader.h"
#include "tests/branch_lists/branch_list_fixture.h"
#include "tests/support/compressed_file.h"
#include "tests/support/etm_writer.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

using branch_list::BranchList;
using branch_list::EtmBinary;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Bytes = std::vector<uint8_t>;

class BranchListTest : public BranchListFixture {};

TEST_F(BranchListTest, EachListCountsAsOftenAsItSays) {
  EXPECT_EQ(Sorted(BoltOf(BytesOf(Countdown(7)))), kBolt);
  ASSERT_EQ(report_.events.size(), 1u);
  EXPECT_EQ(report_.events[0].name, "branches");
  EXPECT_EQ(report_.events[0].period, 21u);
  EXPECT_FALSE(report_.diagnostics.lossy());
  ASSERT_TRUE(ConvertTo("profgen", BytesOf(Countdown(7))).ok());
  EXPECT_EQ(text_,
            "5\n1000-1008:7\n1004-1008:7\n1004-100c:7\n1010-1014:14\n"
            "1018-101c:7\n2\n1008->1004:14\n100c->1018:7\n");
}

TEST_F(BranchListTest, FilesWithAVersion) {
  BranchList first = Countdown(7), second = Countdown(7);
  first.clear_magic();
  second.clear_magic();
  first.mutable_etm_data(0)->mutable_addrs()->RemoveLast();
  second.mutable_etm_data(0)->mutable_addrs()->DeleteSubrange(0, 1);
  const Bytes one = BytesOf(first), two = BytesOf(second);
  EXPECT_EQ(Sorted(BoltOf(FramedBranchLists({one, two}, false))), kBolt);
  EXPECT_EQ(Sorted(BoltOf(FramedBranchLists({Zstded(one), Zstded(two)}, true))),
            kBolt);
}

TEST_F(BranchListTest, OtherKindsAreRefusedByName) {
  const Bytes message = BytesOf(Countdown(7));
  Bytes compressed = FramedBranchLists({message}, true);
  compressed[28] = 2;
  Bytes other = FramedBranchLists({message}, false), field = message;
  other[20] = field[20] = 'X';
  for (const auto& [file, text] : std::vector<std::pair<Bytes, const char*>>{
           {FramedBranchLists({message}, false, 2), "of version 2;"},
           {compressed, "of version 1, compressed in an unknown way (2)"},
           {other, "begins with \"simpleperf:EtmBranchXist\""},
           {field, "begins with \"\\n\\x18simpleperf:EtmBranXhList\""}}) {
    const absl::Status status = ConvertTo("bolt", file);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(StartsWith("memory: a branch list of simpleperf"),
                      HasSubstr(text), HasSubstr("convert the recording")));
  }
}

TEST_F(BranchListTest, StreamsAreReadToTheEnd) {
  for (const Bytes& file :
       {Gzipped(BytesOf(Countdown(7))), Zstded(BytesOf(Countdown(7)))}) {
    WriteBytes(folder_.File("list"), file);
    auto input = OpenInput(InputIdentity::FromPath(folder_.File("list"), true));
    ASSERT_TRUE(input.ok());
    text_.clear();
    ASSERT_TRUE(Convert(*std::move(input), *FindEmitter("bolt"), outputs(),
                        options_, &report_)
                    .ok());
    EXPECT_EQ(Sorted(text_), kBolt);
    report_ = {};
  }
}

TEST_F(BranchListTest, CountsSaturate) {
  BranchList list = NewBranchList();
  EtmBinary* const binary = AddBinary("/bin/count", &list);
  AddBranches(0x1004, "E", ~uint64_t{0}, binary);
  AddBranches(0x1004, "E", ~uint64_t{0} - 5, binary);
  EXPECT_THAT(BoltOf(BytesOf(list)),
              HasSubstr("B 1008 1004 9223372036854775807 0\n"));
  EXPECT_EQ(report_.events[0].period, ~uint64_t{0});
}

// Longer than one sample is.
TEST_F(BranchListTest, NoBranchOfALongListIsLost) {
  BranchList list = NewBranchList();
  AddBranches(0x1004, std::string(10'000, 'E') + "N", 3,
              AddBinary("/bin/count", &list));
  ASSERT_TRUE(ConvertTo("profgen", BytesOf(list)).ok());
  EXPECT_EQ(text_, "1\n1004-1008:30003\n1\n1008->1004:30000\n");
  EXPECT_EQ(report_.events[0].samples, 3u);
  // It is entered once.
  EXPECT_EQ(BoltOf(BytesOf(list)),
            "B 1008 1004 30000 0\nF 1004 1008 30000\nf 1004 1008 3\n");
  options_.emitter_options["profgen-contexts"] = "true";
  ASSERT_TRUE(ConvertTo("profgen", BytesOf(list)).ok());
  EXPECT_EQ(text_,
            "[]\n  2\n  1004-1004:30003\n  1008-1008:30003\n"
            "  1\n  1008->1004:30000\n");
}

// A program that only calls what it does not know.
TEST_F(BranchListTest, AFileWithoutDirectBranchesHasAProfile) {
  BranchList list = Countdown(1);
  WriteBytes(folder_.File("bin/calls"),
             Arm64Program(CountdownProgram(), "calls"));
  AddBranches(0x1010, "E", 20, AddBinary("/bin/calls", &list));
  EXPECT_EQ(BoltOf(BytesOf(list)), "f 1010 1014 20\n");
  ASSERT_TRUE(AddToFilter(FilterKey::kDso, "calls", &options_.filter).ok());
  EXPECT_EQ(BoltOf(BytesOf(list)), "f 1010 1014 20\n");
}

TEST_F(BranchListTest, AFileThatIsNotThereIsNoSubject) {
  BranchList list = Countdown(7);
  AddBranches(0x1000, "E", 1, AddBinary("/bin/missing", &list));
  const auto error = [&](const std::string& dso) {
    options_.filter = FilterOptions();
    EXPECT_TRUE(AddToFilter(FilterKey::kDso, dso, &options_.filter).ok());
    return std::string(ConvertTo("bolt", BytesOf(list)).message());
  };
  EXPECT_EQ(error("cuont"),
            "no branch or sample is in --dso \"cuont\"; the recording has "
            "/bin/count, "
            "/bin/missing");
  EXPECT_EQ(error("missing"),
            "no branch or sample is in --dso \"missing\", whose file was not "
            "found: name its folder with --symfs");
}

TEST_F(BranchListTest, AddressesWithinInstructionsAreCounted) {
  BranchList list = Countdown(7);
  AddBranches(0x1001, "E", 1, list.mutable_etm_data(0));
  AddBranches(0x1002, "E", 1, list.mutable_etm_data(0));
  EXPECT_EQ(Sorted(BoltOf(BytesOf(list))), kBolt);
  EXPECT_EQ(
      Counted("branch list from an address where no instruction can begin"),
      2u);
}

TEST_F(BranchListTest, TheKernelAtRunTime) {
  options_.symbols.vmlinux = folder_.File("vmlinux");
  WriteBytes(options_.symbols.vmlinux,
             Arm64Program(CountdownProgram(), "_stext"));
  for (const uint64_t start : {uint64_t{0}, 0xffffffc008080000}) {
    BranchList list = NewBranchList();
    EtmBinary* const kernel = AddBinary("[kernel.kallsyms]", &list);
    kernel->set_type(EtmBinary::KERNEL);
    kernel->mutable_kernel_info()->set_kernel_start_addr(start);
    AddBranches((start == 0 ? 0x1000 : start), "EE", 4, kernel);
    EXPECT_THAT(BoltOf(BytesOf(list)), HasSubstr("B 1008 1004 8 0\n")) << start;
  }
}

// Each kernel has a copy of its file, whatever it is called.
TEST_F(BranchListTest, KernelsAreFew) {
  options_.symbols.vmlinux = folder_.File("vmlinux");
  WriteBytes(options_.symbols.vmlinux,
             Arm64Program(CountdownProgram(), "_stext"));
  BranchList list = NewBranchList();
  for (int i = 0; i < 20; ++i) {
    EtmBinary* const kernel = AddBinary(absl::StrCat("[k", i, "]"), &list);
    kernel->set_type(EtmBinary::KERNEL);
    AddBranches(0x1000, "EE", 4, kernel);
  }
  BoltOf(BytesOf(list));
  EXPECT_EQ(Counted("branch list of a file that was not found (see --symfs and "
                    "--vmlinux)"),
            12u);
}

TEST_F(BranchListTest, CodeThatCannotBeFollowedIsCounted) {
  BranchList list = Countdown(7);
  EtmBinary* const module = AddBinary("/bin/count", &list);
  module->set_type(EtmBinary::KERNEL_MODULE);
  AddBranches(0x1000, "E", 1, module);
  Bytes program = Arm64Program(CountdownProgram(), "count");
  program[offsetof(Elf64_Ehdr, e_machine)] = EM_X86_64;
  WriteBytes(folder_.File("bin/x86"), program);
  AddBranches(0x1000, "E", 1, AddBinary("/bin/x86", &list));
  EXPECT_EQ(Sorted(BoltOf(BytesOf(list))), kBolt);
  EXPECT_EQ(Counted("branch list of a kernel module, whose file does not say "
                    "where its calls lead"),
            1u);
  EXPECT_EQ(Counted("branch list of a file that is not of an Arm processor"),
            1u);
}

TEST_F(BranchListTest, SamplesOfLbr) {
  BranchList list;
  list.set_magic("simpleperf:EtmBranchList");
  branch_list::LbrData* const lbr = list.mutable_lbr_data();
  lbr->add_binaries()->set_path("/bin/other");
  lbr->add_binaries()->set_path("/opt/prog");
  for (int i = 0; i < 3; ++i) {
    branch_list::LbrData::Sample* const sample = lbr->add_samples();
    sample->set_binary_id(2);
    sample->set_vaddr_in_file(0x1940);
    const auto add = [&](uint32_t from_id, uint64_t from, uint32_t to_id,
                         uint64_t to) {
      branch_list::LbrData::Sample::Branch* const branch =
          sample->add_branches();
      branch->set_from_binary_id(from_id);
      branch->set_from_vaddr_in_file(from);
      branch->set_to_binary_id(to_id);
      branch->set_to_vaddr_in_file(to);
    };
    add(2, 0x194d, 2, 0x1940);  // the latest
    add(2, 0x191b, 2, 0x1948);
    add(1, 0x500, 2, 0x1910);
    add(9, 0x500, 0, 0x1910);  // of no binary
  }
  ASSERT_TRUE(AddToFilter(FilterKey::kDso, "prog", &options_.filter).ok());
  EXPECT_EQ(Sorted(BoltOf(BytesOf(list))),
            "B 0 1910 3 0\n"
            "B 191b 1948 3 0\n"
            "B 194d 1940 3 0\n"
            "F 1910 191b 3\n"
            "F 1948 194d 3\n");
  EXPECT_EQ(Counted("branch of a binary that the branch list does not have"),
            3u);
}

// One build is listed with its build id and without.
TEST_F(BranchListTest, AFileWithAndWithoutBuildIdIsOne) {
  for (const int with_id : {0, 1}) {
    BranchList list = NewBranchList();
    branch_list::LbrData* const lbr = list.mutable_lbr_data();
    for (const int i : {0, 1}) {
      branch_list::LbrData::Binary* const binary = lbr->add_binaries();
      binary->set_path("/opt/prog");
      if (i == with_id) binary->set_build_id(std::string(40, 'a'));
    }
    branch_list::LbrData::Sample::Branch* const branch =
        lbr->add_samples()->add_branches();
    branch->set_from_binary_id(1);
    branch->set_from_vaddr_in_file(0x1918);
    branch->set_to_binary_id(2);
    branch->set_to_vaddr_in_file(0x1948);
    EXPECT_EQ(BoltOf(BytesOf(list)), "B 1918 1948 1 0\n") << with_id;
  }
  // The file that was found has no build id: it may be another build.
  BranchList list = Countdown(7);
  EtmBinary* const other = AddBinary("/bin/count", &list);
  other->set_build_id(std::string(40, 'a'));
  AddBranches(0x1000, "E", 1, other);
  EXPECT_EQ(Sorted(BoltOf(BytesOf(list))), kBolt);
  EXPECT_EQ(Counted("branch list of a file that was not found (see --symfs and "
                    "--vmlinux)"),
            1u);
}

TEST_F(BranchListTest, WhatIsLeftOutIsCounted) {
  BranchList list = Countdown(7);
  AddBranches(0x1000, "E", 1, AddBinary("/bin/missing", &list));
  AddBranches(0x9000, "E", 1, list.mutable_etm_data(0));
  AddBranches(0x1010, std::string(2000, 'E'), 7, list.mutable_etm_data(0));
  AddBranches(0x1000, "E", 0, list.mutable_etm_data(0));
  list.mutable_etm_data(0)
      ->mutable_addrs(0)
      ->mutable_branches(0)
      ->set_branch_size(99);
  BoltOf(BytesOf(list));
  EXPECT_EQ(Counted("branch list of a file that was not found (see --symfs and "
                    "--vmlinux)"),
            1u);
  EXPECT_EQ(Counted("branch list that leads out of the code of its file"), 1u);
  EXPECT_EQ(Counted("branch list that goes on after a branch whose target is "
                    "not known"),
            2u);  // also the one that has fewer
  EXPECT_EQ(Counted("branch list with fewer branches than it says"), 1u);
}

TEST_F(BranchListTest, OtherFormatsAndFiltersAreRefused) {
  for (const char* format : {"pprof", "folded", "csv", "html"}) {
    const absl::Status status = ConvertTo(format, BytesOf(Countdown(1)));
    EXPECT_THAT(std::string(status.message()), HasSubstr("branch list"))
        << format;
  }
  ASSERT_TRUE(AddToFilter(FilterKey::kComm, "sh", &options_.filter).ok());
  const absl::Status status = ConvertTo("bolt", BytesOf(Countdown(1)));
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot be filtered"));
}

TEST_F(BranchListTest, SurvivesDamage) {
  const Bytes whole = BytesOf(Countdown(7));
  const Bytes framed = FramedBranchLists({whole, whole}, false);
  const Bytes compressed = FramedBranchLists({Zstded(whole)}, true);
  for (const Bytes& file : {whole, framed, compressed}) {
    for (size_t at = kBranchListMagicSize; at < file.size(); ++at) {
      (void)ConvertTo("profgen", Bytes(file.begin(), file.begin() + at));
      for (const uint8_t mask : {0x01, 0x08, 0x80, 0xff}) {
        Bytes changed = file;
        changed[at] ^= mask;
        (void)ConvertTo("profgen", changed);
      }
    }
  }
  // All before the damage counts.
  Bytes cut = framed;
  cut.resize(cut.size() - 10);
  EXPECT_EQ(Sorted(BoltOf(cut)), kBolt);
  EXPECT_EQ(Counted("the branch list ends within a message"), 1u);
}

TEST_F(BranchListTest, ABombIsBounded) {
  BranchList list = NewBranchList();
  EtmBinary* const binary = AddBinary("/bin/count", &list);
  for (int i = 0; i < 30; ++i) {
    AddBranches(0x1004, std::string(1'000'000, 'E'), 1, binary);
  }
  const Bytes bytes = BytesOf(list);
  Input input = MemoryInput(bytes);
  input.size = std::make_shared<std::atomic<uint64_t>>(1000);
  text_.clear();
  ASSERT_TRUE(Convert(std::move(input), *FindEmitter("bolt"), outputs(),
                      options_, &report_)
                  .ok());
  EXPECT_GT(Counted("branch list left out: the work that an input of this "
                    "size may cause is used up (see SECURITY.md)"),
            0u);
}

// Messages that are short when compressed: many bytes that mean nothing, or
// none at all.
TEST_F(BranchListTest, MessagesToDecompressAreBounded) {
  constexpr size_t kLong = 4 << 20, kMessages = 400;
  // Field 15, which no version has.
  std::vector<uint8_t> nothing = {0x7a, 0x80, 0x80, 0x80, 0x02};
  nothing.resize(nothing.size() + kLong);
  const std::vector<uint8_t> list = BytesOf(Countdown(7));
  for (const std::vector<uint8_t>& message : {nothing, {}}) {
    std::vector<std::vector<uint8_t>> messages(
        message.empty() ? 20 * kMessages : kMessages, Zstded(message));
    messages.insert(messages.begin(), Zstded(list));
    const std::vector<uint8_t> file = FramedBranchLists(messages, true);
    Input input = MemoryInput(file);
    input.size = std::make_shared<std::atomic<uint64_t>>(file.size());
    ASSERT_TRUE(ConvertTo("bolt", std::move(input)).ok());
    EXPECT_EQ(Sorted(text_), kBolt);
    EXPECT_GT(Counted("message of the branch list left out: the work that an "
                      "input of this size may cause is used up (see "
                      "SECURITY.md)"),
              kMessages / 4);
  }
}

TEST(IsBranchListTest, KnowsBothKinds) {
  const auto is = [](const std::string& text) {
    return IsBranchList(
        {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  EXPECT_TRUE(is("simpleperf:EtmBranchList"));
  EXPECT_TRUE(is("\n\x18simpleperf:EtmBranchList"));
  EXPECT_TRUE(is("simpleperf:EtmBranch"));  // cut short
  EXPECT_FALSE(is("PERFILE2"));
  EXPECT_FALSE(is(""));
}

}  // namespace
}  // namespace perf2x
