#include "converter/session/deferred_stacks.h"

#include <utility>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// A thread that never returns to user space must not hold up the trace.
constexpr size_t kMostHeld = 1 << 16;

}  // namespace

void DeferredStacks::Hold(const RawRecord& record, std::optional<uint64_t> time,
                          std::optional<uint64_t> cookie, int32_t tid) {
  Held held;
  held.record = record;
  held.record.head = nullptr;  // it will be gone
  held.record.chain = {};
  held.block = *record.block;
  held.time = time;
  held.cookie = cookie.value_or(0);
  held.tid = tid;
  held.waiting = cookie.has_value();
  held_.push_back(std::move(held));
}

void DeferredStacks::Resolve(uint64_t cookie, int32_t tid,
                             const WordSpan& ips) {
  for (Held& held : held_) {
    if (!held.waiting || held.cookie != cookie || held.tid != tid) continue;
    held.waiting = false;
    if (ips.empty() || ips[0] < kContextMax) held.user.push_back(kContextUser);
    for (size_t i = 0; i < ips.size(); ++i) held.user.push_back(ips[i]);
  }
}

absl::Status DeferredStacks::Release(bool all, Out out) {
  while (!held_.empty()) {
    Held& front = held_.front();
    if (front.waiting && !all && held_.size() <= kMostHeld) break;
    if (front.waiting) ++unresolved_;
    front.record.block = &front.block;
    RETURN_IF_ERROR(out(front.record, front.time, front.user));
    held_.pop_front();
  }
  return absl::OkStatus();
}

}  // namespace perf2x
