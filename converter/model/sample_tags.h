// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_SAMPLE_TAGS_H_
#define PERF2X_MODEL_SAMPLE_TAGS_H_

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "converter/base/stable_array.h"
#include "converter/base/string_table.h"

namespace perf2x {

// Index in SampleTagTable.
using TagsId = uint32_t;

// What stages find out about a sample. Strings are ids in TraceTables::strings;
// 0, the empty string, means not known.
struct SampleTags {
  StringId state = 0;        // "sleeping", …; see docs/wall-clock.md
  StringId waker = 0;        // name of the thread that ended the wait
  uint32_t parallelism = 0;  // number of running threads; 0: not known
  friend bool operator==(const SampleTags&, const SampleTags&) = default;
  template <class H>
  friend H AbslHashValue(H h, const SampleTags& t) {
    return H::combine(std::move(h), t.state, t.waker, t.parallelism);
  }
};

// The distinct tags of a trace. Id 0 stands for no tags. Not thread-safe.
class SampleTagTable {
 public:
  SampleTagTable() { Intern({}); }
  // Returns the id of `tags`; adds them if they are new.
  TagsId Intern(const SampleTags& tags) {
    const auto [it, inserted] =
        ids_.try_emplace(tags, static_cast<TagsId>(tags_.size()));
    if (inserted) tags_.push_back(tags);
    return it->second;
  }
  // `id` must be a result of Intern, or 0.
  const SampleTags& operator[](TagsId id) const { return tags_[id]; }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfEntry = 64;
    return tags_.size() * kOfEntry;
  }

 private:
  StableArray<SampleTags, 64> tags_;
  absl::flat_hash_map<SampleTags, TagsId> ids_;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_SAMPLE_TAGS_H_
