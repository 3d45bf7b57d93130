// SPDX-License-Identifier: Apache-2.0
#include "converter/session/address_spaces.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "converter/perf/records/wire.h"
#include "converter/session/callchain_places.h"
#include "converter/session/user_stacks.h"

namespace perf2x {
namespace {

class AddressSpacesTest : public testing::Test {
 protected:
  void MapFile(ProcessState& process, const char* name, uint64_t start,
               uint64_t end, uint64_t offset) {
    MappedFile mapped;
    mapped.name = name;
    MapEntry entry{start, end, offset,
                   files_.UserDso(mapped, process.pid, process.program), 0};
    entry.mapping = files_.MappingOf(entry.dso, start, end, offset);
    entry.code = MappedCode::kFile;
    process.map.Insert(entry, address_spaces_.arena());
  }
  void MapKernel(const char* name, bool module, uint64_t start, uint64_t end) {
    MapEntry entry{start, end, 0, files_.KernelDso(name, module, start), 0};
    entry.mapping = files_.MappingOf(entry.dso, start, end, 0);
    address_spaces_.mutable_kernel_map().Insert(entry, address_spaces_.arena());
  }
  // The frames of a chain as "file+address", leaf first.
  std::vector<std::string> Frames(ProcessState& process,
                                  const std::vector<uint64_t>& chain) {
    const absl::Span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(chain.data()), chain.size() * 8);
    const AddressSpaceId space = address_spaces_.CurrentIdOf(process);
    const StackId stack = tables_.stacks.Intern(
        StackTable::HashOf(space, bytes), space, bytes, false);
    return FramesOf(stack);
  }
  std::vector<std::string> FramesOf(StackId stack) {
    std::vector<FrameId> frames;
    tables_.FramesOf(stack, &frames);
    std::vector<std::string> out;
    for (const FrameId id : frames) {
      const Frame& frame = tables_.frames()[id];
      char address[32];
      snprintf(address, sizeof(address), "+%llx",
               static_cast<unsigned long long>(frame.address));
      out.push_back(tables_.dsos()[frame.dso].name + address);
    }
    return out;
  }

  using Names = std::vector<std::string>;
  TraceTables tables_;
  DsoTable files_{tables_};
  ThreadTable threads_{tables_};
  AddressSpaces address_spaces_{tables_, files_};
};

TEST_F(AddressSpacesTest, A32BitProcessHasAVdsoOfItsOwn) {
  MappedFile vdso;
  vdso.name = "[vdso]";
  const DsoId wide = files_.UserDso(vdso, 1, 0);
  vdso.below_4g = true;
  const DsoId narrow = files_.UserDso(vdso, 2, 0);
  EXPECT_NE(wide, narrow);
  EXPECT_FALSE(tables_.dsos()[wide].below_4g);
  EXPECT_TRUE(tables_.dsos()[narrow].below_4g);
}

TEST_F(AddressSpacesTest, ReturnAddressesAreLookedUpOneByteBack) {
  ProcessState& p = threads_.GetProcess(1);
  MapFile(p, "/bin/a", 0x1000, 0x3000, 0x500);
  EXPECT_EQ(Frames(p, {kContextUser, 0x1010, 0x1020, 0x2000}),
            (Names{"/bin/a+510", "/bin/a+51f", "/bin/a+14ff"}));
}

TEST_F(AddressSpacesTest,
       FirstAddressBehindEachMarkerIsAnInterruptedInstruction) {
  ProcessState& p = threads_.GetProcess(1);
  MapFile(p, "/bin/a", 0x1000, 0x3000, 0);
  MapKernel("[kernel.kallsyms]", false, 0xffff0000, 0xffffffff);
  EXPECT_EQ(Frames(p, {kContextKernel, 0xffff0100, 0xffff0200, kContextUser,
                       0x1100, 0x1200}),
            (Names{"[kernel.kallsyms]+ffff0100", "[kernel.kallsyms]+ffff01ff",
                   "/bin/a+100", "/bin/a+1ff"}));
}

// An interrupt's entry is called by what it interrupted, and an exception's
// exit is returned to without having called.
TEST_F(AddressSpacesTest, CallersOfInterruptEntriesWereInterrupted) {
  ProcessState& p = threads_.GetProcess(1);
  MapKernel("[kernel.kallsyms]", false, 0xffff0000, 0xffffffff);
  address_spaces_.set_interrupt_entries([](const Dso& kernel) {
    EXPECT_EQ(kernel.kind, DsoKind::kKernel);
    return std::vector<CodeRange>{{0xffff1000, 0xffff1100},
                                  {0xffff1100, 0xffff1200}};
  });
  EXPECT_EQ(
      Frames(p,
             {kContextKernel, 0xffff0100, 0xffff1016, 0xffff0200, 0xffff0300}),
      (Names{"[kernel.kallsyms]+ffff0100", "[kernel.kallsyms]+ffff1015",
             "[kernel.kallsyms]+ffff0200", "[kernel.kallsyms]+ffff02ff"}));
  EXPECT_EQ(
      Frames(p, {kContextKernel, 0xffff0100, 0xffff1100}),
      (Names{"[kernel.kallsyms]+ffff0100", "[kernel.kallsyms]+ffff1100"}));
  EXPECT_EQ(
      Frames(p, {kContextKernel, 0xffff1200, 0xffff1300}),
      (Names{"[kernel.kallsyms]+ffff1200", "[kernel.kallsyms]+ffff12ff"}));
}

TEST_F(AddressSpacesTest, StacksWhoseCopyEndedSaySo) {
  ProcessState& p = threads_.GetProcess(1);
  MapFile(p, "/bin/a", 0x1000, 0x3000, 0x500);
  EXPECT_EQ(Frames(p, {kContextUser, 0x1010, kStackTruncated}),
            (Names{"/bin/a+510", "[truncated]+0"}));
}

TEST_F(AddressSpacesTest, ModulesAreTakenOutOfTheKernel) {
  ProcessState& p = threads_.GetProcess(1);
  MapKernel("[kernel.kallsyms]", false, 0xf0000000, ~uint64_t{0});
  MapKernel("[ext4]", true, 0xf8000000, 0xf8001000);
  EXPECT_EQ(Frames(p, {kContextKernel, 0xf8000800, 0xf9000000}),
            (Names{"[ext4]+f8000800", "[kernel.kallsyms]+f8ffffff"}));
}

TEST_F(AddressSpacesTest, KernelAndUserMayUseTheSameAddresses) {
  ProcessState& p = threads_.GetProcess(1);
  MapFile(p, "/bin/a", 0x1000, 0x2000, 0);
  MapKernel("[kernel.kallsyms]", false, 0x1000, 0x2000);
  EXPECT_EQ(Frames(p, {kContextKernel, 0x1800, kContextUser, 0x1800}),
            (Names{"[kernel.kallsyms]+1800", "/bin/a+800"}));
}

TEST_F(AddressSpacesTest, UncoveredAddressesKeepTheirFrame) {
  ProcessState& p = threads_.GetProcess(1);
  EXPECT_EQ(Frames(p, {kContextUser, 0x1010}), (Names{"[unknown]+1010"}));
  EXPECT_EQ(Frames(p, {kContextGuestKernel, 0x10, kContextHypervisor, 0x20}),
            (Names{"[guest.kernel.kallsyms]+10", "[hypervisor]+20"}));
  EXPECT_EQ(Frames(p, {kContextUser}), (Names{"[unknown]+0"}));
}

TEST_F(AddressSpacesTest, CookieOfADeferredChainIsNoAddress) {
  ProcessState& p = threads_.GetProcess(1);
  MapKernel("[kernel.kallsyms]", false, 0xf0000000, ~uint64_t{0});
  EXPECT_EQ(Frames(p, {kContextKernel, 0xf0000010, kContextUserDeferred, 77}),
            (Names{"[kernel.kallsyms]+f0000010"}));
}

TEST_F(AddressSpacesTest, StacksAreReadInTheLayoutTheyWereSampledIn) {
  ProcessState& p = threads_.GetProcess(1);
  MapFile(p, "/lib/old.so", 0x1000, 0x2000, 0);
  const std::vector<uint64_t> chain = {kContextUser, 0x1800};
  const absl::Span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(chain.data()), 16);
  const AddressSpaceId before = address_spaces_.CurrentIdOf(p);
  const StackId old_stack = tables_.stacks.Intern(
      StackTable::HashOf(before, bytes), before, bytes, false);
  MapFile(p, "/lib/new.so", 0x1000, 0x2000, 0);
  EXPECT_NE(address_spaces_.CurrentIdOf(p), before);
  EXPECT_EQ(Frames(p, chain), (Names{"/lib/new.so+800"}));
  EXPECT_EQ(FramesOf(old_stack), (Names{"/lib/old.so+800"}));
}

TEST_F(AddressSpacesTest, LayoutStaysWhileNothingChanges) {
  ProcessState& p = threads_.GetProcess(1);
  MapFile(p, "/bin/a", 0x1000, 0x2000, 0);
  const AddressSpaceId first = address_spaces_.CurrentIdOf(p);
  EXPECT_EQ(address_spaces_.CurrentIdOf(p), first);
  threads_.Fork(2, 2, 1, 1, true);
  EXPECT_EQ(address_spaces_.CurrentIdOf(threads_.GetProcess(2)), first);
  MapKernel("[m]", true, 0xf0000000, 0xf0001000);
  EXPECT_NE(address_spaces_.CurrentIdOf(p), first);
}

TEST_F(AddressSpacesTest, SameFileInTwoProcessesIsOneFrame) {
  ProcessState& a = threads_.GetProcess(1);
  ProcessState& b = threads_.GetProcess(2);
  MapFile(a, "/lib/c.so", 0x1000, 0x2000, 0x100);
  MapFile(b, "/lib/c.so", 0x7000, 0x8000, 0x100);
  Frames(a, {kContextUser, 0x1800});
  Frames(b, {kContextUser, 0x7800});
  EXPECT_EQ(tables_.frames().size(), 1u);
}

// A finder keeps places that it found; one that has found nothing keeps none.
// Addresses are few, so that most are found again: in another process, after
// the process or the kernel got other mappings, in another mode, and where
// nothing is mapped.
TEST_F(AddressSpacesTest, WhatWasFoundBeforeChangesNoPlace) {
  std::mt19937 random(1);
  const auto less_than = [&](uint64_t limit) { return random() % limit; };
  const uint64_t markers[] = {kContextUser, kContextKernel, kContextGuestKernel,
                              kContextGuestUser, kContextHypervisor};
  std::vector<StackId> stacks;
  for (int i = 0; i < 4000; ++i) {
    ProcessState& p = threads_.GetProcess(static_cast<int32_t>(less_than(3)));
    if (i % 100 == 0) {
      const uint64_t start = 0x1000 * less_than(4);
      MapFile(p, less_than(2) == 0 ? "/bin/a" : "/bin/b", start, start + 0x1000,
              0x1000 * less_than(3));
    } else if (i % 100 == 50) {
      const uint64_t start = 0x1000 * less_than(4);
      MapKernel("[m]", true, start, start + 0x1000);
    }
    std::vector<uint64_t> chain;
    for (uint64_t n = less_than(12); n > 0; --n) {
      chain.push_back(less_than(6) == 0 ? markers[less_than(5)]
                                        : 0x5000 / 16 * less_than(16));
    }
    const absl::Span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(chain.data()), chain.size() * 8);
    const AddressSpaceId space = address_spaces_.CurrentIdOf(p);
    stacks.push_back(tables_.stacks.Intern(StackTable::HashOf(space, bytes),
                                           space, bytes, false));
  }
  FramePlaces kept;
  size_t frames = 0, stored = 0;
  std::unique_ptr<PlaceFinder> finder;
  for (size_t i = 0; i < stacks.size(); ++i) {
    if (i % 500 == 0) finder = address_spaces_.MakeFinder();
    if (i % 70 == 0) {
      frames += kept.size();
      stored += kept.stored().size();
      kept.clear();
    }
    const size_t before = kept.size();
    FramePlaces anew;
    CallchainPlaces(address_spaces_, tables_, /*adds=*/true)
        .AppendPlaces(stacks[i], &anew);
    ASSERT_TRUE(finder->AppendPlaces(stacks[i], &kept));
    ASSERT_EQ(kept.size() - before, anew.size());
    for (size_t frame = 0; frame < anew.size(); ++frame) {
      const FramePlace& place = kept[before + frame];
      ASSERT_EQ(place.address, anew[frame].address);
      ASSERT_EQ(place.dso, anew[frame].dso);
      ASSERT_EQ(place.mapping, anew[frame].mapping);
      ASSERT_EQ(place.hash, FrameTable::HashOf(place.dso, place.address));
    }
  }
  // Frames share places.
  EXPECT_LT(stored, frames);
}

}  // namespace
}  // namespace perf2x
