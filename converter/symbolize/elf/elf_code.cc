// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_code.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "converter/base/hash_text.h"

namespace perf2x {
namespace {

constexpr uint64_t kCodePage = 4096;

}  // namespace

ElfCode::ElfCode(std::shared_ptr<const ElfFile> elf, const SymbolIndex& symbols,
                 std::shared_ptr<const DwarfFile> dwarf,
                 std::optional<uint64_t> address_delta)
    : elf_(std::move(elf)),
      dwarf_file_(std::move(dwarf)),
      address_delta_(address_delta),
      instructions_(*elf_, symbols) {
  AddFunctions(symbols);
}

// Functions as BOLT has them: those of the symbol table, entries of linkage
// tables, and what comes before the first of these. A function reaches to the
// next one, or to the end of its section.
void ElfCode::AddFunctions(const SymbolIndex& symbols) {
  absl::flat_hash_map<Hash128, uint32_t> locals;  // by HashText of the name
  for (const SymbolIndex::Entry& e : symbols.entries()) {
    const uint32_t local =
        e.binding == STB_LOCAL ? ++locals[HashText(e.view())] : 0;
    if (e.type != STT_FUNC && e.type != STT_GNU_IFUNC) continue;
    if (!functions_.empty() && functions_.back().start == e.start) {
      functions_.back().end = std::max(functions_.back().end, e.end);
    } else {
      functions_.push_back({e.start, e.end, e.end, e.view(), local});
    }
  }
  const auto before = [](const Function& a, const Function& b) {
    return a.start < b.start;
  };
  const size_t count = functions_.size();
  for (const ElfFile::Section& s : elf_->sections()) {
    if (!absl::StartsWith(s.name, ".plt") || s.size == 0) continue;
    const Function header = {s.address, s.address, s.address, s.name, 0};
    const auto end = functions_.begin() + static_cast<ptrdiff_t>(count);
    if (!std::binary_search(functions_.begin(), end, header, before)) {
      functions_.push_back(header);
    }
  }
  std::stable_sort(functions_.begin(), functions_.end(), before);
  elf_->file()->budget().Spend(Budget::kMemory,
                               functions_.size() * sizeof(Function));
  // Sections of a damaged file overlap: then some functions keep their ends.
  size_t steps = functions_.size() + elf_->sections().size();
  for (const ElfFile::Section& s : elf_->sections()) {
    if ((s.flags & SHF_EXECINSTR) == 0 || s.size > ~s.address) continue;
    auto it = std::lower_bound(
        functions_.begin(), functions_.end(), s.address,
        [](const Function& f, uint64_t a) { return f.start < a; });
    const uint64_t end = s.address + s.size;
    for (; it != functions_.end() && it->start < end; ++it) {
      if (steps-- == 0) return;
      const auto next = it + 1;
      it->limit = next != functions_.end() ? std::min(next->start, end) : end;
      it->limit = std::max(it->limit, std::min(it->end, end));
    }
  }
}

std::optional<uint64_t> ElfCode::AddressOf(uint64_t frame_address) const {
  if (address_delta_.has_value()) return frame_address + *address_delta_;
  return elf_->AddressOfOffset(frame_address);
}

std::optional<uint64_t> ElfCode::FrameAddressOf(uint64_t address) const {
  if (address_delta_.has_value()) return address - *address_delta_;
  return elf_->OffsetOfAddress(address);
}

absl::Span<const uint8_t> ElfCode::BytesAt(uint64_t address) const {
  if (elf_->type() == ET_REL) {
    const ElfFile::Section* const text = elf_->Find(".text");
    if (text == nullptr) return {};
    const uint64_t at = address - ElfFile::kTextOfRelocatable;
    const absl::Span<const uint8_t> bytes = elf_->Bytes(*text);
    return at < bytes.size() ? bytes.subspan(at) : absl::Span<const uint8_t>();
  }
  const absl::Span<const uint8_t> all = elf_->file()->bytes();
  for (const ElfFile::Segment& s : elf_->segments()) {
    const uint64_t at = address - s.address;
    if (s.type != PT_LOAD || at >= s.file_size || s.offset >= all.size() ||
        at >= all.size() - s.offset) {
      continue;
    }
    return all.subspan(s.offset + at, s.file_size - at);
  }
  return {};
}

uint64_t ElfCode::code_start() const {
  for (const ElfFile::Segment& s : elf_->segments()) {
    if (s.type == PT_LOAD && (s.flags & PF_X) != 0) {
      return s.address & ~(kCodePage - 1);
    }
  }
  return 0;
}

CodeImage::Segment ElfCode::SegmentAt(uint64_t address) const {
  if (elf_->type() == ET_REL) return {};
  const absl::Span<const uint8_t> file = elf_->file()->bytes();
  for (const ElfFile::Segment& s : elf_->segments()) {
    if (s.type != PT_LOAD || (s.flags & PF_X) == 0 || address < s.address ||
        address - s.address >= s.file_size || s.offset >= file.size()) {
      continue;
    }
    const absl::Span<const uint8_t> bytes = file.subspan(s.offset, s.file_size);
    if (address - s.address < bytes.size()) return {s.address, bytes};
  }
  return {};
}

bool ElfCode::is_position_independent() const { return elf_->type() == ET_DYN; }

std::optional<CodeImage::Function> ElfCode::FunctionAt(uint64_t address) const {
  auto it = std::upper_bound(
      functions_.begin(), functions_.end(), address,
      [](uint64_t a, const Function& f) { return a < f.start; });
  if (it == functions_.begin() || (--it)->limit <= address) return std::nullopt;
  return *it;
}

DwarfInfo* ElfCode::dwarf() {
  if (dwarf_ == nullptr && dwarf_file_ != nullptr) {
    dwarf_ = std::make_unique<DwarfInfo>(dwarf_file_, /*discriminators=*/true);
  }
  return dwarf_.get();
}

void ElfCode::AppendLines(uint64_t address, std::vector<CodeLine>* lines) {
  if (dwarf() == nullptr) return;
  frames_.clear();
  dwarf_->Find(address, /*inlines=*/true, &frames_);
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    constexpr uint32_t kMask = 0xffff;
    if (frame->name.empty()) return;
    lines->push_back({frame->name, (frame->line - frame->start_line) & kMask,
                      frame->discriminator});
  }
}

void ElfCode::AppendRanges(uint64_t address, std::vector<Range>* ranges) {
  if (dwarf() != nullptr) dwarf_->FindRanges(address, ranges);
}

}  // namespace perf2x
