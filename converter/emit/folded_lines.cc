// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/folded_lines.h"

#include <algorithm>
#include <queue>

#include "absl/strings/str_cat.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// Bound on the text of a path, unless its leaf alone is longer.
constexpr uint64_t kMaxLineText = 4 << 20;
// Bytes of memory of a line besides its text, of a node, and of a node when all
// have been found; characters that cost one unit of work.
constexpr uint64_t kLineOverhead = 64, kOfNode = 64, kOfFoundNode = 32,
                   kLetters = 8;
// Lines that are made and ordered together.
constexpr size_t kBlock = 1 << 14;
constexpr size_t kFlushSize = 256 << 10;

}  // namespace

FoldedLines::FoldedLines(TraceTables& tables, UsedStacks& stacks,
                         Budget& budget, Diagnostics* diagnostics)
    : tables_(tables),
      budget_(budget),
      diagnostics_(diagnostics),
      memory_(budget),
      skip_counter_("stack", budget, diagnostics),
      names_(tables.strings) {
  constexpr uint64_t kAccountAt = 64 << 10;
  // The rest is for the lines.
  const uint64_t left = budget_.left(Budget::kMemory), limit = left - left / 4;
  const StackTree& tree = stacks.tree();
  node_of_.resize(tree.size(), kNoId);
  for (StackTree::NodeId id = 0; id < tree.size(); ++id) {
    const StackTree::NodeId parent = tree.parent(id);
    NodeId node = parent == kNoId ? kNoId : node_of_[parent];
    if (parent != kNoId && node == kNoId) continue;
    const uint64_t memory = nodes_.size() * kOfNode + names_.memory();
    if (memory > limit || budget_.exhausted()) break;
    if (memory >= memory_.held() + kAccountAt) memory_.Set(memory);
    const absl::Span<const Line> sites = stacks.LinesOf(id);
    for (auto site = sites.rbegin(); site != sites.rend(); ++site) {
      node = Child(node, tables_.functions()[site->function].name);
    }
    node_of_[id] = node;
  }
  children_ = {};
  memory_.Set(nodes_.size() * kOfFoundNode + names_.memory());
}

FoldedLines::NodeId FoldedLines::Child(NodeId parent, StringId name) {
  // Of the callees of a function, the same one is mostly asked for again.
  const NodeId last = parent == kNoId ? last_root_ : nodes_[parent].last_child;
  if (last != kNoId && nodes_[last].name == name) return last;
  // The first child mostly follows its parent, as the first root is node 0, and
  // need not be in children_. The last node has no child yet.
  const auto size = static_cast<NodeId>(nodes_.size());
  NodeId child = parent + 1;
  if (child != size &&
      (nodes_[child].parent != parent || nodes_[child].name != name)) {
    child = children_.try_emplace(std::pair(parent, name), size).first->second;
  }
  if (child == size) {
    Node node = {
        .parent = parent, .name = name, .size = names_.TextOf(name).size()};
    if (parent != kNoId) node.size += nodes_[parent].size + 1;
    nodes_.push_back(node);
  }
  (parent == kNoId ? last_root_ : nodes_[parent].last_child) = child;
  return child;
}

uint64_t FoldedLines::SizeOf(NodeId leaf) const {
  const uint64_t all = nodes_[leaf].size;
  if (all <= kMaxLineText) return all;
  uint64_t size = names_[nodes_[leaf].name].size();
  for (NodeId n = nodes_[leaf].parent; n != kNoId; n = nodes_[n].parent) {
    const uint64_t more = names_[nodes_[n].name].size() + 1;
    if (size + more > kMaxLineText) break;
    size += more;
  }
  return size;
}

void FoldedLines::Add(StringId thread, StackTree::NodeId leaf, uint64_t count) {
  if (node_of_[leaf] == kNoId) {
    if (!skip_counter_.CountIfExhausted()) skip_counter_.Count("memory");
    return;
  }
  names_.TextOf(thread);
  entries_.push_back({node_of_[leaf], thread, count});
}

void FoldedLines::SumEntries() {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) {
              return std::pair(a.leaf, a.thread) < std::pair(b.leaf, b.thread);
            });
  size_t kept = 0;
  for (const Entry& entry : entries_) {
    if (kept > 0 && entries_[kept - 1].leaf == entry.leaf &&
        entries_[kept - 1].thread == entry.thread) {
      uint64_t& count = entries_[kept - 1].count;
      count = SaturatingAdd(count, entry.count);
    } else {
      entries_[kept++] = entry;
    }
  }
  entries_.resize(kept);
}

void FoldedLines::Charge() {
  memory_.Set(nodes_.size() * kOfFoundNode + names_.memory());
  uint64_t unpaid = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (skip_counter_.CountIfExhausted(entries_.size() - i)) {
      entries_.resize(i);
      return;
    }
    const uint64_t size = SizeOf(entries_[i]);
    unpaid += kLineOverhead + size;
    if (unpaid < kFlushSize && i + 1 < entries_.size()) continue;
    budget_.Spend(Budget::kWork, unpaid / kLetters);
    memory_.Set(memory_.held() + unpaid);
    unpaid = 0;
  }
}

void FoldedLines::PutText(const Entry& entry, char* to) const {
  const auto put = [](absl::string_view text, char* at) {
    std::copy(text.begin(), text.end(), at);
  };
  const absl::string_view thread = names_[entry.thread];
  put(thread, to);
  char* const begin = to + thread.size() + 1;
  begin[-1] = ';';
  // From the leaf up, until there is no place for more.
  char* at = begin + SizeOf(entry.leaf);
  for (NodeId n = entry.leaf; at > begin || n == entry.leaf;
       n = nodes_[n].parent) {
    const absl::string_view name = names_[nodes_[n].name];
    at -= name.size();
    put(name, at);
    if (at == begin) break;
    *--at = ';';
  }
}

void FoldedLines::MakeBlock(absl::Span<const Entry> entries,
                            Block* block) const {
  size_t size = 0;
  for (const Entry& entry : entries) size += SizeOf(entry);
  block->text.resize(size);
  block->lines.reserve(entries.size());
  char* at = block->text.data();
  for (const Entry& entry : entries) {
    const size_t n = SizeOf(entry);
    PutText(entry, at);
    block->lines.push_back({{at, n}, entry.count});
    at += n;
  }
  std::sort(block->lines.begin(), block->lines.end(),
            [](const Counted& a, const Counted& b) { return a.text < b.text; });
}

absl::Status FoldedLines::Merge(absl::Span<const Block> blocks, Output& out) {
  struct Rest {
    const Counted* at;
    const Counted* end;
    bool operator<(const Rest& other) const {
      return at->text > other.at->text;  // the queue's top is the largest
    }
  };
  std::priority_queue<Rest> rests;
  for (const Block& block : blocks) {
    rests.push({block.lines.data(), block.lines.data() + block.lines.size()});
  }
  std::string buffer;
  while (!rests.empty()) {
    Counted line = {rests.top().at->text, 0};
    while (!rests.empty() && rests.top().at->text == line.text) {
      Rest rest = rests.top();
      rests.pop();
      line.count = SaturatingAdd(line.count, rest.at->count);
      if (++rest.at != rest.end) rests.push(rest);
    }
    absl::StrAppend(&buffer, line.text, " ", line.count, "\n");
    if (buffer.size() < kFlushSize) continue;
    RETURN_IF_ERROR(out.Write(buffer));
    buffer.clear();
  }
  return out.Write(buffer);
}

absl::Status FoldedLines::Write(WorkerPool& workers, Output& out) {
  node_of_ = {};
  SumEntries();
  Charge();
  for (const Entry& entry : entries_) {
    if (nodes_[entry.leaf].size > SizeOf(entry.leaf)) ++cut_;
  }
  skip_counter_.Report();
  if (diagnostics_ != nullptr && cut_ > 0) {
    diagnostics_->Add(
        Diagnostics::Severity::kSkipped,
        "call path without its outermost names: they have more than 4 MiB", 0,
        0, cut_);
  }
  std::vector<Block> blocks((entries_.size() + kBlock - 1) / kBlock);
  workers.ForEach(blocks.size(), [&](size_t i) {
    const auto entries = absl::MakeConstSpan(entries_);
    MakeBlock(entries.subspan(i * kBlock, kBlock), &blocks[i]);
  });
  return Merge(blocks, out);
}

}  // namespace perf2x
