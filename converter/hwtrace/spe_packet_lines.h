// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_SPE_PACKET_LINES_H_
#define PERF2X_HWTRACE_SPE_PACKET_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"

// Packets of Arm SPE traces as the lines that `perf report -D` prints of them:
// offset, bytes and meaning. Up to 16 bytes of padding are one line.

namespace perf2x {

// Returns the offset at which the first line ends that ends at `at` + `size` or
// later; at most the trace's size. A line must begin at `at`.
size_t EndOfSpePackets(absl::Span<const uint8_t> trace, size_t at, size_t size);

// Appends the lines of the packets in [begin, end) to `*text`. Lines must begin
// at both offsets, or `end` be the trace's size.
void AppendSpePacketLines(absl::Span<const uint8_t> trace, size_t begin,
                          size_t end, std::string* text);

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_SPE_PACKET_LINES_H_
