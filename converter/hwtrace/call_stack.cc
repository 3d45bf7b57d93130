// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/call_stack.h"

namespace perf2x {
namespace {

using Branch = PtStep::Branch;
using FrameKind = CallStack::Frame::Kind;

// The kernel may have a system call executed again, or go on behind the
// instructions that 32-bit programs have after SYSENTER.
bool IsNear(uint64_t address, uint64_t resume) {
  constexpr uint64_t kNear = 16;
  return resume != 0 && address - resume + kNear <= 2 * kNear;
}

// A call over a loop that captures speculation, as compilers make in place of
// an indirect branch: the function then returns to that branch's target.
bool IsOfRetpoline(const CallStack::Frame& frame) {
  constexpr uint64_t kLoop = 64;
  return frame.kind == FrameKind::kCall &&
         frame.function - frame.resume < kLoop;
}

}  // namespace

CallStack::Change CallStack::EndTo(size_t depth) {
  hidden_ = 0;
  if (depth >= frames_.size()) return std::nullopt;
  frames_.resize(depth);
  return CallChange{.depth = static_cast<uint32_t>(depth)};
}

// Ends all calls but `depth`, and begins another.
CallStack::Change CallStack::Push(const Frame& frame, size_t depth) {
  if (depth >= kMaxDepth) {
    ++hidden_;
    ++deeper_;
    return std::nullopt;
  }
  hidden_ = 0;
  frames_.resize(depth);
  frames_.push_back(frame);
  return CallChange{.depth = static_cast<uint32_t>(depth),
                    .begins = true,
                    .function = frame.function};
}

// Returns the index of the innermost call that ends where the flow goes on at
// `resume`; kNone if there is none.
size_t CallStack::Find(uint64_t resume) {
  for (size_t i = frames_.size(); i-- > 0;) {
    ++looked_at_;
    const Frame& frame = frames_[i];
    if (frame.kind == FrameKind::kBase) continue;
    if (frame.resume == resume) return i;
    if (frame.kind == FrameKind::kEntry && IsNear(resume, frame.resume)) {
      return i;
    }
  }
  return kNone;
}

size_t CallStack::FindEntry() const {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == FrameKind::kEntry) return i;
  }
  return kNone;
}

CallStack::Change CallStack::OnBranch(const PtStep& from, uint64_t to) {
  const uint64_t next = from.ip + from.size;
  switch (from.branch) {
    case Branch::kCall:
      if (from.is_far) {
        return Push({FrameKind::kEntry, to, next}, frames_.size());
      }
      if (to == next) return std::nullopt;
      return Push({FrameKind::kCall, to, next}, frames_.size());
    case Branch::kReturn:
      return from.is_far ? OnFarReturn(to) : OnReturn(to);
    default:
      return std::nullopt;
  }
}

CallStack::Change CallStack::OnTailCall(uint64_t to) {
  if (frames_.empty() || hidden_ > 0) return std::nullopt;
  Frame frame = frames_.back();
  frame.function = to;
  return Push(frame, frames_.size() - 1);
}

CallStack::Change CallStack::OnReturn(uint64_t to) {
  if (hidden_ > 0) {
    --hidden_;
    return std::nullopt;
  }
  if (!frames_.empty() && frames_.back().kind == FrameKind::kCall &&
      frames_.back().resume == to) {
    return EndTo(frames_.size() - 1);
  }
  const size_t found = Find(to);
  if (found != kNone) return EndTo(found);
  const size_t size = frames_.size();
  if (size > 1 && IsOfRetpoline(frames_.back())) {
    Frame thunk = frames_[size - 2];
    thunk.function = to;
    return Push(thunk, size - 2);
  }
  // An unknown caller. What the kernel interrupted is still there.
  const size_t entry = FindEntry();
  return Push({FrameKind::kBase, to, 0}, entry == kNone ? 0 : entry + 1);
}

CallStack::Change CallStack::OnFarReturn(uint64_t to) {
  if (hidden_ > 0) {
    --hidden_;
    return std::nullopt;
  }
  const size_t entry = FindEntry();
  if (entry == kNone) return Push({FrameKind::kBase, to, 0}, 0);
  looked_at_ += frames_.size() - entry;
  if (IsNear(to, frames_[entry].resume)) return EndTo(entry);
  const size_t found = Find(to);
  if (found != kNone) return EndTo(found);
  // A signal handler, which ends where the kernel would have gone on.
  return Push({FrameKind::kEntry, to, frames_[entry].resume}, entry);
}

CallStack::Change CallStack::OnInterrupt(uint64_t from, uint64_t to) {
  // From a program to itself: a transaction was aborted.
  if (to >> 63 == 0) return std::nullopt;
  return Push({FrameKind::kEntry, to, from}, frames_.size());
}

CallStack::Change CallStack::OnDisabled(const PtStep& last, uint64_t at) {
  if (at != 0) {
    away_ = {at, true};
    return std::nullopt;
  }
  away_ = Away();
  if (last.kind == PtStep::Kind::kNone) return std::nullopt;
  if (last.branch == Branch::kCall) {
    away_ = {last.ip + last.size, last.is_far};
    return std::nullopt;
  }
  if (last.branch != Branch::kReturn) return std::nullopt;
  if (last.is_far) {
    const size_t entry = FindEntry();
    return EndTo(entry == kNone ? 0 : entry);
  }
  // Out of what is traced, an address filter's range.
  if (hidden_ > 0) {
    --hidden_;
    return std::nullopt;
  }
  return frames_.empty() ? std::nullopt : EndTo(frames_.size() - 1);
}

CallStack::Change CallStack::OnEnabled(uint64_t ip) {
  const Away away = std::exchange(away_, std::nullopt).value_or(Away());
  if (frames_.empty() || IsNear(ip, away.resume)) return std::nullopt;
  const size_t found = Find(ip);
  if (found != kNone) return EndTo(found);
  if (away.in_kernel) {
    return Push({FrameKind::kEntry, ip, away.resume}, frames_.size());
  }
  return Push({FrameKind::kBase, ip, 0}, 0);
}

CallStack::Change CallStack::OnGap() {
  away_.reset();
  return EndTo(0);
}

uint64_t CallStack::TakeWork() {
  constexpr uint64_t kFramesAStep = 4;
  const uint64_t steps = looked_at_ / kFramesAStep;
  looked_at_ %= kFramesAStep;
  return steps;
}

}  // namespace perf2x
