// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/etm_frame.h"

#include <array>
#include <utility>

namespace perf2x {

// The bytes at even places, but for the last, are data whose lowest bit is in
// the last byte, or ids, whose lowest bit is 1. If an id's bit in the last byte
// is 1, the next byte is still of the source before.
uint64_t EtmFrameReader::Read(
    absl::Span<const uint8_t> frame,
    absl::FunctionRef<void(uint8_t id, size_t bytes)> found) {
  constexpr std::array<uint8_t, 4> kFsync = {0xff, 0xff, 0xff, 0x7f};
  constexpr size_t kLast = kFrameSize - 1;
  size_t run = 0;
  uint64_t ids = 0;
  const auto end_run = [&] {
    if (run > 0) found(id_, std::exchange(run, 0));
  };
  bool is_fsync = true;
  for (size_t i = 0; i < kFrameSize; ++i) {
    is_fsync = is_fsync && frame[i] == kFsync[i % kFsync.size()];
  }
  if (is_fsync) {
    Reset();
    return 0;
  }
  for (size_t i = 0; i < kLast; i += 2) {
    const size_t after = i + 1 < kLast ? 1 : 0;  // bytes at odd places
    if ((frame[i] & 1) == 0) {
      run += 1 + after;
      continue;
    }
    ++ids;
    const bool is_late = (frame[kLast] >> (i / 2) & 1) != 0;
    if (is_late) run += after;
    end_run();
    id_ = frame[i] >> 1;
    if (!is_late) run += after;
  }
  end_run();
  return ids;
}

}  // namespace perf2x
