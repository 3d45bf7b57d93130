// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/pruned_tree.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace perf2x {
namespace {

using NodeId = CallTree::NodeId;
using Node = CallTree::Node;

struct Value {
  uint64_t samples = 0, period = 0;
};

// Sums neighbours of the same event and node.
void SumNeighbours(std::vector<SelfSum>* sums) {
  size_t kept = 0;
  for (const SelfSum& sum : *sums) {
    SelfSum* last = kept > 0 ? &(*sums)[kept - 1] : nullptr;
    if (last != nullptr && last->event == sum.event && last->node == sum.node) {
      last->samples += sum.samples;
      last->period = AddPeriods(last->period, sum.period);
    } else {
      (*sums)[kept++] = sum;
    }
  }
  sums->resize(kept);
}

// Finds which nodes stay, and orders them.
class Cutter {
 public:
  // Takes in the sums of all recordings, event by event.
  Cutter(const std::vector<Node>& nodes,
         absl::Span<const std::vector<SelfSum>* const> recordings)
      : nodes_(nodes),
        stays_(nodes.size()),
        weight_(nodes.size()),
        values_(nodes.size()) {
    FindForks(recordings);
    for (const std::vector<SelfSum>* of_one : recordings) {
      const absl::Span<const SelfSum> sums = *of_one;
      for (size_t begin = 0, end; begin < sums.size(); begin = end) {
        end = begin;
        while (end < sums.size() && sums[end].event == sums[begin].event) ++end;
        AddEvent(sums.subspan(begin, end - begin));
      }
    }
    // What is above a large node is large too.
    for (size_t node = nodes_.size(); node-- > 1;) {
      const NodeId parent = nodes_[node].parent;
      if (stays_[node]) stays_[parent] = true;
      weight_[parent] += weight_[node];
    }
  }

  PrunedTree Finish() {
    FindSizes();
    ListChildren();
    out_.row_of.assign(nodes_.size(), 0);
    Place(CallTree::kRoot, 0);
    // Parents come before their children.
    for (NodeId node = 1; node < nodes_.size(); ++node) {
      if (!stays_[node] && !is_first_folded_[node]) {
        out_.row_of[node] = RowOfFolded(node);
      }
    }
    return std::move(out_);
  }

 private:
  // Finds the forks: nodes with samples of their own or with several children.
  // Others have the values of their child in each event.
  void FindForks(absl::Span<const std::vector<SelfSum>* const> recordings) {
    std::vector<uint32_t> children(nodes_.size());
    std::vector<bool> is_fork(nodes_.size());
    is_fork[CallTree::kRoot] = true;
    for (const std::vector<SelfSum>* sums : recordings) {
      for (const SelfSum& sum : *sums) is_fork[sum.node] = true;
    }
    for (NodeId node = 1; node < nodes_.size(); ++node) {
      if (++children[nodes_[node].parent] > 1) {
        is_fork[nodes_[node].parent] = true;
      }
    }
    fork_above_.assign(nodes_.size(), CallTree::kRoot);
    for (NodeId node = 1; node < nodes_.size(); ++node) {
      const NodeId parent = nodes_[node].parent;
      fork_above_[node] = is_fork[parent] ? parent : fork_above_[parent];
    }
    is_touched_.assign(nodes_.size(), false);
  }

  // Lists the event's nodes with samples and the forks above them, from the
  // highest id down: children come before their parents.
  void Touch(absl::Span<const SelfSum> sums) {
    touched_.clear();
    for (const SelfSum& sum : sums) {
      for (NodeId node = sum.node; !is_touched_[node];
           node = fork_above_[node]) {
        is_touched_[node] = true;
        touched_.push_back(node);
      }
    }
    constexpr size_t kFew = 32;  // a part of all: sorting them is cheaper
    if (touched_.size() < nodes_.size() / kFew) {
      std::sort(touched_.begin(), touched_.end(), std::greater<>());
      return;
    }
    touched_.clear();
    for (size_t node = nodes_.size(); node-- > 0;) {
      if (is_touched_[node]) touched_.push_back(static_cast<NodeId>(node));
    }
  }

  // Costs what the event touches: there may be as many events as nodes.
  void AddEvent(absl::Span<const SelfSum> sums) {
    Touch(sums);
    for (const SelfSum& sum : sums) {
      values_[sum.node] = {sum.samples, sum.period};
      weight_[sum.node] += sum.samples;
    }
    for (const NodeId node : touched_) {
      if (node == CallTree::kRoot) continue;
      Value& parent = values_[fork_above_[node]];
      parent.samples += values_[node].samples;
      parent.period = AddPeriods(parent.period, values_[node].period);
    }
    const Value all = values_[CallTree::kRoot];
    const auto is_large = [](uint64_t part, uint64_t whole) {
      return part > 0 &&
             part >= (whole + PrunedTree::kParts - 1) / PrunedTree::kParts;
    };
    for (const NodeId node : touched_) {
      const Value value = std::exchange(values_[node], {});
      is_touched_[node] = false;
      if (is_large(value.samples, all.samples) ||
          is_large(value.period, all.period)) {
        stays_[node] = true;
      }
    }
  }

  // A single small node stays: "other" would take as much room.
  void FindSizes() {
    stays_[CallTree::kRoot] = true;
    // Nodes at and below a node that does not stay; of a node that does, those
    // below its children that do not.
    small_.assign(nodes_.size(), 0);
    for (size_t node = nodes_.size(); node-- > 1;) {
      if (!stays_[node]) small_[nodes_[node].parent] += ++small_[node];
    }
    for (NodeId node = 1; node < nodes_.size(); ++node) {
      const NodeId parent = nodes_[node].parent;
      if (!stays_[node] && small_[node] == 1 && small_[parent] == 1 &&
          stays_[parent]) {
        stays_[node] = true;
      }
    }
  }

  // Lists the children of the nodes that stay: those that stay too, largest
  // first, and the first one of the others, which stands for all of these.
  void ListChildren() {
    first_child_.assign(nodes_.size() + 1, 0);
    is_first_folded_.assign(nodes_.size(), false);
    std::vector<bool> has_folded(nodes_.size());
    const auto is_listed = [&](NodeId node) {
      return stays_[node] || is_first_folded_[node];
    };
    for (NodeId node = 1; node < nodes_.size(); ++node) {
      const NodeId parent = nodes_[node].parent;
      if (!stays_[node] && stays_[parent] && !has_folded[parent]) {
        has_folded[parent] = is_first_folded_[node] = true;
      }
      if (is_listed(node)) ++first_child_[parent + 1];
    }
    for (size_t i = 1; i < first_child_.size(); ++i) {
      first_child_[i] += first_child_[i - 1];
    }
    children_.resize(first_child_.back());
    std::vector<uint32_t> next = first_child_;
    for (NodeId node = 1; node < nodes_.size(); ++node) {
      if (is_listed(node)) children_[next[nodes_[node].parent]++] = node;
    }
    for (NodeId node = 0; node < nodes_.size(); ++node) {
      std::sort(children_.begin() + first_child_[node],
                children_.begin() + first_child_[node + 1],
                [this](NodeId a, NodeId b) {
                  return std::tuple(!stays_[a], ~weight_[a], a) <
                         std::tuple(!stays_[b], ~weight_[b], b);
                });
    }
  }

  // Makes the rows of a node and, in preorder, of all below.
  void Place(NodeId top, uint32_t up) {
    std::vector<std::pair<NodeId, uint32_t>> open = {{top, up}};
    while (!open.empty()) {
      const auto [node, parent_row] = open.back();
      open.pop_back();
      const auto row = static_cast<uint32_t>(out_.rows.size());
      out_.row_of[node] = row;
      const Node& source = nodes_[node];
      PrunedTree::Row& to = out_.rows.emplace_back();
      to.up = row - parent_row;
      if (!stays_[node]) {
        to.folded = small_[source.parent];
        out_.folded += to.folded;
        continue;
      }
      to.function = source.function;
      to.inlined = source.inlined;
      for (uint32_t i = first_child_[node + 1]; i-- > first_child_[node];) {
        open.emplace_back(children_[i], row);
      }
    }
  }

  // Returns the "other" row that a node belongs to, whose parent's is known.
  uint32_t RowOfFolded(NodeId node) const {
    const NodeId parent = nodes_[node].parent;
    if (!stays_[parent]) return out_.row_of[parent];
    const NodeId listed_last = children_[first_child_[parent + 1] - 1];
    return out_.row_of[listed_last];
  }

  const std::vector<Node>& nodes_;
  std::vector<bool> stays_;
  std::vector<uint64_t> weight_;  // samples of all events, with callees
  // Of one event, with callees; only of those in touched_, else 0.
  std::vector<Value> values_;
  std::vector<NodeId> fork_above_;  // by node
  std::vector<bool> is_touched_;
  std::vector<NodeId> touched_;
  std::vector<uint32_t> small_;
  std::vector<bool> is_first_folded_;
  std::vector<uint32_t> first_child_;  // by node, in children_
  std::vector<NodeId> children_;
  PrunedTree out_;
};

}  // namespace

std::vector<SelfSum> SelfSumsOf(const HtmlRecording& recording) {
  const auto event_of = [&](const SampleEntry& entry) {
    return recording.lanes[entry.lane].event;
  };
  // The entries by event.
  std::vector<size_t> next(1);
  uint32_t nodes = 0;
  for (const SampleEntry& entry : recording.entries) {
    const size_t event = event_of(entry);
    if (event + 2 > next.size()) next.resize(event + 2);
    ++next[event + 1];
    nodes = std::max(nodes, entry.place + 1);
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<uint32_t> order(recording.entries.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    order[next[event_of(recording.entries[i])]++] = i;
  }
  std::vector<SelfSum> sums;
  std::vector<uint32_t> sum_of(nodes, kNoId);  // of the event
  for (size_t at = 0; at < order.size();) {
    const EventId event = event_of(recording.entries[order[at]]);
    const size_t first = sums.size();
    for (; at < next[event]; ++at) {
      const SampleEntry& entry = recording.entries[order[at]];
      uint32_t& sum = sum_of[entry.place];
      if (sum == kNoId) {
        sum = static_cast<uint32_t>(sums.size());
        sums.push_back({event, entry.place, 0, 0});
      }
      sums[sum].samples += entry.samples;
      sums[sum].period = AddPeriods(sums[sum].period, entry.period);
    }
    for (size_t i = first; i < sums.size(); ++i) sum_of[sums[i].node] = kNoId;
    std::sort(
        sums.begin() + static_cast<ptrdiff_t>(first), sums.end(),
        [](const SelfSum& a, const SelfSum& b) { return a.node < b.node; });
  }
  return sums;
}

void Renumber(absl::Span<const uint32_t> row_of, std::vector<SelfSum>* sums) {
  for (SelfSum& sum : *sums) sum.node = row_of[sum.node];
  std::sort(sums->begin(), sums->end(), [](const auto& a, const auto& b) {
    return std::tuple(a.event, a.node) < std::tuple(b.event, b.node);
  });
  SumNeighbours(sums);
}

PrunedTree PruneTree(const CallTree& tree,
                     absl::Span<const std::vector<SelfSum>* const> sums) {
  return Cutter(tree.nodes(), sums).Finish();
}

}  // namespace perf2x
