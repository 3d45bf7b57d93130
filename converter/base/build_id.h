// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BUILD_ID_H_
#define PERF2X_BASE_BUILD_ID_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace perf2x {

// The build id that the linker wrote into a program or library
// (NT_GNU_BUILD_ID). Keeps its first 20 bytes, as perf does. Empty if not
// known.
class BuildId {
 public:
  BuildId() = default;
  explicit BuildId(absl::Span<const uint8_t> bytes)
      : size_(static_cast<uint8_t>(std::min(bytes.size(), kMaxSize))) {
    if (size_ > 0) std::memcpy(bytes_.data(), bytes.data(), size_);
  }

  bool empty() const { return size_ == 0; }
  absl::Span<const uint8_t> bytes() const { return {bytes_.data(), size_}; }
  // Returns lower-case hexadecimal digits.
  std::string Hex() const {
    return absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(bytes_.data()), size_));
  }
  friend bool operator==(const BuildId&, const BuildId&) = default;
  template <class H>
  friend H AbslHashValue(H h, const BuildId& id) {
    return H::combine(std::move(h), id.bytes_, id.size_);
  }

 private:
  static constexpr size_t kMaxSize = 20;
  std::array<uint8_t, kMaxSize> bytes_{};
  uint8_t size_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_BUILD_ID_H_
