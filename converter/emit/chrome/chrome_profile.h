// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_PROFILE_H_
#define PERF2X_EMIT_CHROME_CHROME_PROFILE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/emit/chrome/chrome_stacks.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"

namespace perf2x {

// Writes samples in the format of V8's CPU profiler: a tree of functions and,
// per sample, its node and the time since the previous sample. Each thread has
// one profile, written in chunks. Memory grows with distinct callchains;
// charges no budget, see memory(). Not thread-safe.
class ChromeProfile {
 public:
  // References must outlive this.
  ChromeProfile(ChromeStacks& stacks, const ChromeTracks& tracks,
                ChromeTrace& trace)
      : stacks_(stacks), tracks_(tracks), trace_(trace) {}

  // Adds a sample. `stack` is outermost first. The thread is shown as running
  // for `interval`, in ns. A gap of up to two intervals before the next sample
  // or Stop is shown as running, too. A `time` before the thread's latest time
  // counts as the latest time.
  void Sample(TrackId track, absl::Span<const EntryId> stack, uint64_t time,
              uint64_t interval);
  // The thread stopped running at `time`, and is idle until its next sample.
  // Does nothing if the thread is idle already.
  void Stop(TrackId track, uint64_t time);
  // Stops all threads at `time` and writes all buffered samples. To be called
  // once, last.
  void Finish(uint64_t time);
  // Returns the approximate memory of the trees, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kNodeSize = 48;
    return nodes_ * kNodeSize;
  }

 private:
  static constexpr size_t kChunk = 1000;  // samples
  static constexpr uint32_t kRoot = 1, kIdle = 2;

  struct Node {
    uint32_t id, parent;
    EntryId entry;
  };
  struct State {  // of one thread
    bool started = false;
    uint32_t nodes = 0;
    absl::flat_hash_map<std::pair<uint32_t, EntryId>, uint32_t> children;
    std::vector<Node> new_nodes;  // not written yet
    std::vector<uint32_t> samples;
    std::vector<uint64_t> times;  // of `samples`
    uint64_t written = 0;         // time of the last written sample
    uint64_t last = 0;      // time of the last sample, or when it became idle
    uint64_t interval = 0;  // that of the last sample
    bool idle = true;
  };

  State& StateOf(TrackId track) {
    if (track >= states_.size()) states_.resize(track + 1);
    return states_[track];
  }
  void Add(TrackId track, State& state, uint32_t node, uint64_t time);
  // The thread is idle from `time`.
  void Idle(TrackId track, State& state, uint64_t time);
  void WriteChunk(TrackId track, State& state);
  void WriteNode(const Node& node, JsonWriter& json);

  ChromeStacks& stacks_;
  const ChromeTracks& tracks_;
  ChromeTrace& trace_;
  std::vector<State> states_;  // by TrackId
  uint64_t nodes_ = 0;         // in all trees
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_PROFILE_H_
