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

// Joins samples with their deferred user callchains (perf record --call-graph
// fp,defer). Such a callchain comes in a CALLCHAIN_DEFERRED record with the
// sample's cookie, when the thread returns to user space. Until then the sample
// and all records after it are held back, in order, with their blocks. At most
// 65536 records and 16 MiB are held back. Beyond either limit, Release passes
// on waiting samples without their user callchains, oldest first. Not
// thread-safe.
class DeferredStacks {
 public:
  // Receives a released record. RawRecord::key and RawRecord::callchain are not
  // set. `user` is the deferred user part of a sample's callchain, with its
  // context marker first; empty: there is none. Both are valid during the call.
  using Out = absl::FunctionRef<absl::Status(const RawRecord& record,
                                             std::optional<uint64_t> time,
                                             absl::Span<const uint64_t> user)>;

  // Returns the cookie at the end of a callchain whose user part is deferred;
  // nullopt for other callchains.
  static std::optional<uint64_t> CookieOf(const WordSpan& ips) {
    if (ips.size() < 2 || ips[ips.size() - 2] != kContextUserDeferred) {
      return std::nullopt;
    }
    return ips[ips.size() - 1];
  }

  // Returns true if no record is held back.
  bool idle() const { return held_.empty(); }
  // Adds a record, which is decoded with `attrs`. A sample whose callchain ends
  // with a cookie waits for the CALLCHAIN_DEFERRED record with the same cookie
  // and thread. A CALLCHAIN_DEFERRED record ends the wait of all earlier
  // samples with its cookie and thread. A record that cannot be decoded does
  // not wait.
  void Push(const RawRecord& record, std::optional<uint64_t> time,
            const AttrTable& attrs);
  // Adds a record that was decoded already. If `cookie` is set, the record
  // waits for a later call of Resolve with this cookie and `tid`.
  void Hold(const RawRecord& record, std::optional<uint64_t> time,
            std::optional<uint64_t> cookie, int32_t tid);
  // Ends the wait of all samples of thread `tid` with this cookie. Copies
  // `ips`, their user callchain. If no sample waits for it, only counts it.
  void Resolve(uint64_t cookie, int32_t tid, const WordSpan& ips);
  // Passes records to `out` in order, up to the first one that must still wait.
  // If `all` is set, passes all records. Returns the errors of `out`; the
  // record on which it failed stays.
  absl::Status Release(bool all, Out out);
  // Returns the number of callchains that no sample waited for.
  uint64_t unused() const { return unused_; }
  // Returns the approximate memory of the records held back, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kBytesPerKey = 96;
    return held_.size() * sizeof(Held) + bytes_ +
           waiting_.size() * kBytesPerKey;
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
    uint64_t next = 0;  // number of the next record that waits for `key`
    std::shared_ptr<const Words> user;  // shared by all samples that waited
  };
  // Numbers of the first and the last record that wait for a key.
  struct Waiting {
    uint64_t first = 0, last = 0;
  };
  void GiveUp(Held& oldest);

  std::deque<Held> held_;
  uint64_t first_ = 0;  // number of held_[0]; the others follow
  uint64_t bytes_ = 0;  // of the records in held_
  absl::flat_hash_map<Key, Waiting> waiting_;
  uint64_t unused_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_DEFERRED_STACKS_H_
