// SPDX-License-Identifier: Apache-2.0
#include "converter/session/user_stacks.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
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

// Finds no code.
class NoSource final : public UnwindInfoSource {
 public:
  std::unique_ptr<ElfFile> OpenBinary(DsoId) override { return nullptr; }
  std::unique_ptr<ElfFile> OpenDebugFile(DsoId, const ElfFile&) override {
    return nullptr;
  }
};

}  // namespace

UserStacks::UserStacks(const TraceTables& tables, std::string arch,
                       std::unique_ptr<UnwindInfoSource> source,
                       WorkMeter& work)
    : tables_(tables),
      arch_(std::move(arch)),
      source_(std::move(source)),
      work_(work) {
  if (source_ == nullptr) source_ = std::make_unique<NoSource>();
}

Unwinder* UserStacks::UnwinderOf(const Machine& machine, uint64_t abi) {
  std::unique_ptr<Unwinder>& unwinder = unwinders_[abi];
  if (unwinder == nullptr) {
    unwinder = std::make_unique<Unwinder>(machine, source_.get());
  }
  return unwinder.get();
}

// Finds the code mapped at an address. Callers are mostly in the same mapping,
// so the last result is kept, with its offset for address 0.
class UserStacks::Maps {
 public:
  Maps(const UserStacks& stacks, const AddressMap& map)
      : stacks_(stacks), map_(map) {}
  bool operator()(uint64_t address, CodeLocation* location) const {
    if (address - start_ >= size_) {
      const MapEntry* entry = map_.Find(address);
      if (entry == nullptr) return false;
      start_ = entry->start;
      size_ = entry->end - entry->start;
      last_ = stacks_.LocationOf(*entry);
    }
    *location = last_;
    location->offset += address;
    return true;
  }

 private:
  const UserStacks& stacks_;
  const AddressMap& map_;
  mutable uint64_t start_ = 0, size_ = 0;
  mutable CodeLocation last_;
};

void UserStacks::Append(const SampleRecord& sample, const EventAttr& attr,
                        const AddressMap& map, const AddressMap& replaced,
                        std::vector<uint64_t>* chain) {
  const Machine* machine = MachineOf(arch_, TaskAbiOf(sample));
  if (machine == nullptr) {
    ++stops_[static_cast<int>(UnwindStop::kUnknownMachine)];
    return;
  }
  const Registers registers(*machine, attr.sample_regs_user, sample.user_regs);
  UserStackDump stack;
  if (registers.known(machine->sp)) {
    stack.start = registers[machine->sp];
    stack.bytes = sample.stack.subspan(
        0, std::min<uint64_t>(sample.stack_dyn_size, sample.stack.size()));
  }
  const Maps maps(*this, map);
  Unwinder* const unwinder = UnwinderOf(*machine, TaskAbiOf(sample));
  const UnwindStop stop =
      unwinder->Unwind(registers, stack, maps, kMaxFrames, chain);
  work_.Add(unwinder->operations() / kOperationsAStep);
  ++stops_[static_cast<int>(stop)];
  if (stop == UnwindStop::kNoFile && registers.pc.has_value() &&
      map.Find(*registers.pc) == nullptr &&
      replaced.Find(*registers.pc) != nullptr) {
    chain->push_back(kContextUser);
    chain->push_back(*registers.pc);
  }
  if (stop == UnwindStop::kStackEnd) chain->push_back(kStackTruncated);
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
  const Machine* machine = MachineOf(arch_, TaskAbiOf(sample));
  if (machine == nullptr) return std::nullopt;
  const Registers registers(*machine, attr.sample_regs_user, sample.user_regs);
  const Maps maps(*this, map);
  const std::optional<uint64_t> caller =
      UnwinderOf(*machine, TaskAbiOf(sample))
          ->LeafCaller(registers, ips[at + 1], ips[at + 2], maps);
  if (!caller.has_value()) return std::nullopt;
  return LeafCaller{at + 2, *caller};
}

// Returns the location that address 0 would have if the mapping covered it.
CodeLocation UserStacks::LocationOf(const MapEntry& entry) const {
  const Dso& file = tables_.dsos()[entry.dso];
  CodeLocation out;
  switch (file.kind) {
    case DsoKind::kVdso:
    case DsoKind::kFile:
      out.dso = entry.dso;
      out.offset = entry.offset - entry.start;
      out.vdso = file.kind == DsoKind::kVdso;
      break;
    case DsoKind::kGenerated:
      out.dso = entry.dso;
      break;
    default:
      out.data = file.name == "[heap]" || absl::StartsWith(file.name, "[stack");
  }
  return out;
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
