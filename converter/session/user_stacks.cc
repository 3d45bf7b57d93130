#include "converter/session/user_stacks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// Frames of one stack. A copy of 64 KiB, the largest, has room for fewer real
// ones.
constexpr size_t kMaxFrames = 4096;

// Has no code.
class NoSource final : public CodeSource {
 public:
  std::unique_ptr<ElfFile> Code(CodeFileId) override { return nullptr; }
  std::unique_ptr<ElfFile> Debug(CodeFileId, const ElfFile&) override {
    return nullptr;
  }
};

}  // namespace

UserStacks::UserStacks(const ProfileTables& tables, std::string arch,
                       std::unique_ptr<CodeSource> source)
    : tables_(tables), arch_(std::move(arch)), source_(std::move(source)) {
  if (source_ == nullptr) source_ = std::make_unique<NoSource>();
}

void UserStacks::Append(const SampleRecord& sample, const EventAttr& attr,
                        const AddressMap& map, std::vector<uint64_t>* chain) {
  const Machine* machine = MachineOf(arch_, sample.user_abi);
  if (machine == nullptr) {
    ++stops_[static_cast<int>(UnwindStop::kUnknownMachine)];
    return;
  }
  std::unique_ptr<Unwinder>& unwinder = unwinders_[sample.user_abi];
  if (unwinder == nullptr) {
    unwinder = std::make_unique<Unwinder>(*machine, source_.get());
  }
  const Registers registers(*machine, attr.sample_regs_user, sample.user_regs);
  StackCopy stack;
  if (registers.known(machine->sp)) {
    stack.start = registers[machine->sp];
    stack.bytes = sample.stack.subspan(
        0, std::min<uint64_t>(sample.stack_dyn_size, sample.stack.size()));
  }
  // Callers are mostly of the same file: what was found last, and its offset
  // less its address.
  uint64_t start = 0, size = 0;
  CodeLocation last;
  const auto maps = [&](uint64_t address, CodeLocation* location) {
    if (address - start >= size) {
      const MapEntry* entry = map.Find(address);
      if (entry == nullptr) return false;
      start = entry->start;
      size = entry->end - entry->start;
      last = LocationOf(*entry);
    }
    *location = last;
    location->offset += address;
    return true;
  };
  const UnwindStop stop =
      unwinder->Unwind(registers, stack, maps, kMaxFrames, chain);
  ++stops_[static_cast<int>(stop)];
  if (stop == UnwindStop::kStackEnd) chain->push_back(kStackTruncated);
}

// Where address 0 would be, were it in the mapping.
CodeLocation UserStacks::LocationOf(const MapEntry& entry) const {
  const CodeFile& file = tables_.files()[entry.file];
  CodeLocation out;
  switch (file.kind) {
    case CodeKind::kVdso:
    case CodeKind::kFile:
      out.file = entry.file;
      out.offset = entry.offset - entry.start;
      out.vdso = file.kind == CodeKind::kVdso;
      break;
    case CodeKind::kGenerated:
      out.file = entry.file;
      break;
    default:
      out.data = file.name == "[heap]" || absl::StartsWith(file.name, "[stack");
  }
  return out;
}

void UserStacks::Report(Diagnostics* diagnostics) const {
  for (int i = 0; i < kUnwindStops; ++i) {
    if (stops_[i] == 0 || i == static_cast<int>(UnwindStop::kComplete)) {
      continue;
    }
    diagnostics->Add(Diagnostics::Severity::kNote,
                     absl::StrCat("stack not unwound to its end: ",
                                  NameOf(static_cast<UnwindStop>(i))),
                     0, 0, stops_[i]);
  }
}

}  // namespace perf2x
