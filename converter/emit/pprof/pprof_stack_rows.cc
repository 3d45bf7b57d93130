// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/pprof_stack_rows.h"

#include <algorithm>
#include <utility>

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

// Sums the rows of stacks with the same frames. Stacks are added in order.
class EqualStacks {
 public:
  // `stacks` will be added.
  EqualStacks(SampleRows& rows, size_t stacks)
      : rows_(rows), of_stack_(rows), left_(rows.stacks(), true) {
    // Most stacks differ. To grow for them takes as long as to add them.
    first_with_.reserve(stacks);
  }

  // Adds a stack whose frames have the hash `of_frames`. Its rows are summed
  // later.
  void Add(StackId stack, const Hash128& of_frames);
  // Returns, by stack, whether it has rows of its own: true if it was not
  // added.
  std::vector<bool> Finish() {
    SumWaiting();
    return std::move(left_);
  }

 private:
  // Rows of one stack with the same labels, by their places in StackRows.
  struct Rows {
    FirstWith key;
    LabelSetId labels;
    uint32_t begin, end;
  };
  // The table of keys is larger than a cache. While so many wait, what they
  // need of it is fetched.
  static constexpr size_t kWaiting = 32;

  void SumWaiting();
  void Move(const Rows& from, StackId to);

  SampleRows& rows_;
  StackRows of_stack_;
  StackId loaded_ = kNoId;  // in of_stack_
  std::vector<Rows> waiting_;
  absl::flat_hash_set<FirstWith> first_with_;
  std::vector<bool> left_;
};

void EqualStacks::Add(StackId stack, const Hash128& of_frames) {
  of_stack_.Load(stack);
  loaded_ = stack;
  left_[stack] = false;
  for (size_t begin = 0, end; begin < of_stack_.size(); begin = end) {
    end = of_stack_.EndOfLabels(begin);
    const LabelSetId labels = of_stack_[begin].labels;
    if (!rows_.HasSeveralAddressSpaces(labels)) {
      left_[stack] = true;
      continue;
    }
    const Hash128 hash = Combine(of_frames, labels);
    const FirstWith key = {hash.high, static_cast<uint32_t>(hash.low), stack};
    first_with_.prefetch(key);
    waiting_.push_back({key, labels, static_cast<uint32_t>(begin),
                        static_cast<uint32_t>(end)});
  }
  if (waiting_.size() >= kWaiting) SumWaiting();
}

void EqualStacks::SumWaiting() {
  for (const Rows& rows : waiting_) {
    const auto [it, inserted] = first_with_.insert(rows.key);
    if (inserted) {
      left_[rows.key.stack] = true;
    } else {
      Move(rows, it->stack);
    }
  }
  waiting_.clear();
}

// The stack's rows are as they were in Add: only rows of the stacks before it
// were moved since, to stacks before them.
void EqualStacks::Move(const Rows& from, StackId to) {
  if (loaded_ != from.key.stack) {
    of_stack_.Load(from.key.stack);
    loaded_ = from.key.stack;
  }
  for (size_t i = from.begin; i < from.end; ++i) {
    SampleRows::Row& row = of_stack_[i];
    rows_.AddUnbatched({to, from.labels, static_cast<EventId>(row.event)},
                       row.count, row.value);
    row.count = 0;
  }
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

std::vector<bool> SumEqualStacks(TraceTables& tables, HelperPool* helpers,
                                 SampleRows& rows) {
  const std::vector<bool> wanted = StacksWithSeveralSpaces(rows);
  FramePrefetcher frame_prefetcher(tables, FramePrefetcher::Result::kHashes, 0,
                                   rows.stacks(), helpers, wanted);
  EqualStacks equal(rows, static_cast<size_t>(
                              std::count(wanted.begin(), wanted.end(), true)));
  for (StackId stack = 0; stack < rows.stacks(); ++stack) {
    rows.Prefetch(stack + kRowsAhead);
    if (wanted[stack]) equal.Add(stack, frame_prefetcher.NextHash());
  }
  return equal.Finish();
}

}  // namespace perf2x
