// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_STACK_SUBSET_H_
#define PERF2X_SESSION_STACK_SUBSET_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// A bounded selection of a recording's distinct stacks, with the number of
// samples that each stands for. The first 2048 stacks are selected, so most
// recordings are counted exactly. Whenever the number of stacks doubles after
// that, 256 of the new ones are selected, evenly spaced. Each also stands for
// the stacks up to the next selected one. The order of calls: CountSample for
// each sample, Collect, the results, Drop. If the table of stacks is freed in
// between, Collect comes before, and again in the end. Not thread-safe.
class StackSubset {
 public:
  // One frame of a stack: the index of its Dso in dsos(), and Frame::address.
  struct Place {
    uint32_t dso;
    uint64_t address;
  };

  // Counts `samples` samples of `stack`. Since the last Collect, `stack` must
  // be one that the table did not have then.
  void CountSample(StackId stack, uint64_t samples = 1) {
    if (stack < directly_counted_) {
      counts_[stack] += samples;
    } else if (stack % kMinStep == 0 || directly_counted_ < kAll) {
      AddChosen(stack, samples);
    }
  }

  // Computes the frames of the stacks that were selected since the last
  // Collect. To be called while `tables` still has them. Stops once the stacks
  // have 262144 frames in total.
  void Collect(TraceTables& tables);
  // As above, but leaves out the frames for which `keep` returns false.
  void Collect(TraceTables& tables,
               absl::FunctionRef<bool(const FramePlace&)> keep);

  // After Collect: the DSOs of the frames, without kMarker. All generated code
  // (DsoKind::kGenerated) is one Dso for the kernel (pid -1) and one for all
  // processes.
  const std::vector<Dso>& dsos() const { return dsos_; }
  // After Collect: calls `visit` with each stack's number of samples and
  // frames, in the order of stack ids. Frames are Places, leaf first, without
  // frames of kind kMarker.
  template <class F>
  void ForEach(F visit) const {
    size_t begin = 0;
    for (const Stack& stack : stacks_) {
      visit(stack.samples,
            absl::MakeConstSpan(places_).subspan(begin, stack.end - begin));
      begin = stack.end;
    }
  }
  // Returns the sum of the numbers that ForEach passes; 0 before Collect. With
  // at most 2048 stacks it is the exact number of samples, with more an
  // estimate. Stacks that Collect did not reach count as 0.
  uint64_t samples() const { return samples_; }
  // Frees all but samples(). dsos() is empty then, and ForEach visits nothing.
  void Drop();

 private:
  static constexpr StackId kAll = 2048, kFirst = 128;
  static constexpr int kPerDoublingBits = 8;
  // Chosen stacks after the first kAll are multiples of this.
  static constexpr StackId kMinStep = kAll >> kPerDoublingBits;
  static constexpr size_t kNotChosen = ~size_t{0};

  // Stacks [kAll << (doubling - 1), kAll << doubling) are one doubling, of
  // which every 2^shift-th stack is chosen.
  static int DoublingOf(StackId stack) {
    return static_cast<int>(std::bit_width(stack / kAll));
  }
  static int ShiftOf(int doubling) {
    return doubling - 1 + std::bit_width(kAll) - 1 - kPerDoublingBits;
  }
  static size_t SlotOf(StackId stack) {
    if (stack < kAll) return stack;
    const int doubling = DoublingOf(stack);
    const int shift = ShiftOf(doubling);
    if ((stack & ((StackId{1} << shift) - 1)) != 0) return kNotChosen;
    return kAll + (static_cast<size_t>(doubling - 1) << kPerDoublingBits) +
           ((stack - std::bit_floor(stack)) >> shift);
  }
  ABSL_ATTRIBUTE_NOINLINE void AddChosen(StackId stack, uint64_t samples) {
    const StackId direct =
        stack < kAll ? std::max(kFirst, std::bit_ceil(stack + 1)) : kAll;
    if (direct > directly_counted_) counts_.resize(directly_counted_ = direct);
    const size_t slot = SlotOf(stack);
    if (slot == kNotChosen) return;
    if (slot >= counts_.size()) counts_.resize(slot + 1);
    counts_[slot] += samples;
  }
  static StackId StackOf(size_t slot, int* shift);
  uint32_t DsoOf(DsoId id, const Dso& dso);

  struct Stack {
    uint64_t samples;
    size_t end;  // in places_
  };
  // Grows with the stacks up to kAll, as few stacks should take few pages.
  StackId directly_counted_ = 0;
  std::vector<uint64_t> counts_;  // by slot; 0 after Collect
  std::vector<Stack> stacks_;
  std::vector<Place> places_;
  std::vector<Dso> dsos_;
  std::vector<uint32_t> dso_of_;            // by DsoId; kNoId: not in dsos_ yet
  uint32_t generated_[2] = {kNoId, kNoId};  // of processes, of the kernel
  uint64_t samples_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_STACK_SUBSET_H_
