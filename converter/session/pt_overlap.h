// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_PT_OVERLAP_H_
#define PERF2X_SESSION_PT_OVERLAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "converter/hwtrace/pt_decoder.h"

namespace perf2x {

// perf pads trace buffers to 8 bytes, with zeros.
constexpr size_t kMaxPtPadding = 7;

// The overlap of a ring buffer's snapshot with the previous snapshot.
struct PtOverlap {
  size_t repeated = 0;  // bytes at the start that the previous one had
  size_t padding = 0;   // zeros at the end of the previous one
};

// Finds the bytes at the start of `next`, from its first PSB packet on, with
// which `last` ends. The time is limited in proportion to both sizes. So it may
// miss an overlap in repetitive trace.
inline PtOverlap FindPtOverlap(absl::Span<const uint8_t> last,
                               absl::Span<const uint8_t> next) {
  constexpr size_t kNowhere = PtDecoder::kNowhere;
  const size_t first = PtDecoder::FindPsb(next, 0);
  if (first == kNowhere) return {};
  const absl::Span<const uint8_t> b = next.subspan(first);
  size_t zeros = 0;
  while (zeros < std::min(kMaxPtPadding, last.size()) &&
         last[last.size() - 1 - zeros] == 0) {
    ++zeros;
  }
  size_t most = 4 * last.size();  // bytes to compare
  for (size_t at = PtDecoder::FindPsb(last, 0); at != kNowhere && most > 0;
       at = PtDecoder::FindPsb(last, at + PtDecoder::kPsbSize)) {
    const absl::Span<const uint8_t> a = last.subspan(at);
    const size_t size = std::min({a.size(), b.size(), most});
    const auto same = static_cast<size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(size),
                      b.begin())
            .first -
        a.begin());
    if (same + zeros >= a.size()) return {first + same, a.size() - same};
    most -= same;
  }
  return {};
}

}  // namespace perf2x

#endif  // PERF2X_SESSION_PT_OVERLAP_H_
