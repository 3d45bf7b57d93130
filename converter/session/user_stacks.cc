// SPDX-License-Identifier: Apache-2.0
#include "converter/session/user_stacks.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// Limit for the frames of one stack. The largest dump, 64 KiB, has room for
// fewer real frames.
constexpr size_t kMaxFrames = 4096;
// DWARF operations that take as long as one step of work.
constexpr uint32_t kOperationsAStep = 8;

// Returns the register ABI of the task, without the flag for SIMD registers.
uint64_t TaskAbiOf(const SampleRecord& sample) {
  return sample.user_abi & ~uint64_t{kAbiSimd};
}

// Returns the location that address 0 would have if the mapping covered it.
CodeLocation LocationOf(const MapEntry& entry) {
  CodeLocation out;
  if (entry.by_offset()) {
    out.dso = entry.dso;
    out.offset = entry.offset - entry.start;
    out.vdso = entry.code == MappedCode::kVdso;
  } else if (entry.code == MappedCode::kGenerated) {
    out.dso = entry.dso;
  }
  out.data = entry.code == MappedCode::kData;
  return out;
}

// Finds the code mapped at an address. Callers are mostly in the same mapping,
// so the last result is kept, with its offset for address 0.
class Maps {
 public:
  explicit Maps(const AddressMap& map) : map_(map) {}
  bool operator()(uint64_t address, CodeLocation* location) const {
    if (address - start_ >= size_) {
      const MapEntry* entry = map_.Find(address);
      if (entry == nullptr) return false;
      start_ = entry->start;
      size_ = entry->end - entry->start;
      last_ = LocationOf(*entry);
    }
    *location = last_;
    location->offset += address;
    return true;
  }

 private:
  const AddressMap& map_;
  mutable uint64_t start_ = 0, size_ = 0;
  mutable CodeLocation last_;
};

// Finds no code.
class NoSource final : public UnwindInfoSource {
 public:
  std::shared_ptr<const ElfFile> OpenBinary(DsoId) override { return nullptr; }
  std::shared_ptr<const ElfFile> OpenDebugFile(DsoId, const ElfFile&) override {
    return nullptr;
  }
};

}  // namespace

UnwindOutcome AppendUnwound(const UnwindInput& input, const Machine& machine,
                            Unwinder& unwinder, std::vector<uint64_t>* chain) {
  const Registers registers(machine, input.register_mask, input.registers);
  UserStackDump dump;
  if (registers.known(machine.sp)) {
    dump.start = registers[machine.sp];
    dump.bytes = input.bytes;
  }
  const Maps maps(input.map);
  const UnwindStop stop =
      unwinder.Unwind(registers, dump, maps, kMaxFrames, chain);
  if (stop == UnwindStop::kNoFile && registers.pc.has_value() &&
      input.map.Find(*registers.pc) == nullptr &&
      input.replaced.Find(*registers.pc) != nullptr) {
    chain->push_back(kContextUser);
    chain->push_back(*registers.pc);
  }
  if (stop == UnwindStop::kStackEnd) chain->push_back(kStackTruncated);
  return {stop, unwinder.operations() / kOperationsAStep};
}

UserStacks::UserStacks(const std::string& arch,
                       std::unique_ptr<UnwindInfoSource> source)
    : source_(source != nullptr ? std::move(source)
                                : std::make_unique<NoSource>()) {
  for (size_t abi = 0; abi < kAbis; ++abi) {
    abis_[abi].machine = MachineOf(arch, abi);
  }
}

// Returns null if there is no unwinder for such tasks.
UserStacks::ForAbi* UserStacks::UnwinderOf(uint64_t abi) {
  if (abi >= kAbis || abis_[abi].machine == nullptr) return nullptr;
  ForAbi& found = abis_[abi];
  if (found.unwinder == nullptr) {
    found.tables = std::make_unique<DsoCfiTable>(*found.machine, source_.get());
    found.unwinder = std::make_unique<Unwinder>(*found.machine, *found.tables);
  }
  return &found;
}

UnwindInput UserStacks::UnwindInputOf(const SampleRecord& sample,
                                      const EventAttr& attr,
                                      const AddressMap& map,
                                      const AddressMap& replaced) {
  UnwindInput input;
  input.abi = TaskAbiOf(sample);
  input.register_mask = attr.sample_regs_user;
  input.registers = sample.user_regs;
  input.bytes = sample.stack.subspan(
      0, std::min<uint64_t>(sample.stack_dyn_size, sample.stack.size()));
  input.map = map;
  input.replaced = replaced;
  return input;
}

bool UserStacks::Append(const UnwindInput& input, std::vector<uint64_t>* chain,
                        UnwindOutcome* unwound) {
  ForAbi* const by = UnwinderOf(input.abi);
  *unwound = by == nullptr
                 ? UnwindOutcome{UnwindStop::kUnknownMachine, 0}
                 : AppendUnwound(input, *by->machine, *by->unwinder, chain);
  return true;
}

UserStacks::CfiSnapshots UserStacks::SnapshotCfi(
    const CfiSnapshots& last) const {
  CfiSnapshots known;
  for (size_t abi = 0; abi < kAbis; ++abi) {
    if (abis_[abi].tables == nullptr) continue;
    known.abis[abi].machine = abis_[abi].machine;
    known.abis[abi].cfi = abis_[abi].tables->Snapshot(last.abis[abi].cfi.get());
  }
  return known;
}

size_t UserStacks::cfi_rows() const {
  size_t rows = 0;
  for (const ForAbi& abi : abis_) {
    if (abi.tables != nullptr) rows += abi.tables->rows();
  }
  return rows;
}

// As thread__resolve_callchain_sample() in tools/perf/util/machine.c and
// get_leaf_frame_caller_aarch64().
std::optional<UserStacks::LeafCaller> UserStacks::FindLeafCaller(
    const SampleRecord& sample, const EventAttr& attr, const AddressMap& map) {
  const WordSpan& ips = sample.ips;
  size_t at = 0;  // of the context marker
  while (at < ips.size() && ips[at] != kContextUser) ++at;
  if (at + 2 >= ips.size() || ips[at + 1] >= kContextMax ||
      ips[at + 2] >= kContextMax) {
    return std::nullopt;
  }
  ForAbi* const by = UnwinderOf(TaskAbiOf(sample));
  if (by == nullptr) return std::nullopt;
  const Registers registers(*by->machine, attr.sample_regs_user,
                            sample.user_regs);
  const Maps maps(map);
  const std::optional<uint64_t> caller =
      by->unwinder->LeafCaller(registers, ips[at + 1], ips[at + 2], maps);
  if (!caller.has_value()) return std::nullopt;
  return LeafCaller{at + 2, *caller};
}

uint64_t UserStacks::stacks() const {
  return std::accumulate(stops_.begin(), stops_.end(), uint64_t{0});
}

void UserStacks::Report(Diagnostics* diagnostics) const {
  for (int i = 0; i < kUnwindStops; ++i) {
    const auto stop = static_cast<UnwindStop>(i);
    if (stops_[i] == 0 || stop == UnwindStop::kComplete ||
        stop == UnwindStop::kStackEnd) {
      continue;
    }
    diagnostics->Add(
        Diagnostics::Severity::kNote,
        absl::StrCat("stack not unwound to its end: ", DescriptionOf(stop)), 0,
        0, stops_[i]);
  }
}

}  // namespace perf2x
