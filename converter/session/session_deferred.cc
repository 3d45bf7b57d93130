// The part of Session that holds back samples whose user callchains come later.

#include "converter/base/status_macros.h"
#include "converter/perf/records/decode.h"
#include "converter/session/session.h"

namespace perf2x {

// A record while samples wait for their user callchains, or such a sample.
absl::Status Session::ApplyInTurn(const RawRecord& record,
                                  std::optional<uint64_t> time) {
  std::optional<uint64_t> cookie;
  int32_t tid = -1;
  if (record.type == kRecordSample && attrs_.EventOf(record) != kNoEvent) {
    SampleRecord sample;
    if (Decode(record.body, record.order, record.misc, attrs_.AttrOf(record),
               &sample)) {
      cookie = DeferredStacks::CookieOf(sample.ips);
      tid = sample.tid;
    }
  } else if (record.type == kRecordCallchainDeferred) {
    CallchainDeferredRecord chain;
    const size_t trailer = attrs_.TrailerSize(record);
    if (Decode(record.body.subspan(0, record.body.size() - trailer),
               record.order, record.misc, attrs_.AttrOf(record), &chain)) {
      deferred_stacks_.Resolve(chain.cookie, attrs_.TrailerOf(record).tid,
                               chain.ips);
    }
  }
  deferred_stacks_.Hold(record, time, cookie, tid);
  return ReleaseDeferred(/*all=*/false);
}

absl::Status Session::ReleaseDeferred(bool all) {
  return deferred_stacks_.Release(
      all, [this](const RawRecord& record, std::optional<uint64_t> time,
                  absl::Span<const uint64_t> user) {
        RETURN_IF_ERROR(ApplyNow(record, time, user));
        // Nothing but the record itself holds its bytes.
        RETURN_IF_ERROR(FlushPending());
        // Many may go at once.
        constexpr uint64_t kSometimes = 256;
        if (++released_ % kSometimes == 0) AccountForMemory();
        return absl::OkStatus();
      });
}

}  // namespace perf2x
