// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BUDGET_H_
#define PERF2X_BASE_BUDGET_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/diagnostics.h"

namespace perf2x {

// What an input may cause, in proportion to its size on disk: memory for what
// is kept of it, work beyond the reading of its bytes, and bytes of output.
// SECURITY.md has the rule. Who does such things spends it and, once it is
// exhausted, leaves the rest out and counts that: what came before stays good.
//
// Spending is cheap, but it is an atomic operation: account for a block of
// records, or for what is new, and not for every sample. All methods may be
// called from any thread.
class Budget {
 public:
  enum Resource {
    kMemory,   // bytes of what is kept, as estimated from counts
    kWork,     // steps: words of a callchain that was made, fields, look-ups
    kWritten,  // bytes
  };
  static constexpr int kResources = 3;
  // The larger of the two: `floor`, or `per_byte` of the input on disk.
  struct Rule {
    uint64_t floor, per_byte;
  };
  using Rules = std::array<Rule, kResources>;
  static constexpr Rules kRules = {{
      {uint64_t{96} << 20, 96},
      {uint64_t{64} << 20, 64},
      {uint64_t{256} << 20, 256},
  }};
  // Of a symbol file, see SafeFile::budget(). There may be many small ones: the
  // floors are low. A file causes no output by itself.
  static constexpr Rules kSymbolFileRules = {{
      {uint64_t{1} << 20, 96},
      {uint64_t{1} << 18, 64},
      {0, 0},
  }};
  // Of demangling the names that are in a recording itself.
  static constexpr Rules kRecordedNameRules = {{
      {uint64_t{8} << 20, 8},
      {uint64_t{4} << 20, 4},
      {0, 0},
  }};
  // The size of an input: that of a pipe grows while it is read.
  using Size = std::shared_ptr<const std::atomic<uint64_t>>;

  explicit Budget(const Rules& rules = kRules) : rules_(rules) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  // One that is never exhausted.
  static Budget& Unlimited();

  // Adds an input's size, or that of one more of its files; null adds nothing.
  void AddInput(Size size);
  void AddInput(uint64_t size);
  // The records have been read. Until then a quarter of everything is kept back
  // so that what came of them can be written; budgets that ran out have that
  // quarter left now.
  void EndRecords();

  void Spend(Resource resource, uint64_t amount) {
    const uint64_t used =
        used_[resource].fetch_add(amount, std::memory_order_relaxed) + amount;
    if (used > limits_[resource].load(std::memory_order_relaxed)) {
      CheckLimit(resource);
    }
  }
  // Whether something is used up. Stays so until EndRecords.
  bool exhausted() const {
    return exhausted_.load(std::memory_order_relaxed) != kNone;
  }
  // What was used up first: "memory", "work", "output"; empty: nothing was.
  const char* exhausted_name() const;

  uint64_t used(Resource resource) const {
    return used_[resource].load(std::memory_order_relaxed);
  }

  // What may still be spent, once EndRecords was called.
  uint64_t left(Resource resource) const {
    const uint64_t limit = limits_[resource].load(std::memory_order_relaxed);
    return limit - std::min(limit, used(resource));
  }

  // The memory of one owner, given back when that goes. One thread at a time.
  class Share {
   public:
    explicit Share(Budget& budget) : budget_(budget) {}
    ~Share() { Set(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    // What the owner holds now, in bytes.
    void Set(uint64_t bytes) {
      if (bytes > held_) budget_.Spend(kMemory, bytes - held_);
      if (bytes < held_) {
        budget_.used_[kMemory].fetch_sub(held_ - bytes,
                                         std::memory_order_relaxed);
      }
      held_ = bytes;
    }
    uint64_t held() const { return held_; }

   private:
    Budget& budget_;
    uint64_t held_ = 0;
  };

 private:
  static constexpr int kNone = -1;

  void UpdateLimits();  // with mutex_ held
  void CheckLimit(Resource resource);

  const Rules rules_;
  std::array<std::atomic<uint64_t>, kResources> used_{};
  // As far as the inputs were known to be large; more may be allowed by now.
  std::array<std::atomic<uint64_t>, kResources> limits_{};
  std::atomic<int> exhausted_{kNone};  // a Resource
  std::mutex mutex_;                   // guards what follows
  std::vector<Size> inputs_;
  uint64_t fixed_size_ = 0;  // of inputs that do not grow
  bool records_ended_ = false;
  bool unlimited_ = false;
};

// Counts `count` things ("row") that are left out since `resource`, an
// exhausted_name(), is used up. `diagnostics` may be null.
void NoteSkipped(absl::string_view thing, absl::string_view resource,
                 uint64_t count, Diagnostics* diagnostics, uint64_t offset = 0,
                 uint64_t bytes = 0);

}  // namespace perf2x

#endif  // PERF2X_BASE_BUDGET_H_
