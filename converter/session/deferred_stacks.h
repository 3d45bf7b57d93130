// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_DEFERRED_STACKS_H_
#define PERF2X_SESSION_DEFERRED_STACKS_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

// Joins samples whose user callchain comes later, in a CALLCHAIN_DEFERRED
// record with the same cookie, when the thread returns to user space (perf
// record --call-graph fp,defer). Holds back the records from such a sample on,
// so that they stay in order.
class DeferredStacks {
 public:
  // `user` is the user part of a sample's callchain; empty: no news.
  using Out = absl::FunctionRef<absl::Status(const RawRecord& record,
                                             std::optional<uint64_t> time,
                                             absl::Span<const uint64_t> user)>;

  // The cookie that a callchain ends with where its user part is deferred.
  static std::optional<uint64_t> CookieOf(const WordSpan& ips) {
    if (ips.size() < 2 || ips[ips.size() - 2] != kContextUserDeferred) {
      return std::nullopt;
    }
    return ips[ips.size() - 1];
  }

  // If set, nothing waits.
  bool idle() const { return held_.empty(); }
  // Adds a record. A sample whose callchain ends with a cookie waits for the
  // CALLCHAIN_DEFERRED record that has the same. `attrs` says how to decode it.
  void Push(const RawRecord& record, std::optional<uint64_t> time,
            const AttrTable& attrs);
  // Adds a record; one with a cookie waits for the callchain of that thread.
  void Hold(const RawRecord& record, std::optional<uint64_t> time,
            std::optional<uint64_t> cookie, int32_t tid);
  // Ends the wait for a callchain.
  void Resolve(uint64_t cookie, int32_t tid, const WordSpan& ips);
  // Forwards what need not wait any longer to `out`, or everything.
  absl::Status Release(bool all, Out out);
  // Samples that got no user callchain.
  uint64_t unresolved() const { return unresolved_; }
  // About how many bytes of memory the records that are held take.
  uint64_t memory() const {
    return held_.size() * (sizeof(Held) + sizeof(uint64_t)) + bytes_;
  }

 private:
  using Words = std::vector<uint64_t>;
  using Key = std::pair<uint64_t, int32_t>;  // cookie and thread
  struct Held {
    RawRecord record;
    BlockRef block;
    std::optional<uint64_t> time;
    Key key;
    bool waiting = false;
    std::shared_ptr<const Words> user;  // of all that waited for it
  };
  void GiveUp(const Held& oldest);

  std::deque<Held> held_;
  uint64_t first_ = 0;  // number of the oldest; the others follow
  uint64_t bytes_ = 0;  // of the records that are held
  // The numbers of those that wait, ascending.
  absl::flat_hash_map<Key, std::deque<uint64_t>> waiting_;
  uint64_t unresolved_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_DEFERRED_STACKS_H_
