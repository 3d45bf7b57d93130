// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/inline_tree.h"

#include <dwarf.h>

#include <algorithm>
#include <set>

namespace perf2x {
namespace {

// Real code stays far below these limits.
constexpr uint32_t kDeepest = 1000;
constexpr size_t kMaxRanges = 1 << 20;

constexpr uint16_t kGnuDiscriminator = 0x2136;  // DW_AT_GNU_discriminator

// Reads the attributes of an entry. Returns its node, without a parent.
InlineTree::Node ReadNode(EntryReader& reader, const DwarfEntry& entry,
                          DwarfCode* code, DwarfValue* sibling) {
  InlineTree::Node node;
  reader.Attributes(entry, [&](uint16_t name, const DwarfValue& value) {
    if (code->SetAttribute(name, value)) return;
    switch (name) {
      case DW_AT_sibling:
        *sibling = value;
        break;
      case DW_AT_abstract_origin:
        node.origin = value;
        break;
      case DW_AT_call_file:
        node.call_file = value.number;
        break;
      case DW_AT_call_line:
        node.call_line = static_cast<uint32_t>(value.number);
        break;
      case kGnuDiscriminator:
        node.call_discriminator = static_cast<uint32_t>(value.number);
        break;
      default:
        break;
    }
  });
  return node;
}

}  // namespace

InlineTree::InlineTree(const DwarfUnit& unit, uint64_t offset)
    : budget_(*unit.sections->budget) {
  nodes_.emplace_back();
  // A vector grows by half or more of its size, and Flatten makes another one
  // of the ranges.
  const size_t max_nodes = budget_.left(Budget::kMemory) / (4 * sizeof(Node));
  const size_t max_ranges = std::min<uint64_t>(
      kMaxRanges, budget_.left(Budget::kMemory) / (4 * sizeof(Range)));
  EntryReader reader(unit, offset);
  DwarfEntry entry;
  if (!reader.Next(&entry) || entry.abbrev == nullptr) return;
  reader.Skip(entry);
  if (!entry.abbrev->children) return;
  // The node that the children at each level belong to.
  std::vector<uint32_t> levels = {0};
  while (!levels.empty() && reader.Next(&entry)) {
    if (entry.abbrev == nullptr) {
      levels.pop_back();
      continue;
    }
    const uint16_t tag = entry.abbrev->tag;
    if (!entry.abbrev->children && tag != DW_TAG_inlined_subroutine) {
      reader.Skip(entry);
      continue;
    }
    DwarfCode code;
    DwarfValue sibling;
    Node node = ReadNode(reader, entry, &code, &sibling);
    uint32_t inside = levels.back();
    switch (tag) {
      case DW_TAG_inlined_subroutine: {
        node.parent = levels.back();
        node.depth = nodes_[node.parent].depth + 1;
        if (node.depth > kDeepest || nodes_.size() > max_nodes) {
          truncated_ = true;
          return;
        }
        inside = static_cast<uint32_t>(nodes_.size());
        nodes_.push_back(node);
        AddRanges(unit, code, inside, max_ranges);
        break;
      }
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
      case DW_TAG_with_stmt:
        break;
      default:
        reader.SkipChildren(entry, sibling);
        continue;
    }
    if (entry.abbrev->children) levels.push_back(inside);
  }
}

void InlineTree::AddRanges(const DwarfUnit& unit, const DwarfCode& code,
                           uint32_t node, size_t max_ranges) {
  // Many functions can share a list of ranges, which each tree copies to memory
  // that the system has to find first.
  constexpr uint64_t kStepsPerRange = 16;
  const size_t before = ranges_.size();
  truncated_ |= !ForEachRange(unit, code, max_ranges - before,
                              [&](uint64_t from, uint64_t to) {
                                ranges_.push_back({from, to, node});
                              });
  budget_.Spend(Budget::kWork, (ranges_.size() - before) * kStepsPerRange);
}

void InlineTree::Flatten() {
  struct Edge {
    uint64_t at;
    bool opens;
    uint32_t node;
  };
  std::vector<Edge> edges;
  edges.reserve(ranges_.size() * 2);
  for (const Range& r : ranges_) {
    edges.push_back({r.low, true, r.node});
    edges.push_back({r.high, false, r.node});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.at < b.at; });
  // Ranges that are open at `from`, as depth and node; deepest last.
  std::multiset<std::pair<uint32_t, uint32_t>> open;
  uint64_t from = 0;
  for (const Edge& e : edges) {
    if (!open.empty() && e.at > from) {
      segments_.push_back({from, e.at, open.rbegin()->second});
    }
    from = e.at;
    const std::pair<uint32_t, uint32_t> key(nodes_[e.node].depth, e.node);
    if (e.opens) {
      open.insert(key);
    } else if (auto it = open.find(key); it != open.end()) {
      open.erase(it);
    }
  }
}

uint32_t InlineTree::Find(uint64_t address) {
  // Flatten pays off only for functions that have many looked-up addresses.
  constexpr int kFew = 16;
  constexpr uint64_t kRangesAStep = 16;
  if (budget_.exhausted()) return 0;
  if (looked_up_ < kFew) {
    ++looked_up_;
    if (ranges_.size() >= kRangesAStep) {
      budget_.Spend(Budget::kWork, ranges_.size() / kRangesAStep);
    }
    uint32_t found = 0;
    for (const Range& r : ranges_) {
      if (address >= r.low && address < r.high &&
          nodes_[r.node].depth >= nodes_[found].depth) {
        found = r.node;
      }
    }
    return found;
  }
  if (looked_up_ == kFew) {
    ++looked_up_;
    constexpr uint64_t kStepsARange = 8;
    budget_.Spend(Budget::kWork, ranges_.size() * kStepsARange);
    Flatten();
  }
  auto it =
      std::upper_bound(segments_.begin(), segments_.end(), address,
                       [](uint64_t a, const Range& r) { return a < r.low; });
  if (it == segments_.begin() || (--it)->high <= address) return 0;
  return it->node;
}

}  // namespace perf2x
