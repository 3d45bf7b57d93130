// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/dso_cfi.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "converter/symbolize/dwarf/dwarf_sections.h"

namespace perf2x {
namespace {

CfiBytes BytesOf(const ElfFile& elf, absl::string_view name) {
  CfiBytes out;
  if (const ElfFile::Section* section = elf.Find(name)) {
    out.bytes = elf.Bytes(*section);
    out.address = section->address;
  }
  out.order = elf.order();
  out.address_size = elf.is64() ? 8 : 4;
  out.budget = &elf.file()->budget();
  return out;
}

// Returns the parts of the file that segments map read-only, as in
// DsoCfi::constants_. A hostile file has many segments, and code without CFI
// makes many reads.
std::vector<std::pair<uint64_t, uint64_t>> ConstantsOf(const ElfFile& elf) {
  const uint64_t size = elf.file()->bytes().size();
  std::vector<std::pair<uint64_t, uint64_t>> parts, out;
  for (const ElfFile::Segment& s : elf.segments()) {
    if (s.type != PT_LOAD || (s.flags & PF_W) != 0 || s.offset >= size) {
      continue;
    }
    parts.emplace_back(s.offset,
                       s.offset + std::min(s.file_size, size - s.offset));
  }
  std::sort(parts.begin(), parts.end());
  for (const auto& [start, end] : parts) {
    if (!out.empty() && start <= out.back().second) {
      out.back().second = std::max(out.back().second, end);
    } else {
      out.emplace_back(start, end);
    }
  }
  return out;
}

}  // namespace

DsoCfi::DsoCfi(const Machine& machine, DsoId dso, UnwindInfoSource* source,
               RuleTable* rules)
    : machine_(machine),
      file_(dso),
      source_(source),
      rules_(rules),
      elf_(source->OpenBinary(dso)) {
  if (elf_ == nullptr) {
    const UnwindInfoSource::Generated code = source->GeneratedCfi(dso);
    if (!code.eh_frame.empty()) {
      generated_budget_.AddInput(code.eh_frame.size());
      generated_budget_.ReleaseReserve();
      eh_frame_.emplace(CfiTable::kEhFrame,
                        CfiBytes{code.eh_frame, code.address, machine.order,
                                 machine.address_size, &generated_budget_},
                        CfiBytes{});
    }
    return;
  }
  if (!ForMachine(*elf_)) {
    elf_ = nullptr;
    return;
  }
  constants_ = ConstantsOf(*elf_);
  const CfiBytes section = BytesOf(*elf_, ".eh_frame");
  if (!section.bytes.empty()) {
    eh_frame_.emplace(CfiTable::kEhFrame, section,
                      BytesOf(*elf_, ".eh_frame_hdr"));
  }
  if (machine.has_exidx) {
    exidx_ = ArmExidx::Open(*elf_);
  }
}

bool DsoCfi::ForMachine(const ElfFile& elf) const {
  return elf.machine() == machine_.elf_machine &&
         elf.is64() == (machine_.address_size == 8) &&
         elf.order() == machine_.order;
}

void DsoCfi::OpenDebugFrame() {
  debug_frame_tried_ = true;
  if (elf_ == nullptr) return;
  CfiBytes section;
  section.order = machine_.order;
  section.address_size = machine_.address_size;
  section.budget = &elf_->file()->budget();
  // Not reported: without .debug_frame stacks end at this code, which is
  // counted.
  SkippedParts skipped;
  section.bytes = LoadDebugSection(*elf_, "frame", &unpacked_, &skipped);
  if (section.bytes.empty()) {
    debug_elf_ = source_->OpenDebugFile(file_, *elf_);
    if (debug_elf_ == nullptr || !ForMachine(*debug_elf_)) return;
    section.budget = &debug_elf_->file()->budget();
    section.bytes =
        LoadDebugSection(*debug_elf_, "frame", &unpacked_, &skipped);
  }
  if (section.bytes.empty()) return;
  debug_frame_.emplace(CfiTable::kDebugFrame, section, CfiBytes{});
}

std::optional<uint64_t> DsoCfi::AddressOf(uint64_t offset) const {
  if (elf_ != nullptr) return elf_->AddressOfOffset(offset);
  return eh_frame_.has_value() ? std::optional<uint64_t>(offset) : std::nullopt;
}

std::vector<DsoCfi::Row> DsoCfi::CopyRows() const {
  std::vector<Row> rows;
  rows.reserve(rows_.size());
  for (const auto& [start, row] : rows_) rows.push_back(row);
  return rows;
}

Budget& DsoCfi::budget() {
  return elf_ != nullptr ? elf_->file()->budget() : generated_budget_;
}

// Returns true if the budgets of all tables are used up.
bool DsoCfi::exhausted() {
  return budget().exhausted() &&
         (!debug_frame_.has_value() || debug_frame_->budget().exhausted());
}

RuleId DsoCfi::Find(uint64_t offset) {
  const std::optional<uint64_t> address = AddressOf(offset);
  if (!address.has_value()) return kNoRule;
  const auto next = rows_.upper_bound(*address);
  if (next != rows_.begin() && *address < std::prev(next)->second.end) {
    return std::prev(next)->second.rule;
  }
  RuleRange range = Parse(*address);
  // With its copies for other threads.
  constexpr uint64_t kRowMemory = 128;
  budget().Spend(Budget::kMemory, kRowMemory);
  // No more is read: one row stands for all addresses around.
  if (exhausted() && range.rule == kNoRule) {
    range = {0, ~uint64_t{0}, kNoRule};
  }
  // Entries of a damaged table may overlap; the range that was found first
  // stays.
  if (next != rows_.end()) range.end = std::min(range.end, next->first);
  if (next != rows_.begin()) {
    range.start = std::max(range.start, std::prev(next)->second.end);
  }
  rows_.emplace(range.start, Row{range.start, range.end, range.rule});
  return range.rule;
}

RuleRange DsoCfi::Parse(uint64_t address) {
  RuleRange range{address, address + 1, kNoRule};
  if (FromTable(eh_frame_.has_value() ? &*eh_frame_ : nullptr, address,
                &range)) {
    return range;
  }
  if (!debug_frame_tried_) OpenDebugFrame();
  if (FromTable(debug_frame_.has_value() ? &*debug_frame_ : nullptr, address,
                &range)) {
    return range;
  }
  if (exidx_.has_value() && !budget().exhausted()) {
    // An .ARM.exidx entry also spans later functions that have none, and for
    // which a table above may have one. Its rule is therefore used for this
    // address only.
    const uint64_t memory = rules_->memory();
    const std::optional<RuleRange> found = exidx_->Find(address, rules_);
    budget().Spend(Budget::kMemory, rules_->memory() - memory);
    if (found.has_value()) range.rule = found->rule;
  }
  return range;
}

bool DsoCfi::FromTable(CfiTable* table, uint64_t address,
                       RuleRange* range) const {
  if (table == nullptr) return false;
  const std::optional<FunctionEntry> function = table->Find(address);
  if (!function.has_value()) return false;
  table->budget().Spend(Budget::kWork, function->common.instructions.size() +
                                           function->instructions.size());
  const uint64_t memory = rules_->memory();
  const std::optional<RuleRange> found =
      RunCfi(*function, address, machine_, machine_.order, rules_);
  table->budget().Spend(Budget::kMemory, rules_->memory() - memory);
  if (!found.has_value()) return false;
  *range = *found;
  return true;
}

bool DsoCfi::ReadConstant(uint64_t offset, int size, uint8_t* to) const {
  const auto length = static_cast<uint64_t>(size);
  const auto next = std::upper_bound(
      constants_.begin(), constants_.end(), offset,
      [](uint64_t at, const auto& part) { return at < part.first; });
  if (next == constants_.begin()) return false;
  const uint64_t end = std::prev(next)->second;
  if (offset >= end || end - offset < length) return false;
  std::memcpy(to, elf_->file()->bytes().data() + offset, length);
  return true;
}

}  // namespace perf2x
