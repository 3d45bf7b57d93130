// SPDX-License-Identifier: Apache-2.0
#include "converter/session/deferred_stacks.h"

#include <utility>

#include "converter/base/status_macros.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/sample.h"

namespace perf2x {
namespace {

// A thread that never returns to user space must not hold up the trace.
constexpr size_t kMaxHeld = 1 << 16;
constexpr uint64_t kMaxHeldBytes = 16 << 20;

uint64_t SizeOf(const RawRecord& record) {
  return 8 + record.body.size() + record.payload.size();
}

}  // namespace

void DeferredStacks::Push(const RawRecord& record, std::optional<uint64_t> time,
                          const AttrTable& attrs) {
  std::optional<uint64_t> cookie;
  int32_t tid = -1;
  if (record.type == kRecordSample && attrs.EventOf(record) != kNoEvent) {
    SampleRecord sample;
    if (Decode(record.body, record.order, record.misc, attrs.AttrOf(record),
               &sample)) {
      cookie = CookieOf(sample.ips);
      tid = sample.tid;
    }
  } else if (record.type == kRecordCallchainDeferred) {
    CallchainDeferredRecord callchain;
    const size_t trailer = attrs.TrailerSize(record);
    if (Decode(record.body.subspan(0, record.body.size() - trailer),
               record.order, record.misc, attrs.AttrOf(record), &callchain)) {
      Resolve(callchain.cookie, attrs.TrailerOf(record).tid, callchain.ips);
    }
  }
  Hold(record, time, cookie, tid);
}

void DeferredStacks::Hold(const RawRecord& record, std::optional<uint64_t> time,
                          std::optional<uint64_t> cookie, int32_t tid) {
  Held held;
  held.record = record;
  held.record.key = nullptr;  // does not outlive this call
  held.record.callchain = {};
  held.block = *record.block;
  held.time = time;
  held.key = {cookie.value_or(0), tid};
  held.waiting = cookie.has_value();
  if (held.waiting) {
    const uint64_t number = first_ + held_.size();
    const auto [it, inserted] = waiting_.try_emplace(held.key, Waiting{number});
    if (!inserted) held_[it->second.last - first_].next = number;
    it->second.last = number;
  }
  bytes_ += SizeOf(record);
  held_.push_back(std::move(held));
}

void DeferredStacks::Resolve(uint64_t cookie, int32_t tid,
                             const WordSpan& ips) {
  const auto found = waiting_.find(Key(cookie, tid));
  if (found == waiting_.end()) {
    ++unused_;
    return;
  }
  auto user = std::make_shared<Words>();
  if (ips.empty() || ips[0] < kContextMax) user->push_back(kContextUser);
  for (size_t i = 0; i < ips.size(); ++i) user->push_back(ips[i]);
  const uint64_t last = found->second.last;
  for (uint64_t number = found->second.first;;) {
    Held& held = held_[number - first_];
    held.waiting = false;
    held.user = user;
    if (number == last) break;
    number = held.next;
  }
  waiting_.erase(found);
}

// Ends the wait of the oldest record without a callchain.
void DeferredStacks::GiveUp(Held& oldest) {
  oldest.waiting = false;
  const auto found = waiting_.find(oldest.key);
  if (found->second.first == found->second.last) {
    waiting_.erase(found);
  } else {
    found->second.first = oldest.next;
  }
}

absl::Status DeferredStacks::Release(bool all, Out out) {
  while (!held_.empty()) {
    Held& oldest = held_.front();
    const bool too_many = held_.size() > kMaxHeld || bytes_ > kMaxHeldBytes;
    if (oldest.waiting && !all && !too_many) break;
    if (oldest.waiting) GiveUp(oldest);
    oldest.record.block = &oldest.block;
    absl::Span<const uint64_t> user;
    if (oldest.user != nullptr) user = *oldest.user;
    RETURN_IF_ERROR(out(oldest.record, oldest.time, user));
    bytes_ -= SizeOf(oldest.record);
    held_.pop_front();
    ++first_;
  }
  return absl::OkStatus();
}

}  // namespace perf2x
