// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PATH_NUMBERS_H_
#define PERF2X_EMIT_PATH_NUMBERS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/hash.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/base/prefetch.h"
#include "converter/base/stable_array.h"
#include "converter/base/worker_pool.h"
#include "converter/base/zeroed_array.h"
#include "converter/emit/stack_functions.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// One function of a call path.
struct CallSite {
  FrameId frame = 0;
  FunctionId function = 0;
  uint32_t line = 0;     // executing line; 0: not known
  bool inlined = false;  // into its caller, the next site of the path
};

// Assigns numbers to the call paths of stacks, that is to their functions,
// inlined ones included, and to the distinct call sites in them. Both count
// from 0 in order of appearance. For very large stacks, see StackFunctions.
// Charges memory to the budget; skips nothing. Other threads may read the paths
// and sites that were there before; otherwise not thread-safe.
class PathNumbers {
 public:
  // The call path of a sample.
  struct Path {
    uint32_t number = 0;
    const CallSite* leaf = nullptr;  // its innermost site
  };

  // All must outlive this. If `equal_paths_share` is set, stacks of different
  // processes with the same frames have the same path; if not, each stack has
  // its own, which takes less time.
  PathNumbers(TraceTables& tables, StackFunctions& functions, Budget& budget,
              bool equal_paths_share)
      : tables_(tables),
        functions_(functions),
        equal_paths_share_(equal_paths_share),
        memory_(budget) {}

  // Returns the path of a stack. Symbolizes the stack's frames. Valid until the
  // next call.
  Path PathOf(StackId stack);
  // Sets `*paths` to the paths of `stacks`. Gives the same as PathOf, in less
  // time: memory is prefetched, and `workers` symbolize.
  void PathsOf(absl::Span<const StackId> stacks, WorkerPool& workers,
               std::vector<Path>* paths);

  // Returns the number of paths so far.
  uint32_t size() const { return static_cast<uint32_t>(paths_.size()); }
  // Returns the numbers of the sites of a path below size(), leaf first. Valid
  // as long as this object.
  absl::Span<const uint32_t> SitesOf(uint32_t path) const {
    const uint32_t* const words = paths_[path];
    return {words + 1, words[0]};
  }
  // As SitesOf, to put other numbers in place of the sites'.
  absl::Span<uint32_t> MutableSitesOf(uint32_t path) {
    uint32_t* const words = paths_[path];
    return {words + 1, words[0]};
  }
  // Prefetch what SitesOf reads, the second after the first has taken effect.
  void PrefetchPath(uint32_t path) const { Prefetch(&paths_[path]); }
  void PrefetchSites(uint32_t path) const {
    PrefetchAll(reinterpret_cast<const uint8_t*>(paths_[path]), 2 * kCacheLine);
  }
  // Returns all call sites so far, by number. Grows with PathOf.
  using Sites = StableArray<CallSite>;
  const Sites& sites() const { return sites_; }

 private:
  // The path of a stack.
  struct Known {
    // The path's number + 1; 0: no path yet; kWaits: in new_stacks_.
    uint32_t path = 0;
    uint32_t leaf = 0;  // the number of its innermost site
  };
  // The numbers of a frame's sites follow each other.
  struct FrameSites {
    uint32_t first = 0;
    uint32_t count = 0;  // 0: not numbered yet
  };
  // A stack without a path yet, and the end of its frames in new_frames_.
  struct NewStack {
    StackId stack;
    size_t end;
  };

  static constexpr uint32_t kWaits = ~0u;
  // Bytes of each element of number_of_, and the number of new paths after
  // which memory_ is updated.
  static constexpr size_t kOfPath = 48, kAccountAt = 256;
  // As kAccountAt, for sites of paths: one path may have 65,536.
  static constexpr size_t kAccountAtSites = 1 << 16;

  bool IsNumbered(StackId stack) const {
    return stack < known_.size() && known_[stack].path != 0;
  }
  size_t ReadFrames(absl::Span<const StackId> stacks);
  void NumberNewStacks();
  Known Number(const Hash128& hash, absl::Span<const FrameId> frames);
  Known AddPath(absl::Span<const FrameId> frames);
  uint32_t* NewPath(size_t count);
  void Account();
  void NumberSitesOf(FrameId frame);

  TraceTables& tables_;
  StackFunctions& functions_;
  const bool equal_paths_share_;
  Budget::Share memory_;
  ZeroedArray<Known> known_;  // by stack
  absl::flat_hash_map<Hash128, Known,
                      absl::flat_hash_map<Hash128, Known>::hasher,
                      std::equal_to<Hash128>,
                      HugePageAllocator<std::pair<const Hash128, Known>>>
      number_of_;  // by hash of frames
  // By path: in chunks_, the number of its sites and then the sites. Paths do
  // not move, as they are most of the memory.
  StableArray<uint32_t*> paths_;
  std::vector<std::unique_ptr<uint32_t[]>> chunks_;
  uint32_t* free_ = nullptr;  // in the last chunk
  size_t free_words_ = 0;
  size_t path_words_ = 0;             // of all chunks
  size_t accounted_ = 0;              // path_words_ at the last Account
  Sites sites_;                       // by number
  ZeroedArray<FrameSites> sites_of_;  // by frame
  std::vector<NewStack> new_stacks_;
  FramePlaces places_;  // of new_frames_
  std::vector<FrameId> new_frames_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PATH_NUMBERS_H_
