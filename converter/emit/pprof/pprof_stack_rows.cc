// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/pprof_stack_rows.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "converter/base/hash.h"
#include "converter/model/frame_prefetcher.h"

namespace perf2x {
namespace {

// The first stack with certain frames and labels, by 96 bits of their hash.
struct FirstWith {
  uint64_t high;
  uint32_t low;
  StackId stack;
  friend bool operator==(const FirstWith& a, const FirstWith& b) {
    return a.high == b.high && a.low == b.low;
  }
  template <class H>
  friend H AbslHashValue(H h, const FirstWith& f) {
    return H::combine(std::move(h), f.high);
  }
};

// Returns, by stack, whether it has rows whose labels go with several address
// spaces.
std::vector<bool> StacksWithSeveralSpaces(SampleRows& rows) {
  std::vector<bool> found(rows.stacks());
  for (StackId stack = 0; stack < rows.stacks(); ++stack) {
    for (uint32_t i = rows.first(stack); i != kNoId;) {
      const SampleRows::Row& row = rows[i];
      if (rows.HasSeveralAddressSpaces(row.labels)) {
        found[stack] = true;
        break;
      }
      i = row.next;
    }
  }
  return found;
}

}  // namespace

void StackRows::Load(StackId stack) {
  loaded_.clear();
  for (uint32_t i = rows_.first(stack); i != kNoId;) {
    const SampleRows::Row& row = rows_[i];
    if (row.count != 0) loaded_.push_back(uint64_t{row.labels} << 32 | i);
    i = row.next;
  }
  std::sort(loaded_.begin(), loaded_.end());
}

std::vector<bool> SumEqualStacks(TraceTables& tables,
                                 bool finds_frames_on_thread,
                                 SampleRows& rows) {
  const std::vector<bool> wanted = StacksWithSeveralSpaces(rows);
  FramePrefetcher frame_prefetcher(tables, FramePrefetcher::Result::kPlaces,
                                   rows.stacks(), finds_frames_on_thread,
                                   wanted);
  absl::flat_hash_set<FirstWith> first_with;
  std::vector<uint64_t> key;
  StackRows of_stack(rows);
  for (StackId stack = 0; stack < rows.stacks(); ++stack) {
    if (!wanted[stack]) continue;
    key.clear();
    for (const FramePlace& place : frame_prefetcher.NextPlaces()) {
      key.insert(key.end(), {place.address, place.dso});
    }
    of_stack.Load(stack);
    for (size_t begin = 0, end; begin < of_stack.size(); begin = end) {
      end = of_stack.EndOfLabels(begin);
      const LabelSetId labels = of_stack[begin].labels;
      if (!rows.HasSeveralAddressSpaces(labels)) continue;
      const Hash128 hash =
          Combine(HashBytes({reinterpret_cast<const uint8_t*>(key.data()),
                             key.size() * sizeof(key[0])}),
                  labels);
      const auto [it, inserted] = first_with.insert(
          {hash.high, static_cast<uint32_t>(hash.low), stack});
      if (inserted) continue;
      for (size_t i = begin; i < end; ++i) {
        SampleRows::Row& row = of_stack[i];
        rows.AddUnbatched({it->stack, labels, static_cast<EventId>(row.event)},
                          row.count, row.value);
        row.count = 0;
      }
    }
  }
  // Only stacks in `wanted` can have lost all their rows.
  std::vector<bool> left(rows.stacks(), true);
  for (StackId stack = 0; stack < rows.stacks(); ++stack) {
    if (!wanted[stack]) continue;
    of_stack.Load(stack);
    left[stack] = !of_stack.empty();
  }
  return left;
}

}  // namespace perf2x
