// SPDX-License-Identifier: Apache-2.0
#include "converter/base/byte_source.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace perf2x {
namespace {

class PrependedSource final : public ByteSource {
 public:
  PrependedSource(absl::Span<const uint8_t> bytes,
                  std::unique_ptr<ByteSource> rest)
      : bytes_(bytes.begin(), bytes.end()), rest_(std::move(rest)) {}

  absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) override {
    if (at_ == bytes_.size()) return rest_->Read(to);
    const size_t n = std::min(to.size(), bytes_.size() - at_);
    if (n > 0) std::memcpy(to.data(), bytes_.data() + at_, n);
    at_ += n;
    return n;
  }
  uint64_t CompressedSizeUpTo(uint64_t limit) override {
    return rest_->CompressedSizeUpTo(limit);
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

}  // namespace

absl::StatusOr<size_t> ReadFully(ByteSource& source, absl::Span<uint8_t> to) {
  size_t n = 0;
  while (n < to.size()) {
    absl::StatusOr<size_t> got = source.Read(to.subspan(n));
    // After some bytes, the error comes with the next read.
    if (!got.ok() && n == 0) return got;
    if (got.value_or(0) == 0) break;
    n += *got;
  }
  return n;
}

std::unique_ptr<ByteSource> Prepend(absl::Span<const uint8_t> bytes,
                                    std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PrependedSource>(bytes, std::move(rest));
}

}  // namespace perf2x
