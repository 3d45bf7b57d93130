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

// Limits the memory, the work and the output that an input may cause, in
// proportion to its size on disk. SECURITY.md has the rule. Thread-safe.
//
// Spend only counts; nothing is refused. Code that uses a resource calls Spend
// and checks exhausted(). If that returns true, the code skips further data and
// counts what it skips (CountSkippedForBudget). Earlier results stay valid.
//
// Spend is an atomic operation. Call it once for a block of records or for each
// new thing, not for each sample.
class Budget {
 public:
  // What a budget limits.
  enum Resource {
    kMemory,  // size of kept data in bytes, estimated
    kWork,    // steps: words of unwound callchains, fields, look-ups, …
    kOutput,  // bytes of output
  };
  static constexpr int kResources = 3;
  // The limit of a resource: the larger of `floor` and `per_byte` times the
  // input's size on disk.
  struct Rule {
    uint64_t floor, per_byte;
  };
  using Rules = std::array<Rule, kResources>;
  static constexpr Rules kRules = {{
      {uint64_t{96} << 20, 96},
      {uint64_t{64} << 20, 64},
      {uint64_t{256} << 20, 256},
  }};
  // Rules for one symbol file (SafeFile::budget()). The floors are low because
  // there may be many small files. A symbol file causes no output by itself.
  static constexpr Rules kSymbolFileRules = {{
      {uint64_t{1} << 17, 96},
      {uint64_t{1} << 18, 64},
      {0, 0},
  }};
  // Rules for generated code, which has no file.
  static constexpr Rules kGeneratedCodeRules = {{
      {uint64_t{1} << 20, 0},
      {uint64_t{1} << 18, 0},
      {0, 0},
  }};
  // Rules for demangling the names that the recording itself contains.
  static constexpr Rules kRecordedNameRules = {{
      {uint64_t{8} << 20, 8},
      {uint64_t{4} << 20, 4},
      {0, 0},
  }};
  // The size of an input in bytes, which grows while a pipe is read.
  using Size = std::shared_ptr<const std::atomic<uint64_t>>;

  explicit Budget(const Rules& rules = kRules) : rules_(rules) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  // Returns a budget that is never exhausted. The whole process shares it.
  static Budget& Unlimited();

  // Adds the size of an input, or of one more file of an input; null adds
  // nothing. To be called before ReleaseReserve.
  void AddInput(Size size);
  // As above, for an input whose size in bytes does not change.
  void AddInput(uint64_t size);
  // Makes the reserve available: a quarter of each limit, for writing the
  // results. exhausted() becomes false, even if more than the old limit was
  // spent. After this call, it never returns from true to false. To be called
  // once, when all records have been read.
  void ReleaseReserve();

  // Counts `amount` as used, even if that exceeds the limit; see exhausted().
  void Spend(Resource resource, uint64_t amount) {
    const uint64_t used =
        used_[resource].fetch_add(amount, std::memory_order_relaxed) + amount;
    if (used > limits_[resource].load(std::memory_order_relaxed)) {
      CheckLimit(resource);
    }
  }
  // Returns true if the use of a resource has exceeded its limit. Stays true
  // until ReleaseReserve, even if memory is returned or the input grows.
  bool exhausted() const {
    return exhausted_.load(std::memory_order_relaxed) != kNone;
  }
  // Returns the name of the resource that was exhausted first: "memory", "work"
  // or "output". Returns "" if exhausted() is false.
  const char* exhausted_name() const;

  // Returns the amount that was spent, minus the memory that was returned.
  uint64_t used(Resource resource) const {
    return used_[resource].load(std::memory_order_relaxed);
  }

  // Returns the present limit, which grows while a pipe is read. Before
  // ReleaseReserve, the limit excludes the reserved quarter.
  uint64_t Limit(Resource resource);

  // Returns the amount that may still be spent; 0 if the limit is exceeded.
  // Valid only after ReleaseReserve.
  uint64_t left(Resource resource) const {
    const uint64_t limit = limits_[resource].load(std::memory_order_relaxed);
    return limit - std::min(limit, used(resource));
  }

  // The memory (kMemory) that one owner holds. The destructor returns it to the
  // budget. The budget must outlive the share. Not thread-safe.
  class Share {
   public:
    explicit Share(Budget& budget) : budget_(budget) {}
    ~Share() { Set(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    // Sets the size of the memory that the owner holds now, in bytes. Charges
    // or returns the difference.
    void Set(uint64_t bytes) {
      if (bytes > held_) budget_.Spend(kMemory, bytes - held_);
      if (bytes < held_) {
        budget_.used_[kMemory].fetch_sub(held_ - bytes,
                                         std::memory_order_relaxed);
      }
      held_ = bytes;
    }
    // Returns the size of the last Set, in bytes.
    uint64_t held() const { return held_; }

   private:
    Budget& budget_;
    uint64_t held_ = 0;
  };

 private:
  friend class DeferredBudget;
  static constexpr int kNone = -1;

  // Sets limits that do not change with the input, and what is exhausted, a
  // Resource or kNone, unless more than a limit was spent.
  void SetLimits(const std::array<uint64_t, kResources>& limits, int exhausted);
  void UpdateLimits();  // with mutex_ held
  void CheckLimit(Resource resource);

  const Rules rules_;
  std::array<std::atomic<uint64_t>, kResources> used_{};
  // As computed last: an input may have grown since.
  std::array<std::atomic<uint64_t>, kResources> limits_{};
  std::atomic<int> exhausted_{kNone};  // a Resource
  std::mutex mutex_;                   // guards what follows
  std::vector<Size> inputs_;
  uint64_t fixed_size_ = 0;  // of inputs that do not grow
  bool records_ended_ = false;
  bool unlimited_ = false;
  bool fixed_ = false;  // by SetLimits
};

// Reports things that the caller skipped because the budget is exhausted. Adds
// `count` occurrences to `diagnostics`, as kSkipped. `thing` names one of the
// things ("row"). `resource` is the exhausted_name(). `offset` is where the
// first thing lies in the input; 0 if it has no offset. `bytes` is the total
// size of the things; 0 if not known. Does nothing if `diagnostics` is null or
// `count` is 0.
void CountSkippedForBudget(absl::string_view thing, absl::string_view resource,
                           uint64_t count, Diagnostics* diagnostics,
                           uint64_t offset = 0, uint64_t bytes = 0);

}  // namespace perf2x

#endif  // PERF2X_BASE_BUDGET_H_
