// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_info.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

#include "converter/symbolize/dwarf/range_limit.h"

namespace perf2x {
namespace {

// Number of references (abstract_origin, specification) that are followed.
constexpr int kMaxReferences = 16;
// Memory charged for a unit, a function's name and a reported inlined frame, in
// bytes.
constexpr uint64_t kUnitMemory = 1024, kFunctionMemory = 128, kFrameMemory = 64;

}  // namespace

DwarfUnit* DwarfInfo::Units::Containing(uint64_t offset) {
  auto it = std::upper_bound(
      list.begin(), list.end(), offset,
      [](uint64_t o, const DwarfUnit& u) { return o < u.offset; });
  if (it == list.begin() || (--it)->end <= offset) return nullptr;
  return &*it;
}

DwarfInfo::DwarfInfo(std::shared_ptr<const DwarfFile> file, bool discriminators)
    : file_(std::move(file)),
      discriminators_(discriminators),
      split_units_(file_),
      trees_(budget(), &skipped_) {
  main_.sections = file_->sections;
  alternate_.sections = file_->alternate;
  for (const auto* sections :
       {&file_->sections, &file_->alternate, &file_->package}) {
    if (*sections != nullptr) skipped_.Add((*sections)->skipped);
  }
  if (alternate_.sections != nullptr) ReadUnits(&alternate_, nullptr);
  ReadUnits(&main_, alternate_.sections.get());
  for (DwarfUnit& unit : main_.list) {
    if (unit.type != DW_UT_compile && unit.type != DW_UT_skeleton) continue;
    if (budget().exhausted()) break;
    auto c = std::make_unique<Compilation>();
    c->unit = &unit;
    bool told = false;
    auto add = [&](uint64_t low, uint64_t high) {
      told = true;
      by_address_.Add(low, high, c.get());
    };
    const size_t most = MostRanges(unit);  // of all units
    auto room = [&] { return most - std::min(most, by_address_.size()); };
    if (!ForEachRange(unit, unit.code, room(), add)) {
      skipped_.entries.insert(unit.offset);
    }
    if (!told && unit.type == DW_UT_compile && !unit.dwo_id.has_value()) {
      // The unit has no ranges of its code, but its functions have.
      Open(c.get());
      c->functions->ReadOuter();
      const auto add_if_room = [&](uint64_t low, uint64_t high) {
        if (room() > 0) {
          add(low, high);
        } else {
          skipped_.entries.insert(unit.offset);
        }
      };
      c->functions->ForEach([&](uint64_t low, uint64_t high, uint64_t) {
        add_if_room(low, high);
      });
      // The only unit in a file of `perf inject --jit` has nothing but lines.
      if (!told && main_.list.size() == 1 && unit.stmt_list.has_value()) {
        LinesOf(unit, *unit.stmt_list)->ForEachSequence(add_if_room);
      }
    }
    if (told) compilations_.push_back(std::move(c));
  }
  budget().Spend(Budget::kMemory, by_address_.size() * kRangeMemory);
  by_address_.Finish();
}

void DwarfInfo::AddSkippedParts(SkippedParts* skipped) const {
  skipped->Add(skipped_);
  skipped->Add(budget());
  for (const auto& sections : {file_->alternate, file_->package}) {
    if (sections != nullptr) skipped->Add(*sections->budget);
  }
  split_units_.AddSkippedParts(skipped);
}

void DwarfInfo::ReadUnits(Units* units, const DwarfSections* alternate) {
  Budget& budget = *units->sections->budget;
  const DwarfSections::Bytes info = units->sections->info;
  DwarfUnit unit;
  for (uint64_t at = 0; at < info.size() && !budget.exhausted();) {
    if (!ReadUnitHeader(*units->sections, at, &unit)) {
      // Zeros after the last unit are padding.
      const DwarfSections::Bytes rest = info.subspan(at);
      if (std::any_of(rest.begin(), rest.end(),
                      [](auto b) { return b != 0; })) {
        skipped_.entries.insert(at);
      }
      return;
    }
    at = unit.end;
    if (unit.version != 0) {
      unit.alternate = alternate;
      budget.Spend(Budget::kMemory, kUnitMemory);
      if (ReadUnitEntry(&abbrevs_, &unit)) {
        units->list.push_back(unit);
      } else {
        skipped_.entries.insert(unit.offset);
      }
    }
    unit = DwarfUnit();
  }
}

void DwarfInfo::Open(Compilation* c) {
  c->code = c->unit;
  FindAbbrevs(c->unit);
  DwarfUnit unit;
  c->split.sections = split_units_.Find(*c->unit, &abbrevs_, &unit);
  if (c->split.sections != nullptr) {
    c->split.list = {unit};
    c->code = &c->split.list[0];
    FindAbbrevs(c->code);
  }
  c->functions.emplace(*c->code, &skipped_);
}

bool DwarfInfo::ReadFunction(Compilation* c, const DwarfUnit& unit,
                             uint64_t offset, bool alternate, int depth,
                             Function* function) {
  const DwarfUnit* home = &unit;
  if (alternate || offset < unit.entries || offset >= unit.end) {
    Units& units = alternate                                    ? alternate_
                   : &unit == c->code && unit.split()           ? c->split
                   : unit.sections == alternate_.sections.get() ? alternate_
                                                                : main_;
    DwarfUnit* other = units.Containing(offset);
    if (other == nullptr) return true;
    FindAbbrevs(other);
    home = other;
  }
  EntryReader reader(*home, offset);
  DwarfEntry entry;
  if (!reader.Next(&entry) || entry.abbrev == nullptr) return true;
  DwarfValue linkage, name, origin;
  reader.Attributes(entry, [&](uint16_t attribute, const DwarfValue& value) {
    switch (attribute) {
      case DW_AT_linkage_name:
      case DW_AT_MIPS_linkage_name:
        linkage = value;
        break;
      case DW_AT_name:
        name = value;
        break;
      case DW_AT_decl_line:
        if (function->start_line == 0) {
          function->start_line = static_cast<uint32_t>(value.number);
        }
        break;
      case DW_AT_decl_file:
        if (home == c->code && !function->decl_file.has_value()) {
          function->decl_file = value.number;
        }
        break;
      case DW_AT_abstract_origin:
      case DW_AT_specification:
        origin = value;
        break;
      default:
        break;
    }
  });
  // A linkage name of the referenced entry is preferred to a source name here.
  if (linkage) {
    function->name = StringOf(*home, linkage);
    const auto declared = ReferenceOf(*home, origin);
    if (function->start_line != 0 || !declared.has_value()) return true;
    // Of a lambda, only the declaration has a line.
    Function declaration;
    if (depth < kMaxReferences &&
        ReadFunction(c, *home, *declared, RefersToAlternate(origin), depth + 1,
                     &declaration)) {
      function->start_line = declaration.start_line;
      if (!function->decl_file.has_value()) {
        function->decl_file = declaration.decl_file;
      }
    }
    return true;
  }
  if (name && function->name.empty()) function->name = StringOf(*home, name);
  const auto to = ReferenceOf(*home, origin);
  if (!to.has_value()) return true;
  return depth < kMaxReferences &&
         ReadFunction(c, *home, *to, RefersToAlternate(origin), depth + 1,
                      function);
}

const DwarfInfo::Function& DwarfInfo::FunctionOf(Compilation* c,
                                                 const DwarfUnit& unit,
                                                 uint64_t offset,
                                                 bool alternate) {
  auto [it, is_new] = functions_.try_emplace(
      {alternate ? alternate_.sections.get() : unit.sections, offset});
  if (is_new) {
    unit.sections->budget->Spend(Budget::kMemory, kFunctionMemory);
    Function function;
    if (!ReadFunction(c, unit, offset, alternate, 0, &function) ||
        function.name.size() >= kMaxDwarfStringSize) {
      skipped_.entries.insert(offset);
    }
    it->second = function;
  }
  return it->second;
}

// Returns the line table at `offset` for `unit`; units may share the table.
// Valid as long as this object.
LineTable* DwarfInfo::LinesOf(const DwarfUnit& unit, uint64_t offset) {
  auto& slot = lines_[{unit.sections, offset, HashText(unit.comp_dir),
                       HashText(unit.name), unit.str_offsets_base}];
  if (slot == nullptr) {
    slot = std::make_unique<LineTable>(unit, offset, discriminators_);
  }
  return slot.get();
}

// Returns the line at `address`; reads the line table on first use.
DwarfFrame DwarfInfo::LineAt(Compilation* c, uint64_t address) {
  if (!c->lines_read) {
    c->lines_read = true;
    if (c->unit->stmt_list.has_value()) {
      c->lines = LinesOf(*c->unit, *c->unit->stmt_list);
    }
    if (c->code->split()) {
      c->call_files = LinesOf(*c->code, c->code->stmt_list.value_or(0));
    }
  }
  DwarfFrame frame;
  if (c->lines == nullptr) return frame;
  if (const LineTable::Row* row = c->lines->Find(address)) {
    frame.line = row->line;
    frame.file = c->lines->FileName(row->file);
    frame.discriminator = c->lines->DiscriminatorOf(*row);
  }
  return frame;
}

// Returns the file that declares a function if `frame` is in another one:
// either in an included file, or in a function whose inlining was not recorded
// (gcc -g1). Otherwise, and if it is not known, returns "".
absl::string_view DwarfInfo::OtherFileOf(const Compilation* c,
                                         const Function& function,
                                         const DwarfFrame& frame) {
  LineTable* const files = c->attribute_files();
  if (files == nullptr || !function.decl_file.has_value()) return "";
  const absl::string_view own = files->FileName(*function.decl_file);
  return own == frame.file ? "" : own;
}

// Goes from the innermost function inlined at `address` out to `function`,
// which has the code. `*frame` has the line in the innermost function and
// receives the line in `function`. With `frames`, appends the inlined
// functions.
void DwarfInfo::LeaveInlined(Compilation* c, uint64_t function,
                             uint64_t address, DwarfFrame* frame,
                             std::vector<DwarfFrame>* frames) {
  InlineTree& tree = trees_.At(*c->code, function);
  const size_t had = frames == nullptr ? 0 : frames->size();
  LineTable* const files = c->attribute_files();
  for (uint32_t i = tree.Find(address); i != 0;) {
    const InlineTree::Node& node = tree.node(i);
    if (frames != nullptr) {
      const auto to = ReferenceOf(*c->code, node.origin);
      if (to.has_value()) {
        const bool alternate = RefersToAlternate(node.origin);
        const Function& f = FunctionOf(c, *c->code, *to, alternate);
        frame->name = f.name;
        if (OtherFileOf(c, f, *frame).empty()) frame->start_line = f.start_line;
      }
      frames->push_back(*frame);
    }
    *frame = DwarfFrame();
    frame->line = node.call_line;
    frame->discriminator = node.call_discriminator;
    if (files != nullptr && node.call_line != 0) {
      frame->file = files->FileName(node.call_file);
    }
    i = node.parent;
  }
  if (frames != nullptr) inlined_frames_ += frames->size() - had;
  constexpr uint64_t kAtOnce = 1024;
  if (inlined_frames_ >= kAtOnce) {
    budget().Spend(Budget::kMemory,
                   std::exchange(inlined_frames_, 0) * kFrameMemory);
  }
}

void DwarfInfo::Find(uint64_t address, bool inlines,
                     std::vector<DwarfFrame>* frames) {
  Compilation* const* found = by_address_.Find(address);
  if (found == nullptr) return;
  Compilation* c = *found;
  const uint64_t* function = FunctionAt(c, address);
  DwarfFrame frame = LineAt(c, address);
  if (function == nullptr) {
    if (frame.line != 0) frames->push_back(frame);
    return;
  }
  LeaveInlined(c, *function, address, &frame, inlines ? frames : nullptr);
  const Function& f = FunctionOf(c, *c->code, *function, false);
  frame.name = f.name;
  const absl::string_view own = OtherFileOf(c, f, frame);
  if (own.empty() || !inlines) frame.start_line = f.start_line;
  if (!own.empty() && !inlines) {
    frame.file = own;
    frame.line = 0;
  }
  frames->push_back(frame);
}

}  // namespace perf2x
