// SPDX-License-Identifier: Apache-2.0

// Unwinds a stack of this very program, and gives the unwinder nonsense.

#include <execinfo.h>
#include <pthread.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>

#include "absl/strings/string_view.h"
#include "converter/unwind/dso_cfi_table.h"
#include "converter/unwind/unwinder.h"
#include "gtest/gtest.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

#if defined(__x86_64__)

struct Snapshot {
  Registers registers;
  std::string stack;
  uint64_t sp = 0;
  std::vector<void*> callers;  // as the C library finds them
};

// Bytes copied from the stack pointer on, or to the stack's end. With a
// sanitizer frames are several times as large as without.
constexpr size_t kMaxCopied = 16384;

size_t BytesToStackEnd(uint64_t sp) {
  pthread_attr_t attributes;
  void* start = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uint64_t>(start) + size - sp;
}

// Reads stack memory that is not this function's, byte by byte: a sanitizer
// would object.
__attribute__((no_sanitize("address"), noinline)) void CopyStack(uint64_t from,
                                                                 size_t size,
                                                                 char* to) {
  const auto* bytes = reinterpret_cast<const volatile char*>(from);
  for (size_t i = 0; i < size; ++i) to[i] = bytes[i];
}

__attribute__((noinline)) void Take(Snapshot* out) {
  ucontext_t context;
  ASSERT_EQ(getcontext(&context), 0);
  out->callers.resize(64);
  out->callers.resize(static_cast<size_t>(backtrace(out->callers.data(), 64)));
  constexpr std::pair<int, uint8_t> kSaved[] = {
      {REG_RBX, 3},  {REG_RBP, 6},  {REG_RSP, 7},  {REG_R12, 12},
      {REG_R13, 13}, {REG_R14, 14}, {REG_R15, 15},
  };
  for (auto [from, to] : kSaved) {
    out->registers.Set(to,
                       static_cast<uint64_t>(context.uc_mcontext.gregs[from]));
  }
  out->registers.pc = context.uc_mcontext.gregs[REG_RIP];
  out->sp = out->registers[7];
  out->stack.resize(std::min(kMaxCopied, BytesToStackEnd(out->sp)));
  CopyStack(out->sp, out->stack.size(), out->stack.data());
}

__attribute__((noinline)) int Descend(int depth, Snapshot* out) {
  volatile char room[64] = {static_cast<char>(depth)};
  if (depth == 0) {
    Take(out);
  } else {
    Descend(depth - 1, out);
  }
  return room[0];
}

// This process' own executable mappings.
class SelfMaps final : public UnwindInfoSource {
 public:
  SelfMaps() {
    FILE* dso = std::fopen("/proc/self/maps", "r");
    char line[1024], path[512], mode[8];
    while (dso != nullptr && std::fgets(line, sizeof(line), dso)) {
      unsigned long start, end, offset;
      if (std::sscanf(line, "%lx-%lx %7s %lx %*s %*s %511s", &start, &end, mode,
                      &offset, path) == 5 &&
          mode[2] == 'x' && path[0] == '/') {
        maps_[start] = {end, offset, static_cast<DsoId>(paths_.size())};
        paths_.push_back(path);
      }
    }
    if (dso != nullptr) std::fclose(dso);
  }
  bool Find(uint64_t address, CodeLocation* location) const {
    auto it = maps_.upper_bound(address);
    if (it == maps_.begin() || address >= (--it)->second.end) return false;
    *location = {it->second.dso, address - it->first + it->second.offset};
    return true;
  }
  std::shared_ptr<const ElfFile> OpenBinary(DsoId dso) override {
    auto bytes = SafeFile::Open(paths_[dso]);
    if (!bytes.ok()) return nullptr;
    auto elf = ElfFile::Open(*std::move(bytes));
    return elf.ok() ? *std::move(elf) : nullptr;
  }
  std::shared_ptr<const ElfFile> OpenDebugFile(DsoId, const ElfFile&) override {
    return nullptr;
  }

 private:
  struct Map {
    uint64_t end, offset;
    DsoId dso;
  };
  std::map<uint64_t, Map> maps_;
  std::vector<std::string> paths_;
};

TEST(SelfUnwindTest, FindsTheSameCallersAsTheCLibrary) {
  Snapshot snapshot;
  Descend(5, &snapshot);
  ASSERT_GE(snapshot.callers.size(), 8);
  SelfMaps self;
  DsoCfiTable cfi(*MachineOf("x86_64", 2), &self);
  Unwinder unwinder(*MachineOf("x86_64", 2), cfi);
  const UserStackDump stack{
      snapshot.sp,
      {reinterpret_cast<const uint8_t*>(snapshot.stack.data()),
       snapshot.stack.size()}};
  std::vector<uint64_t> ips;
  unwinder.Unwind(
      snapshot.registers, stack,
      [&](uint64_t address, CodeLocation* l) { return self.Find(address, l); },
      100, &ips);
  // The first is where the registers were taken, and the marker before it. The
  // C library starts in the same function, or with a sanitizer one further in.
  ASSERT_GE(ips.size(), 9);
  auto* caller = reinterpret_cast<void*>(ips[2]);
  const auto& theirs = snapshot.callers;
  const auto same = std::find(theirs.begin(), theirs.end(), caller);
  ASSERT_LE(same - theirs.begin(), 2);
  const auto count = static_cast<size_t>(theirs.end() - same);
  for (size_t i = 2; i < ips.size() && i - 2 < count; ++i) {
    EXPECT_EQ(ips[i], reinterpret_cast<uint64_t>(same[i - 2])) << i;
  }
}

// Random registers and stacks over real code: every unwind ends, within its
// limit and with addresses that are mapped.
TEST(SelfUnwindTest, SurvivesNonsense) {
  Snapshot snapshot;
  Descend(3, &snapshot);
  SelfMaps self;
  const Machine& machine = *MachineOf("x86_64", 2);
  DsoCfiTable cfi(machine, &self);
  Unwinder unwinder(machine, cfi);
  const auto maps = [&](uint64_t address, CodeLocation* l) {
    return self.Find(address, l);
  };
  std::mt19937_64 random(1);
  std::vector<uint64_t> ips;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = snapshot.stack;
    for (int i = 0; i < 20; ++i) {
      const size_t at = random() % (bytes.size() / 8) * 8;
      const uint64_t values[] = {
          random(), snapshot.sp + random() % snapshot.stack.size(),
          *snapshot.registers.pc + random() % 4096, 0, ~uint64_t{0}};
      std::memcpy(&bytes[at], &values[random() % 5], 8);
    }
    Registers registers = snapshot.registers;
    for (int i = 0; i < 3; ++i) {
      registers.Set(static_cast<uint8_t>(random() % 16), random());
    }
    const size_t size = random() % (snapshot.stack.size() + 1);
    const UserStackDump stack{
        round % 3 == 0 ? random() : snapshot.sp,
        {reinterpret_cast<const uint8_t*>(bytes.data()), size}};
    ips.clear();
    unwinder.Unwind(registers, stack, maps, 50, &ips);
    EXPECT_LE(std::count_if(ips.begin(), ips.end(),
                            [](uint64_t ip) { return ip != kUserContext; }),
              50);
    CodeLocation location;
    for (uint64_t ip : ips) {
      EXPECT_TRUE(ip == kUserContext || maps(ip, &location) ||
                  maps(ip - 1, &location));
    }
  }
}

#endif  // defined(__x86_64__)

// Every byte of a small program's image flipped, and every cut of it.
TEST(DamagedFileTest, Survives) {
  for (const char* arch : {"x86_64", "armv7l", "s390x"}) {
    const Machine& machine =
        *MachineOf(arch, absl::string_view(arch) == "armv7l" ? 1 : 2);
    Bytes exidx(machine.order);
    exidx.U32((0x100 - 0x300u) & 0x7fffffff).U32(0x380 - 0x304);
    exidx.U32((0x200 - 0x308u) & 0x7fffffff).U32(0x80b20fb0);
    Bytes extab(machine.order);
    extab.U32(0x81019bb1).U32(0x0fb2ff01);
    const std::string image = TestElf(
        machine,
        {{".eh_frame", 0x180,
          TestEhFrame(machine, 0x180, 14, std::string("\x0c\x07\x08", 3), 0x100,
                      0x40, std::string("\x42\x0e\x10\x86\x02", 5))},
         {".ARM.exidx", 0x300, exidx.str()},
         {".ARM.extab", 0x380, extab.str()}});
    auto look = [&](const std::string& damaged) {
      TestSource source({damaged});
      DsoCfiTable cfi(machine, &source);
      Unwinder unwinder(machine, cfi);
      Registers registers;
      for (uint8_t r = 0; r < machine.tracked_registers; ++r)
        registers.Set(r, 0x5000);
      const std::string words(256, 0);
      for (uint64_t pc : {0x100, 0x110, 0x150, 0x210}) {
        registers.pc = pc;
        std::vector<uint64_t> ips;
        unwinder.Unwind(
            registers,
            {0x5000,
             {reinterpret_cast<const uint8_t*>(words.data()), words.size()}},
            [](uint64_t address, CodeLocation* location) {
              *location = {0, address};
              return address < 0x1000;
            },
            20, &ips);
        ASSERT_LE(ips.size(), 40);
      }
    };
    for (size_t i = 0; i < image.size(); ++i) {
      for (int flip : {1, 0x80, 0xff}) {
        std::string damaged = image;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        look(damaged);
      }
      if (i % 7 == 0) look(image.substr(0, i));
    }
  }
}

}  // namespace
}  // namespace perf2x
