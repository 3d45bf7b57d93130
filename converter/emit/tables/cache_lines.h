// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_CACHE_LINES_H_
#define PERF2X_EMIT_TABLES_CACHE_LINES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "converter/base/budget.h"
#include "converter/model/emitter.h"

namespace perf2x {

// A cache line and the accesses to it. Sums saturate.
struct CacheLine {
  // What `distinct` counts.
  enum Distinct : uint8_t { kProcesses, kThreads, kCpus, kOffsets };
  static constexpr size_t kDistinct = 4;

  // Of the first access: the line's run-time address, the frame of the accessed
  // data (kNoId: no DSO known), and the thread.
  uint64_t address = 0;
  FrameId data_frame = kNoId;
  ThreadId thread = 0;
  uint64_t samples = 0, loads = 0, stores = 0;
  uint64_t hitm_local = 0, hitm_remote = 0, peer_local = 0, peer_remote = 0;
  uint64_t llc_misses = 0, tlb_misses = 0;
  uint64_t weight = 0;                         // sum of the accesses' weights
  std::array<uint64_t, kDistinct> distinct{};  // number of values
  // The function with most accesses, its DSO, and the number of its accesses.
  FunctionId function = 0;
  DsoId function_dso = kNoId;
  uint64_t function_samples = 0;

  // Returns the number of accesses that took the line from another core.
  uint64_t contended() const {
    return hitm_local + hitm_remote + peer_local + peer_remote;
  }
};

// Groups accesses by cache line, as `perf c2c` does (sort__dcacheline_cmp() in
// tools/perf/util/sort.c). A line of a mapped file or of the kernel is one line
// for all processes. A line of other memory is one line for each process.
// Charges memory to the budget; skips nothing. Not thread-safe.
class CacheLines {
 public:
  // `line_size` is in bytes, a power of two. References must outlive this.
  CacheLines(uint64_t line_size, TraceTables& tables, Budget& budget)
      : line_size_(line_size), tables_(tables), memory_(budget) {}

  // Adds an access by code of `function` in `dso`. Sample::access must be
  // present.
  void Add(const Sample& sample, FunctionId function, DsoId dso);
  // Returns the lines, in order of their first accesses. Add invalidates the
  // reference.
  const std::vector<CacheLine>& lines() const { return lines_; }
  uint64_t line_size() const { return line_size_; }

 private:
  struct Key {
    DsoId dso;         // kNoId: not known
    int32_t pid;       // of memory that processes do not share; else -1
    uint64_t address;  // Frame::address or, without a DSO, at run time
    friend bool operator==(const Key&, const Key&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.dso, k.pid, k.address);
    }
  };
  // A distinct value of one kind, as seen on one line.
  struct Seen {
    uint32_t line;
    CacheLine::Distinct kind;
    uint64_t value;
    friend bool operator==(const Seen&, const Seen&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Seen& s) {
      return H::combine(std::move(h), s.line, s.kind, s.value);
    }
  };
  struct Code {
    uint32_t line;
    FunctionId function;
    DsoId dso;
    friend bool operator==(const Code&, const Code&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Code& c) {
      return H::combine(std::move(h), c.line, c.function, c.dso);
    }
  };

  uint32_t LineOf(const Sample& sample);
  void CountDistinct(uint32_t line, CacheLine::Distinct kind, uint64_t value);
  void CountCode(const Code& code, uint64_t count);
  void AccountMemory();

  const uint64_t line_size_;
  TraceTables& tables_;
  Budget::Share memory_;
  size_t accounted_ = 0;  // entries of the tables below
  std::vector<CacheLine> lines_;
  absl::flat_hash_map<Key, uint32_t> line_of_;
  absl::flat_hash_set<Seen> seen_;
  absl::flat_hash_map<Code, uint64_t> samples_of_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_CACHE_LINES_H_
