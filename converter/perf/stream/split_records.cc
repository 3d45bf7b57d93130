// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/split_records.h"

#include <utility>

#include "converter/perf/records/wire.h"

namespace perf2x {

void SplitRecords::Add(absl::Span<const uint8_t> slice) {
  constexpr size_t kMax = 64 << 20;
  is_too_large_ |= slice.size() > kMax - bytes_.size();
  if (is_too_large_) return bytes_.clear();
  bytes_.insert(bytes_.end(), slice.begin(), slice.end());
}

std::optional<SplitRecords::Record> SplitRecords::Take(ByteOrder order) {
  constexpr size_t kHeaderSize = 8;
  const std::vector<uint8_t> bytes = std::exchange(bytes_, {});
  const bool is_too_large = std::exchange(is_too_large_, false);
  if (is_too_large || bytes.size() < kHeaderSize) return std::nullopt;
  const uint32_t type = Load<uint32_t>(bytes.data(), order);
  // The size has 32 bits, see Framer.
  const uint64_t size = Load<uint16_t>(&bytes[6], order) |
                        uint64_t{Load<uint16_t>(&bytes[4], order)} << 16;
  // Slices of slices would not end.
  if (type <= kRecordSimpleperfFirst || type == kRecordSimpleperfSplit ||
      type == kRecordSimpleperfSplitEnd || size != bytes.size()) {
    return std::nullopt;
  }
  return Record{type, {bytes.begin() + kHeaderSize, bytes.end()}};
}

}  // namespace perf2x
