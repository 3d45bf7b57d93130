// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_SLOW_SOURCE_H_
#define PERF2X_TESTS_FUZZ_SLOW_SOURCE_H_

#include <algorithm>
#include <cstring>
#include <memory>

#include "converter/base/byte_source.h"
#include "converter/base/decompress.h"
#include "tests/fuzz/targets.h"

namespace perf2x {

// A source that returns at most `step` bytes at a time, as a pipe may. The
// bytes must outlive it.
class SlowSource final : public ByteSource {
 public:
  SlowSource(FuzzInput bytes, size_t step)
      : size_(bytes.size()), left_(bytes), step_(step) {}
  absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) override {
    const size_t n = std::min({to.size(), left_.size(), step_});
    if (n > 0) std::memcpy(to.data(), left_.data(), n);
    left_.remove_prefix(n);
    return n;
  }
  uint64_t CompressedSizeUpTo(uint64_t) override { return size_; }

 private:
  const uint64_t size_;
  FuzzInput left_;
  const size_t step_;
};

// Returns a source that needs at most five reads, which end anywhere in
// records.
inline std::unique_ptr<ByteSource> InSteps(FuzzInput bytes) {
  return std::make_unique<SlowSource>(bytes, bytes.size() / 5 + 1);
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_SLOW_SOURCE_H_
