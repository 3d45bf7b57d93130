// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/function_index.h"

#include <dwarf.h>

#include <algorithm>

#include "converter/symbolize/dwarf/range_limit.h"

namespace perf2x {
namespace {

bool IsScope(uint16_t tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_module;
}

bool IsType(uint16_t tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_interface_type;
}

}  // namespace

void FunctionIndex::Read(bool all) {
  depth_read_ = all ? Depth::kAll : Depth::kOuter;
  offsets_ = {};
  const size_t most = MostRanges(unit_);
  EntryReader reader(unit_, unit_.entries);
  DwarfEntry entry;
  for (int depth = 0; reader.Next(&entry);) {
    if (entry.abbrev == nullptr) {
      if (--depth <= 0) break;
      continue;
    }
    const uint16_t tag = entry.abbrev->tag;
    const bool descend = depth == 0 || IsScope(tag) ||
                         (all && (IsType(tag) || tag == DW_TAG_subprogram ||
                                  tag == DW_TAG_lexical_block));
    if (tag != DW_TAG_subprogram && (descend || !entry.abbrev->children)) {
      reader.Skip(entry);
      if (entry.abbrev->children) ++depth;
      continue;
    }
    DwarfCode code;
    DwarfValue sibling;
    reader.Attributes(entry, [&](uint16_t name, const DwarfValue& value) {
      if (!code.SetAttribute(name, value) && name == DW_AT_sibling)
        sibling = value;
    });
    if (tag == DW_TAG_subprogram) {
      if (!ForEachRange(unit_, code, most - std::min(most, offsets_.size()),
                        [&](uint64_t from, uint64_t to) {
                          offsets_.Add(from, to, entry.offset);
                        })) {
        skipped_->entries.insert(entry.offset);
      }
    }
    if (descend && entry.abbrev->children) {
      ++depth;
    } else {
      reader.SkipChildren(entry, sibling);
    }
  }
  unit_.sections->budget->Spend(Budget::kMemory,
                                offsets_.size() * kRangeMemory);
  offsets_.Finish();
}

const uint64_t* FunctionIndex::FindMore(uint64_t address) {
  if (depth_read_ == Depth::kNone) {
    Read(/*all=*/false);
    const uint64_t* const found = offsets_.Find(address);
    if (found != nullptr) return found;
  }
  // Some compilers nest functions in the types that they belong to.
  Read(/*all=*/true);
  return offsets_.Find(address);
}

}  // namespace perf2x
