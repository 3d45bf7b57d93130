// SPDX-License-Identifier: Apache-2.0

// Call frame information, registers and user stack dumps.

#include <array>

#include "converter/unwind/dso_cfi_table.h"
#include "converter/unwind/unwinder.h"
#include "tests/fuzz/targets.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

constexpr size_t kMaxFrames = 127;
constexpr uint64_t kBase = 0x400000;  // where the file is mapped
constexpr uint64_t kStack = 0x7ffe0000;
constexpr uint64_t kTables = 0x4000;  // where its tables lie

}  // namespace

// The first byte is the machine. Pieces: registers of 8 bytes each, the first
// of them the program counter; a user stack dump; .eh_frame; .eh_frame_hdr;
// .debug_frame; .ARM.exidx.
void FuzzUnwind(FuzzInput bytes) {
  static constexpr struct {
    const char* arch;
    uint64_t abi;
  } kMachines[] = {
      {"x86_64", 2}, {"i386", 1}, {"aarch64", 2}, {"armv7l", 1}, {"s390x", 2}};
  static constexpr std::array<const char*, 4> kNames = {
      ".eh_frame", ".eh_frame_hdr", ".debug_frame", ".ARM.exidx"};
  if (bytes.empty()) return;
  const auto& chosen = kMachines[bytes[0] % std::size(kMachines)];
  const Machine* machine = MachineOf(chosen.arch, chosen.abi);
  FuzzPromise(machine != nullptr, "the machine is known");
  std::vector<FuzzInput> pieces = FuzzPieces(bytes.subspan(1));
  pieces.resize(2 + kNames.size());

  std::vector<TestSection> sections;
  uint64_t at = kTables;
  for (size_t i = 0; i < kNames.size(); ++i) {
    const FuzzInput piece = pieces[2 + i];
    if (piece.empty()) continue;
    sections.push_back({kNames[i], at, TextOf(piece)});
    at = (at + piece.size() + 15) / 16 * 16;
  }
  const uint64_t size = at;
  TestSource source({TestElf(*machine, sections)});
  DsoCfiTable cfi(*machine, &source);
  Unwinder unwinder(*machine, cfi);

  Registers registers;
  ByteReader in(pieces[0], machine->order);
  registers.pc = in.left() < 8 ? kBase + 0x1080 : in.U64();
  for (uint8_t reg = 0; reg < machine->tracked_registers && in.left() >= 8;
       ++reg) {
    registers.Set(reg, in.U64() & machine->address_mask());
  }
  if (!registers.known(machine->sp)) registers.Set(machine->sp, kStack);
  const UserStackDump stack{registers[machine->sp], pieces[1]};
  const auto maps = [size](uint64_t address, CodeLocation* location) {
    if (address < kBase || address >= kBase + size) return false;
    *location = {0, address - kBase};
    return true;
  };
  std::vector<uint64_t> ips;
  // The second time uses the caches that the first time filled.
  for (int i = 0; i < 2; ++i) {
    ips.clear();
    (void)unwinder.Unwind(registers, stack, maps, kMaxFrames, &ips);
    // Signal frames have a context marker before them.
    FuzzPromise(ips.size() <= 2 * kMaxFrames,
                "there are no more frames than asked");
  }
  // As another thread would.
  SnapshotTables known;
  known.BeginStack(cfi.Snapshot(nullptr));
  Unwinder by_known(*machine, known);
  std::vector<uint64_t> same;
  (void)by_known.Unwind(registers, stack, maps, kMaxFrames, &same);
  FuzzPromise(!known.missed(), "all that the stack takes is known");
  FuzzPromise(ips == same, "what is known gives the same stack");
}

}  // namespace perf2x
