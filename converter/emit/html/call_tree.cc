// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/call_tree.h"

#include <array>
#include <utility>

#include "converter/base/text.h"

namespace perf2x {
namespace {

constexpr size_t kAccountEvery = 4096;
// Work for a look-up of a child, which mostly misses the caches.
constexpr uint64_t kWorkOfLookup = 2;

// Returns the name under which code of `dso` is shown. Pieces of generated code
// are DSOs of their own.
absl::string_view ShownName(const Dso& dso, bool by_file_name) {
  if (dso.kind == DsoKind::kGenerated) return dso.pid < 0 ? "[bpf]" : "[jit]";
  const absl::string_view name = dso.name;
  return by_file_name && dso.kind == DsoKind::kFile
             ? name.substr(name.rfind('/') + 1)
             : name;
}

}  // namespace

CallTree::CallTree(bool by_file_name)
    : by_file_name_(by_file_name), dsos_(1), functions_(1), nodes_(1) {}

StringId CallTree::InternText(absl::string_view name) {
  constexpr absl::string_view kEllipsis = "…";
  std::string scratch;
  name = AsPlainText(name, &scratch);
  if (name.size() <= kMaxName) return strings_.Intern(name);
  size_t end = kMaxName - kEllipsis.size();
  while (end > 0 && (name[end] & 0xc0) == 0x80) --end;
  std::string cut(name.substr(0, end));
  cut.append(kEllipsis.data(), kEllipsis.size());
  return strings_.Intern(cut);
}

uint32_t CallTree::DsoOf(const Dso& dso) {
  const DsoRow row = {InternText(ShownName(dso, by_file_name_)), dso.kind};
  const auto [it, inserted] = dso_ids_.try_emplace(
      {row.name, row.kind}, static_cast<uint32_t>(dsos_.size()));
  if (inserted) dsos_.push_back(row);
  return it->second;
}

uint32_t CallTree::FunctionOf(const Function& function, uint32_t dso,
                              const StringTable& strings) {
  const StringId name = InternText(strings[function.name]);
  const StringId file = InternText(strings[function.file]);
  const auto [it, inserted] = function_ids_.try_emplace(
      {name, file, dso}, static_cast<uint32_t>(functions_.size()));
  if (inserted) {
    functions_.push_back(
        {name, file, function.start_line, dso, function.placeholder});
  } else if (function.start_line != 0) {
    // The latest recording's line counts, not its base's.
    functions_[it->second].line = function.start_line;
  }
  return it->second;
}

CallTree::Steps CallTree::StepsOf(TraceTables& tables, Budget::Share* memory) {
  Steps out;
  std::vector<uint32_t> dso_of;
  for (const Dso& dso : tables.dsos()) dso_of.push_back(DsoOf(dso));
  // By the recording's function and DSO.
  absl::flat_hash_map<uint64_t, uint32_t> known;
  const size_t frames = tables.frames().size();
  size_t accounted = 0;  // steps
  out.first.reserve(frames + 1);
  for (FrameId frame = 0; frame < frames; ++frame) {
    tables.PrefetchLines(frame);
    out.first.push_back(static_cast<uint32_t>(out.steps.size()));
    const uint32_t dso = dso_of[tables.frames()[frame].dso];
    const absl::Span<const Line> lines = tables.Lines(frame);
    for (size_t i = lines.size(); i-- > 0;) {
      const FunctionId function = lines[i].function;
      const auto [it, inserted] =
          known.try_emplace(uint64_t{function} << 32 | dso);
      if (inserted) {
        it->second =
            FunctionOf(tables.functions()[function], dso, tables.strings);
      }
      out.steps.push_back(it->second << 1 | (i + 1 < lines.size() ? 1 : 0));
    }
    if (out.steps.size() >= accounted + kAccountEvery) {
      accounted = out.steps.size();
      memory->Set(out.memory() + this->memory());
    }
  }
  out.first.push_back(static_cast<uint32_t>(out.steps.size()));
  return out;
}

CallTree::NodeId CallTree::Child(NodeId parent, uint32_t step) {
  const auto next = static_cast<NodeId>(nodes_.size());
  const NodeId child = children_.FindOrAdd(parent, step, next);
  if (child == next) nodes_.push_back({parent, step >> 1, (step & 1) != 0});
  return child;
}

// Adds some stacks together, frame by frame, so that the children of one are
// fetched from memory while those of others are looked up.
class CallTree::Walkers {
 public:
  // Keeps `*memory` at the memory of all arguments while the tree grows: stacks
  // may share few of their frames, and a frame may have a thousand functions.
  Walkers(CallTree& tree, const Steps& steps, Budget& budget,
          std::vector<NodeId>* node_of, Budget::Share* memory)
      : tree_(tree),
        steps_(steps),
        budget_(budget),
        node_of_(*node_of),
        memory_(*memory) {}

  void Add(const StackFrames::Stack& stack) {
    walkers_[count_++] = {stack.frames, stack.id, kRoot};
    if (count_ == walkers_.size()) Walk();
  }

  // Finds or adds the nodes of the stacks that wait.
  void Walk() {
    bool more = true;
    while (more && !budget_.exhausted()) {
      more = false;
      for (size_t i = 0; i < count_; ++i) {
        const Walker& walker = walkers_[i];
        if (walker.left.empty()) continue;
        tree_.children_.Prefetch(
            walker.node, steps_.steps[steps_.first[walker.left.back()]]);
      }
      for (size_t i = 0; i < count_; ++i) more |= Descend(&walkers_[i]);
      if (lookups_ >= kAccountEvery) Account();
    }
    for (size_t i = 0; i < count_; ++i) {
      node_of_[walkers_[i].stack] = walkers_[i].node;
      skipped_frames_ += walkers_[i].left.size();
    }
    count_ = 0;
  }

  void Account() {
    budget_.Spend(Budget::kWork, std::exchange(lookups_, 0) * kWorkOfLookup);
    memory_.Set(steps_.memory() + tree_.memory() +
                node_of_.size() * sizeof(NodeId));
  }
  uint64_t skipped_frames() const { return skipped_frames_; }

 private:
  struct Walker {
    absl::Span<const FrameId> left;  // the outermost one last
    StackId stack = 0;
    NodeId node = kRoot;
  };

  // Returns false if there are no more frames.
  bool Descend(Walker* walker) {
    if (walker->left.empty()) return false;
    const FrameId frame = walker->left.back();
    walker->left.remove_suffix(1);
    const uint32_t end = steps_.first[frame + 1];
    for (uint32_t at = steps_.first[frame]; at < end; ++at) {
      walker->node = tree_.Child(walker->node, steps_.steps[at]);
    }
    lookups_ += end - steps_.first[frame];
    return !walker->left.empty();
  }

  CallTree& tree_;
  const Steps& steps_;
  Budget& budget_;
  std::vector<NodeId>& node_of_;
  Budget::Share& memory_;
  uint64_t lookups_ = 0;  // of children, since the last Account
  std::array<Walker, 16> walkers_;
  size_t count_ = 0;  // of walkers_
  uint64_t skipped_frames_ = 0;
};

void CallTree::Add(StackFrames* stacks, TraceTables& tables, Budget& budget,
                   std::vector<NodeId>* node_of, uint64_t* skipped_frames) {
  Budget::Share memory(budget);
  const Steps steps = StepsOf(tables, &memory);
  Walkers walkers(*this, steps, budget, node_of, &memory);
  stacks->Drain([&](const StackFrames::Stack& stack) { walkers.Add(stack); },
                [&] { walkers.Walk(); });
  walkers.Account();
  *skipped_frames += walkers.skipped_frames();
}

uint64_t CallTree::memory() const {
  constexpr uint64_t kOfFunction = 64;
  // While the hash table grows, the old one remains, of half the size.
  return nodes_.capacity() * sizeof(Node) + children_.memory() * 3 / 2 +
         functions_.size() * kOfFunction + strings_.memory();
}

}  // namespace perf2x
